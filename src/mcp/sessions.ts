import { type Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'

/** A session without requests for this long is closed. */
const IDLE_MS = 60 * 60_000
/** At most this many sessions are open; beyond that, the one whose last request is oldest is closed. */
const MOST = 200

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly server: Server
  heardAt: number
  /** Requests that are being answered, including open event streams. */
  open: number
}

/** Sessions of clients with the older protocol, whose separate HTTP requests belong together by a session id. */
export class McpSessions {
  readonly #all = new Map<string, Session>()
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  /** Answers a request. A request without a session id opens a new session, with the server that `newServer` makes. */
  async handle(request: Request, parsedBody: unknown, newServer: () => Promise<Server>): Promise<Response> {
    const id = request.headers.get('mcp-session-id')
    if (id === null) return this.#open(request, parsedBody, newServer)
    const session = this.#all.get(id)
    return session === undefined ? GONE() : this.#serve(session, request, parsedBody)
  }

  async #open(request: Request, parsedBody: unknown, newServer: () => Promise<Server>): Promise<Response> {
    this.#tidy()
    const server = await newServer()
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void this.#all.set(id, session),
      onsessionclosed: (id) => this.#end(id),
    })
    const session: Session = { transport, server, heardAt: this.#now(), open: 0 }
    await server.connect(transport)
    const answer = await this.#serve(session, request, parsedBody)
    if (transport.sessionId === undefined) await server.close()
    return answer
  }

  async #serve(session: Session, request: Request, parsedBody: unknown): Promise<Response> {
    session.heardAt = this.#now()
    session.open++
    request.signal.addEventListener('abort', () => session.open--, { once: true })
    try {
      return await session.transport.handleRequest(request, parsedBody === undefined ? {} : { parsedBody })
    } finally {
      if (!request.signal.aborted && request.method !== 'GET') session.open--
    }
  }

  #tidy(): void {
    const silent = [...this.#all].filter(([, { open }]) => open <= 0).sort(([, a], [, b]) => a.heardAt - b.heardAt)
    const surplus = Math.max(0, this.#all.size - MOST + 1)
    for (const [place, [id, { heardAt }]] of silent.entries())
      if (place < surplus || this.#now() - heardAt > IDLE_MS) this.#end(id)
  }

  #end(id: string): void {
    const session = this.#all.get(id)
    this.#all.delete(id)
    void session?.server.close().catch(() => {})
  }
}

/** For a session that was closed, or that belongs to an earlier daemon: the client opens another. */
const GONE = (): Response =>
  Response.json({ jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } }, { status: 404 })
