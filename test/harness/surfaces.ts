import * as fs from 'node:fs'
import * as http from 'node:http'
import { join } from 'node:path'
import { type CallToolResult, Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { type Ended, latin, type Scene } from './scene.ts'

/** The ways to call a tool. The library runs in a process of its own: so that it can be killed, and cannot hang this one. */
export const SURFACES = ['cli', 'cli-alone', 'http', 'mcp', 'library'] as const
export type Surface = (typeof SURFACES)[number]

// oxlint-disable-next-line typescript/no-explicit-any -- what tools answer; acts look into it
export type Json = any

/** What a tool answered, whoever asked it. */
export interface Answered {
  readonly ok: boolean
  readonly output: Json
  /** The code of the fault; undefined when there is none. */
  readonly code: string | undefined
  /** Everything that was said, to be searched. */
  readonly said: string
  /** What must never happen. */
  readonly wrong: string | undefined
}

const HANGS_MS = 90_000

export class Surfaces {
  readonly #scene: Scene
  #agent: Client | undefined

  constructor(scene: Scene) {
    this.#scene = scene
  }

  async call(surface: Surface, tool: string, input: object, cwd = this.#scene.root): Promise<Answered> {
    if (surface === 'http') return this.#http(tool, input)
    if (surface === 'mcp') return this.#mcp(tool, input)
    if (surface === 'library') return this.#library(tool, input)
    const args = ['-C', this.#scene.root, 'call', tool, '-']
    const typed = { args, cwd, daemon: surface === 'cli', stdin: JSON.stringify(input) }
    return answerIn(await this.#scene.type(typed))
  }

  async #library(tool: string, input: object): Promise<Answered> {
    const program = `
      const { openTimewarp } = await import(${JSON.stringify(this.#scene.library)})
      let text = ''
      for await (const part of process.stdin) text += part
      const timewarp = openTimewarp({ home: process.env.TIMEWARP_HOME, cwd: ${JSON.stringify(this.#scene.root)} })
      const answer = await timewarp.call(${JSON.stringify(tool)}, JSON.parse(text)).catch((error) => ({ error: error.toJSON?.() ?? { code: 'INTERNAL', message: String(error) } }))
      process.stdout.write(JSON.stringify(answer))
      await timewarp.close()
    `
    return answerIn(await this.#scene.runNode(program, JSON.stringify(input)))
  }

  async #http(tool: string, input: object): Promise<Answered> {
    await this.#scene.startDaemon()
    const body = JSON.stringify({ workspace: this.#scene.root, ...input })
    const card = parsed(read(join(this.#scene.home, 'daemon.json')))
    const socketPath = card?.socket ?? join(this.#scene.home, 'daemon.sock')
    return new Promise((done) => {
      const asked = http.request(
        {
          socketPath,
          path: `/v1/call/${encodeURIComponent(tool)}`,
          method: 'POST',
          agent: false,
          headers: { 'content-type': 'application/json' },
          timeout: HANGS_MS,
        },
        (answer) => {
          let text = ''
          answer.setEncoding('utf8').on('data', (part: string) => (text += part))
          answer.on('end', () => done(answerFrom(parsed(text), text)))
        },
      )
      asked.on('timeout', () => done(wrong(`${tool} over HTTP hangs`, '')))
      asked.on('error', (error) =>
        done({ ok: false, output: undefined, code: 'LOST', said: String(error), wrong: undefined }),
      )
      asked.end(body)
    })
  }

  async #mcp(tool: string, input: object): Promise<Answered> {
    try {
      const agent = await this.#meet()
      const first = await this.#ask(agent, tool, input)
      const token = first.code === 'CONFIRM_NEEDED' ? first.output?.data?.confirm : undefined
      return token === undefined ? first : await this.#ask(agent, tool, { ...input, confirm: token })
    } catch (error) {
      await this.closeAgent()
      const text = String(error)
      if (/timed out/i.test(text)) return wrong(`${tool} over MCP hangs`, text)
      return { ok: false, output: undefined, code: 'LOST', said: text, wrong: undefined }
    }
  }

  async #ask(agent: Client, tool: string, input: object): Promise<Answered> {
    const { workspace: _, ...given } = input as Record<string, unknown>
    const result = (await agent.callTool({ name: tool, arguments: given }, { timeout: HANGS_MS })) as CallToolResult
    const said = JSON.stringify(result)
    const [block] = result.content
    const [first = '', second = ''] = block?.type === 'text' ? block.text.split('\n') : []
    if (first.startsWith('Error ')) return answerFrom(parsed(second), said)
    return { ok: true, output: result.structuredContent, code: undefined, said, wrong: undefined }
  }

  async #meet(): Promise<Client> {
    if (this.#agent) return this.#agent
    const agent = new Client({ name: 'harness', version: '1.0.0' }, { versionNegotiation: { mode: 'legacy' } })
    const transport = new StdioClientTransport({ ...this.#scene.mcpCommand(true), maxBufferSize: 64 * 1024 * 1024 })
    await agent.connect(transport)
    this.#agent = agent
    agent.onclose = () => (this.#agent = undefined)
    return agent
  }

  async closeAgent(): Promise<void> {
    const agent = this.#agent
    this.#agent = undefined
    await agent?.close().catch(() => {})
  }
}

const wrong = (what: string, said: string): Answered => ({
  ok: false,
  output: undefined,
  code: 'WRONG',
  said,
  wrong: what,
})

/** A process prints one document of JSON. */
export function answerIn({ exit, signal, stdout, stderr, hung }: Ended): Answered {
  const said = `${stdout}${stderr}`
  if (hung) return wrong('the command hangs', said)
  const json = parsed(stdout)
  if (exit === 70) return wrong(`exit 70: ${said.slice(0, 2000)}`, said)
  if (json === undefined && exit !== 0 && signal === null && !/^Error: /m.test(stderr))
    return wrong(`exit ${exit} without a word: ${said.slice(0, 1000)}`, said)
  return json === undefined
    ? { ok: exit === 0, output: undefined, code: exit === 0 ? undefined : 'UNREAD', said, wrong: undefined }
    : answerFrom(json, said)
}

function answerFrom(json: Json, said: string): Answered {
  const code: string | undefined = json?.error?.code
  if (code === 'INTERNAL') return wrong(`INTERNAL: ${JSON.stringify(json.error)}`, said)
  return { ok: code === undefined, output: code === undefined ? json : json.error, code, said, wrong: undefined }
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function read(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** A name as tools take it: UTF-8 as it is, other bytes quoted as git does. */
export function toolPath(path: string): string {
  const bytes = Buffer.from(path, 'latin1')
  const text = bytes.toString()
  if (latin(text) === path && !text.startsWith('"')) return text
  return `"${[...bytes].map((byte) => (byte < 0x20 || byte >= 0x7f || byte === 34 || byte === 92 ? `\\${byte.toString(8).padStart(3, '0')}` : String.fromCharCode(byte))).join('')}"`
}
