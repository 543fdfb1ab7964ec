import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { HttpProblem } from './refusal.ts'

/** Writes answers. No header ever allows another origin to read them. */

export const COMMON_HEADERS = { 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' } as const

/** How long a client that is refused in the middle of its request has to read the refusal. */
const LINGER_MS = 500
/** How long it may pause while it sends the rest, how long that may take, and how much of it is read. */
const PAUSE_MS = 1000
const DROPPING_MS = 10_000
const MOST_DROPPED = 8 * 1024 * 1024

const jsonOf = (value: object): string => `${JSON.stringify(value)}\n`

export function sendProblem(response: ServerResponse, problem: HttpProblem): void {
  sendJson(response, problem.status, jsonOf({ error: problem.error }), problem.headers)
}

export function sendAnswer(response: ServerResponse, output: object): void {
  sendJson(response, 200, jsonOf(output))
}

/** Answers with text that is JSON already. */
export function sendJson(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const isUnread = hasBody(response.req) && !response.req.complete
  if (isUnread) response.setHeader('Connection', 'close')
  response.writeHead(status, {
    ...COMMON_HEADERS,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
    ...headers,
  })
  if (isUnread) leaveUnread(response, text)
  else response.end(text)
}

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/**
 * Answers a request whose body is not needed, and ends the connection. Not at once: that would reset the connection of
 * a client that is still writing, which might then never see the answer. The rest of the body is read and dropped, up
 * to a limit.
 */
function leaveUnread(response: ServerResponse, text: string): void {
  const { req } = response
  const close = (): void => void response.destroy()
  const pause = setTimeout(close, PAUSE_MS).unref()
  setTimeout(close, DROPPING_MS).unref()
  let dropped = 0
  req.on('data', (part: Uint8Array) => {
    dropped += part.length
    if (dropped <= MOST_DROPPED) pause.refresh()
    else req.pause()
  })
  req.once('end', close)
  req.resume()
  response.write(text, () => response.socket?.end())
}

/** The same for bytes that are no request, so that there is only a socket to answer on. */
export function sendRaw(socket: Duplex, { status, error }: HttpProblem): void {
  const text = jsonOf({ error })
  const headers = {
    ...COMMON_HEADERS,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
    Connection: 'close',
  }
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...head, '', text].join('\r\n'))
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}
