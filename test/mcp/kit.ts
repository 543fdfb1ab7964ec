import { join } from 'node:path'
import {
  type CallToolResult,
  Client,
  type ClientCapabilities,
  type ElicitRequest,
  type ElicitResult,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { onTestFinished } from 'vitest'
import { type Live, newLive, REPOSITORY } from '../live/kit.ts'

/** Real clients of the protocol, against real servers: over standard input and output, and over HTTP. */

// oxlint-disable-next-line typescript/no-explicit-any -- what a server answers; tests look into it
type Json = any

export interface Meeting {
  readonly era?: 'legacy' | 'modern'
  /** What is typed behind `timewarp mcp`. */
  readonly args?: readonly string[]
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly capabilities?: ClientCapabilities
  /** What the user says when asked. */
  readonly user?: (request: ElicitRequest) => ElicitResult | Promise<ElicitResult>
  readonly roots?: readonly string[]
  readonly name?: string
}

/** A client that has met its server. */
export class Agent {
  readonly client: Client
  /** What the server wrote on standard error. */
  stderr = ''
  /** The process of the server. */
  pid = 0

  constructor(client: Client) {
    this.client = client
  }

  /** Calls a tool; the answer with its parts at hand. */
  async call(name: string, input: Record<string, unknown> = {}, options: object = {}): Promise<Called> {
    const result = (await this.client.callTool({ name, arguments: input }, options)) as CallToolResult
    return {
      result,
      isError: result.isError === true,
      out: result.structuredContent,
      error: result.isError ? errorIn(result) : undefined,
      text: result.content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n'),
    }
  }

  async toolNames(): Promise<string[]> {
    return (await this.client.listTools()).tools.map(({ name }) => name)
  }

  async read(uri: string): Promise<Json> {
    return (await this.client.readResource({ uri })).contents[0]
  }
}

/** The second line of a failure is what `--json` prints. */
export function errorIn({ content: [block] }: Pick<CallToolResult, 'content'>): Json {
  const [first = '', second = ''] = block?.type === 'text' ? block.text.split('\n') : []
  return first.startsWith('Error ') ? JSON.parse(second).error : undefined
}

export interface Called {
  readonly result: CallToolResult
  readonly isError: boolean
  readonly out: Json
  readonly error: Json
  readonly text: string
}

function newClient({ era = 'legacy', capabilities = {}, user, roots, name = 'the-tests' }: Meeting): Client {
  const client = new Client(
    { name, version: '1.0.0' },
    {
      capabilities: {
        ...capabilities,
        ...(user ? { elicitation: { form: {} } } : {}),
        ...(roots ? { roots: {} } : {}),
      },
      versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' },
    },
  )
  if (user) client.setRequestHandler('elicitation/create', (request) => user(request))
  if (roots) client.setRequestHandler('roots/list', () => ({ roots: roots.map((path) => ({ uri: `file://${path}` })) }))
  onTestFinished(() => client.close().catch(() => {}))
  return client
}

export const LAUNCHER = join(REPOSITORY, 'bin/timewarp')

/** Starts `timewarp mcp` and meets it. */
export async function overStdio(live: Live, meeting: Meeting = {}): Promise<Agent> {
  const agent = new Agent(newClient(meeting))
  const transport = new StdioClientTransport({
    command: LAUNCHER,
    args: ['mcp', ...(meeting.args ?? [])],
    cwd: meeting.cwd ?? live.root,
    env: live.environment(meeting.env),
    stderr: 'pipe',
    maxBufferSize: 64 * 1024 * 1024,
  })
  transport.stderr?.on('data', (bytes: Buffer) => {
    agent.stderr += bytes
  })
  await agent.client.connect(transport)
  agent.pid = transport.pid ?? 0
  return agent
}

/** Meets the daemon that serves. */
export async function overHttp(
  live: Live,
  meeting: Meeting & { readonly query?: string; readonly token?: string } = {},
): Promise<Agent> {
  const { url, token } = live.card
  const query = meeting.query ?? `?workspace=${encodeURIComponent(live.root)}`
  const agent = new Agent(newClient(meeting))
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp${query}`), {
    requestInit: { headers: { Authorization: `Bearer ${meeting.token ?? token}` } },
  })
  await agent.client.connect(transport)
  return agent
}

/** A workspace with a server for it, of either kind and either revision of the protocol. */
export const WAYS = [
  ['stdio', 'legacy'],
  ['stdio', 'modern'],
  ['http', 'legacy'],
  ['http', 'modern'],
] as const
export type Way = (typeof WAYS)[number]

export async function meet(
  [wire, era]: Way,
  meeting: Meeting = {},
  files: Readonly<Record<string, string | Uint8Array>> = { 'a.txt': 'one\n' },
): Promise<{ live: Live; agent: Agent }> {
  const live = newLive(files, wire === 'stdio' ? { env: { TIMEWARP_DAEMON: 'off' } } : {})
  if (wire === 'stdio') return { live, agent: await overStdio(live, { ...meeting, era }) }
  await live.serve()
  const tools = meeting.args?.[0] === '--tools' ? `&tools=${meeting.args[1]}` : ''
  const query = `?workspace=${encodeURIComponent(live.root)}${tools}`
  return { live, agent: await overHttp(live, { ...meeting, era, query }) }
}
