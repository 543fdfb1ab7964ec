import { connect } from 'node:net'
import { dirname } from 'node:path'
import { isOurs } from './daemon-files.ts'

/** One request to the daemon, over its socket. */
export interface DaemonRequest {
  readonly socket: string
  readonly method?: 'GET' | 'POST'
  readonly path: string
  /** Characters up to U+00FF without control characters. */
  readonly headers?: Readonly<Record<string, string | number>>
  readonly body?: string | Uint8Array
  /** How long to wait for the first byte of the answer. The rest may take any time. */
  readonly waitMs: number
  /** Called for each part of the body of an answer with status 200, in order. */
  readonly onBody?: (bytes: Buffer) => void
}

/** How a request ended. `silent`: the daemon accepted the connection and sent nothing in time. */
export type RequestOutcome = { readonly status: number } | { readonly status?: undefined; readonly silent: boolean }

export interface Exchange {
  /** Resolves when the connection is closed. Never rejects. */
  readonly ended: Promise<RequestOutcome>
  /** Closes the connection without waiting for the answer. */
  abandon(): void
}

/**
 * Sends a request. It uses HTTP/1.0, so that the answer ends with the connection, and not node:http, which takes longer
 * to load than a daemon takes to answer.
 */
export function send(request: DaemonRequest): Exchange {
  // In a folder that other users may write to, the socket may be another user's.
  if (!isOurs(dirname(request.socket))) return { ended: Promise.resolve({ silent: false }), abandon: () => {} }
  const socket = connect({ path: request.socket })
  const answer = new AnswerReader(request.onBody)
  let silent = false
  const timer = setTimeout(() => {
    silent = true
    socket.destroy()
  }, request.waitMs)
  socket.on('connect', () => {
    socket.write(headOf(request), 'latin1')
    if (request.body) socket.write(request.body)
  })
  socket.on('data', (bytes: Buffer) => {
    clearTimeout(timer)
    answer.take(bytes)
  })
  // The `close` event follows, and tells all that matters.
  socket.on('error', () => {})
  const ended = new Promise<RequestOutcome>((resolve) => {
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(answer.isWhole ? { status: answer.status } : { silent })
    })
  })
  return { ended, abandon: () => void socket.destroy() }
}

function headOf({ method = 'POST', path, headers, body = '' }: DaemonRequest): string {
  const all = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body), ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return [`${method} ${path} HTTP/1.0`, ...lines, '', ''].join('\r\n')
}

/** Parses the head of an answer and passes its body on. */
class AnswerReader {
  readonly #onBody: ((bytes: Buffer) => void) | undefined
  #head: Buffer = Buffer.alloc(0)
  /** Bytes of the body that are still missing, if the head gives its length. */
  #missing = 0
  /** 0 until the head has arrived. */
  status = 0

  constructor(onBody: ((bytes: Buffer) => void) | undefined) {
    this.#onBody = onBody
  }

  get isWhole(): boolean {
    return this.status > 0 && this.#missing <= 0
  }

  take(bytes: Buffer): void {
    if (this.status > 0) return this.#takeBody(bytes)
    this.#head = Buffer.concat([this.#head, bytes])
    const end = this.#head.indexOf('\r\n\r\n')
    if (end === -1) return
    const head = this.#head.toString('latin1', 0, end)
    this.status = Number(head.split(' ')[1])
    this.#missing = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0)
    this.#takeBody(this.#head.subarray(end + 4))
  }

  #takeBody(bytes: Buffer): void {
    this.#missing -= bytes.length
    if (this.status === 200 && bytes.length > 0) this.#onBody?.(bytes)
  }
}

/** The whole text of an answer with status 200. */
export async function fetchText(
  request: Omit<DaemonRequest, 'onBody'>,
): Promise<RequestOutcome & { readonly text?: string }> {
  const parts: Buffer[] = []
  const ending = await send({ ...request, onBody: (bytes) => void parts.push(bytes) }).ended
  return ending.status === 200 ? { ...ending, text: Buffer.concat(parts).toString() } : ending
}
