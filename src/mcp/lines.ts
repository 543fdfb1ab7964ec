import type { Readable, Writable } from 'node:stream'
import { type JSONRPCMessage, parseJSONRPCMessage, type RequestId, type Transport } from '@modelcontextprotocol/server'

/** The largest size of a message in bytes; a larger one is dropped. */
const LONGEST = 64 * 1024 * 1024
/** After the end of the input, requests may still be answered for this long. */
const GRACE_MS = 60_000

/**
 * A transport of one JSON message per line. A line that is no message is reported to `onerror`; the next ones are still
 * read. After the end of the input, open requests are answered first: `printf … | timewarp mcp` gets all its answers.
 */
export class LineTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  readonly #input: Readable
  readonly #output: Writable
  readonly #reader = new LineReader((line) => this.#take(line), LONGEST)
  /** Requests of the client that have no answer yet. */
  readonly #open = new Set<RequestId>()
  /** Requests to the client that it has not answered. */
  readonly #asked = new Set<RequestId>()
  #hasEnded = false
  #isClosed = false

  constructor(input: Readable, output: Writable) {
    this.#input = input
    this.#output = output
  }

  async start(): Promise<void> {
    this.#input.on('data', (bytes: Buffer) => this.#reader.add(bytes))
    this.#input.once('end', () => this.#end())
    this.#input.once('close', () => this.#end())
    this.#input.on('error', (error) => this.#fail(error))
    // The client no longer reads.
    this.#output.on('error', () => void this.close())
  }

  #take(line: string | undefined): void {
    if (line === undefined) return this.onerror?.(new Error(`A message of more than ${LONGEST} bytes was thrown away.`))
    if (line.trim() === '') return
    try {
      const message = parseJSONRPCMessage(JSON.parse(line))
      this.#note(message)
      this.onmessage?.(message)
    } catch {
      this.onerror?.(new Error(`What came was no message: ${line.slice(0, 60)}`))
      this.#refuse(line)
    }
  }

  #note(message: JSONRPCMessage): void {
    if ('method' in message && 'id' in message) this.#open.add(message.id)
    else if (!('method' in message) && message.id !== undefined) this.#asked.delete(message.id)
    else if ('method' in message && message.method === 'notifications/cancelled')
      this.#settle((message.params as { requestId?: RequestId } | undefined)?.requestId)
  }

  /** Answers a request that cannot be understood but has an id, because the client waits for an answer. */
  #refuse(line: string): void {
    const id = idIn(line)
    if (id !== undefined) this.#write({ jsonrpc: '2.0', id, error: { code: -32600, message: 'Invalid request' } })
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) throw new Error('The connection is closed.')
    if ('method' in message && 'id' in message) this.#asked.add(message.id)
    this.#write(message)
    if (!('method' in message)) this.#settle(message.id)
  }

  #write(message: object): void {
    this.#output.write(`${JSON.stringify(message)}\n`)
  }

  #settle(id: RequestId | undefined): void {
    if (id !== undefined) this.#open.delete(id)
    if (this.#hasEnded) this.#end()
  }

  #end(): void {
    if (!this.#hasEnded) setTimeout(() => void this.close(), GRACE_MS).unref()
    this.#hasEnded = true
    if (this.#open.size === 0 || this.#asked.size > 0) void this.close()
  }

  #fail(error: Error): void {
    this.onerror?.(error)
    void this.close()
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#input.pause()
    this.onclose?.()
  }
}

/** The id in a line that may be a request. */
function idIn(line: string): RequestId | undefined {
  try {
    const id = (JSON.parse(line) as { id?: unknown } | null)?.id
    return typeof id === 'string' || typeof id === 'number' ? id : undefined
  } catch {
    return undefined
  }
}

/** Splits bytes into lines; one that is too long is passed on as undefined. Reads each byte once. */
export class LineReader {
  readonly #take: (line: string | undefined) => void
  readonly #limit: number
  #parts: Buffer[] = []
  #size = 0

  constructor(take: (line: string | undefined) => void, limit: number) {
    this.#take = take
    this.#limit = limit
  }

  add(bytes: Buffer): void {
    let from = 0
    for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, from)) {
      this.#keep(bytes.subarray(from, at))
      this.#finish()
      from = at + 1
    }
    this.#keep(bytes.subarray(from))
  }

  #keep(part: Buffer): void {
    this.#size += part.length
    if (this.#size > this.#limit) this.#parts = []
    else if (part.length > 0) this.#parts.push(part)
  }

  #finish(): void {
    const line = this.#size > this.#limit ? undefined : Buffer.concat(this.#parts).toString()
    this.#parts = []
    this.#size = 0
    this.#take(line)
  }
}
