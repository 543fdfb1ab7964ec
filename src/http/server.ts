import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { lazily } from '../base/lazily.ts'
import { CALLER_HEADER } from '../client/call.ts'
import { describeTools } from '../protocol/describe.ts'
import { sendAnswer, sendJson, sendProblem, sendRaw } from './answer.ts'
import { type ApiServices, LIMITS, type Limits, type Listener } from './api.ts'
import { readBytes, readObject } from './body.ts'
import { checkRequest } from './check-request.ts'
import { streamCall, streamCommand } from './command.ts'
import { streamEvents } from './events.ts'
import { openApi } from './openapi.ts'
import { problemOf, Refusal, type RefusalCode } from './refusal.ts'
import { findRoute, type Route } from './routes.ts'

/**
 * A server for the catalogue, not listening yet.
 *
 * Give `listen` a backlog of some thousands: a connection beyond it waits a second on the loopback interface, and fails
 * on a socket. To stop, call `close()` and then `closeAllConnections()`: readers of events stay connected otherwise.
 */
export function createApiServer(rooms: ApiServices, door: Listener, options: Partial<Limits> = {}): Server {
  const limits = { ...LIMITS, ...options }
  const api = new Api(rooms, door, limits)
  const server = createServer({
    // `checkRequest` checks Host where it matters, and answers with a refusal like any other.
    requireHostHeader: false,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: Math.ceil(Math.min(limits.headersMs, limits.requestMs) / 4),
  })
  // An answer that cannot be written ends its connection, not the process.
  const serve = (request: IncomingMessage, response: ServerResponse) =>
    void api.serve(request, response).catch(() => response.destroy())
  server.on('request', serve)
  // The same handler: a client that is refused is not asked for the body first.
  server.on('checkContinue', serve)
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => api.refuse(error.code, socket))
  return server
}

/** Headers are bytes, which arrive as latin-1. */
const utf8Of = (header: string): string => Buffer.from(header, 'latin1').toString('utf8')

const BROKEN: Readonly<Record<string, RefusalCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
}

class Api {
  readonly #rooms: ApiServices
  readonly #door: Listener
  readonly #limits: Limits
  /** The newest answer on each connection. */
  readonly #answers = new WeakMap<Duplex, ServerResponse>()
  readonly #tools = lazily(describeTools)
  readonly #toolsJson = lazily(async () => JSON.stringify({ tools: await this.#tools() }))
  readonly #openApiJson = lazily(async () => JSON.stringify(openApi(this.#rooms.version, await this.#tools())))

  constructor(rooms: ApiServices, door: Listener, limits: Limits) {
    this.#rooms = rooms
    this.#door = door
    this.#limits = limits
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#answers.set(request.socket, response)
    try {
      await this.#answer(this.#admit(request), request, response)
    } catch (error) {
      if (response.headersSent || response.destroyed) response.destroy()
      else sendProblem(response, problemOf(error))
    }
  }

  /** Answers and ends a connection on which something arrived that is no request, or an incomplete one. */
  refuse(code: string | undefined, socket: Duplex): void {
    const answer = this.#answers.get(socket)
    const isAnswering = answer?.headersSent && !answer.writableFinished
    if (isAnswering || !socket.writable) socket.destroy()
    else sendRaw(socket, new Refusal(BROKEN[code ?? ''] ?? 'REQUEST_BAD').problem)
  }

  #admit(request: IncomingMessage): Route {
    const { method = '', url = '', headers } = request
    const path = url.split('?', 1)[0] ?? ''
    const query = new URLSearchParams(url.slice(path.length))
    const refused = checkRequest(this.#door, { method, path, query, headers })
    if (refused !== undefined) throw new Refusal(refused)
    return findRoute(method, path, {
      command: this.#door.kind === 'socket' && this.#rooms.command !== undefined,
      mcp: this.#rooms.mcp !== undefined,
    })
  }

  async #answer(route: Route, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = () => readObject(request, response, this.#limits.bodyBytes)
    switch (route.name) {
      case 'call':
        return this.#call(route.tool, await body(), response)
      case 'command':
        return streamCommand(this.#rooms, await body(), response)
      case 'cancel':
        return sendAnswer(response, { cancelled: this.#cancel(await body()) })
      case 'hook':
        return this.#hook(route.client, request, response)
      case 'mcp':
        return this.#rooms.mcp?.(request, response)
      case 'tools':
        return sendJson(response, 200, await this.#toolsJson())
      case 'openapi':
        return sendJson(response, 200, await this.#openApiJson())
      case 'health':
        return sendAnswer(response, this.#rooms.health())
      case 'events':
        return streamEvents(this.#rooms, response, this.#limits)
    }
  }

  async #call(tool: string, input: object, response: ServerResponse): Promise<void> {
    const caller = response.req.headers[CALLER_HEADER]
    if (typeof caller === 'string' && this.#door.kind === 'socket' && this.#rooms.callInFrames)
      return streamCall(this.#rooms, { tool, input, caller }, response)
    sendAnswer(response, (await this.#rooms.call(tool, input)).output)
  }

  #cancel(body: object): boolean {
    const id = 'id' in body ? body.id : undefined
    return typeof id === 'string' && this.#rooms.cancel?.(id) === true
  }

  async #hook(client: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.#rooms.hook === undefined) throw new Refusal('ROUTE_UNKNOWN')
    const project = request.headers['timewarp-project']
    const body = await readBytes(request, response, this.#limits.hookBytes)
    const said = await this.#rooms.hook(client, body, typeof project === 'string' ? utf8Of(project) : undefined)
    const proof = this.#door.kind === 'loopback' ? { 'Timewarp-Proof': this.#door.proof } : {}
    sendJson(response, 200, said, { ...proof, Connection: 'close' })
  }
}
