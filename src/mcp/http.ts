import type { IncomingMessage, ServerResponse } from 'node:http'
import { isAbsolute } from 'node:path'
import { createMcpHandler, isLegacyRequest, type McpHttpHandler } from '@modelcontextprotocol/server'
import { Fault, KINDS } from '../base/fault.ts'
import { makeId } from '../schema/ids.ts'
import type { McpServices } from './api.ts'
import { faultJson } from './content.ts'
import { McpSession, type McpSessionOptions } from './mcp-session.ts'
import { openSealing } from './sealing.ts'
import { createServer } from './server.ts'
import { McpSessions } from './sessions.ts'
import { toolSetOf } from './tool-set.ts'
import { readBody, sendResponse, webRequest } from './web.ts'
import { workspaceHintOf } from './workspace-hint.ts'

const LARGEST_BODY = 64 * 1024 * 1024
/** For at most this many combinations of workspace and tools, the server's options are cached. */
const MOST_LOBBIES = 64

/** What is served at one URL: `?workspace=DIR&tools=SETS`. */
interface Lobby {
  readonly options: Omit<McpSessionOptions, 'session'>
  /** Serves requests that belong to no session. */
  readonly single: McpHttpHandler
}

/** Streamable HTTP. The daemon's HTTP server has already checked host, origin and token. */
export class McpHttp {
  readonly #rooms: McpServices
  readonly #seals = openSealing()
  readonly #lobbies = new Map<string, Promise<Lobby>>()
  readonly #sessions = new McpSessions(() => performance.now())

  constructor(rooms: McpServices) {
    this.#rooms = rooms
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = request.method === 'POST' ? await readBody(request, LARGEST_BODY) : Buffer.alloc(0)
    const answer = body === undefined ? TOO_LARGE() : await this.#answer(webRequest(request, response, body), body)
    await sendResponse(response, answer)
  }

  async #answer(request: Request, body: Buffer): Promise<Response> {
    try {
      const lobby = await this.#lobby(new URL(request.url).searchParams)
      const parsed = parsedOf(body)
      const isLegacy = await isLegacyRequest(request.clone(), parsed)
      if (!isLegacy) return await lobby.single.fetch(request, parsed === undefined ? {} : { parsedBody: parsed })
      return await this.#sessions.handle(request, parsed, async () => createServer(newDesk(lobby), 'legacy'))
    } catch (error) {
      const fault = faultJson(error)
      this.#rooms.log(fault.message)
      return Response.json({ error: fault }, { status: KINDS[new Fault(fault.code, fault.data as never).kind].http })
    }
  }

  #lobby(query: URLSearchParams): Promise<Lobby> {
    const [workspace, tools] = [query.get('workspace') ?? undefined, query.get('tools') ?? undefined]
    const key = JSON.stringify([workspace, tools])
    const known = this.#lobbies.get(key)
    if (known) return known
    const [oldest] = this.#lobbies.keys()
    if (oldest !== undefined && this.#lobbies.size >= MOST_LOBBIES) this.#lobbies.delete(oldest)
    const made = this.#open(workspace, tools)
    this.#lobbies.set(key, made)
    // A failure is not cached: the next request may succeed.
    made.catch(() => this.#lobbies.delete(key))
    return made
  }

  async #open(workspace: string | undefined, tools: string | undefined): Promise<Lobby> {
    if (workspace !== undefined && !isAbsolute(workspace) && !workspace.startsWith('w_'))
      throw new Fault('BAD_INPUT', { problem: `workspace must be the whole path of a folder, or an id: ${workspace}` })
    const options = {
      rooms: this.#rooms,
      offer: await toolSetOf(tools),
      ground: await workspaceHintOf(this.#rooms, workspace, undefined),
      ...this.#seals,
    }
    const desk = new McpSession({ ...options, session: undefined })
    const single = createMcpHandler(() => createServer(desk, 'modern'), {
      legacy: 'reject',
      maxRequestBodySize: LARGEST_BODY,
      onerror: (error) => this.#rooms.log(error.message),
    })
    return { options, single }
  }
}

const newDesk = ({ options }: Lobby): McpSession =>
  new McpSession({ ...options, session: makeId('sess', Date.now(), Math.random) })

/** Undefined when it is no JSON: the library answers with the protocol's error. */
function parsedOf(body: Buffer): unknown {
  try {
    return body.length === 0 ? undefined : JSON.parse(body.toString())
  } catch {
    return undefined
  }
}

const TOO_LARGE = (): Response =>
  Response.json(
    { jsonrpc: '2.0', id: null, error: { code: -32600, message: `The body may have ${LARGEST_BODY} bytes.` } },
    { status: 413, headers: { Connection: 'close' } },
  )
