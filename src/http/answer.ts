import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Problem } from './refusal.ts'

/** How answers are written. No header ever allows another origin to read them. */

export const COMMON_HEADERS = { 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' } as const

/** How long a client that is refused in the middle of its request has to read why. */
const LINGER_MS = 500

const jsonOf = (value: object): string => `${JSON.stringify(value)}\n`

export function sendProblem(response: ServerResponse, problem: Problem): void {
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
 * Answers a request whose body nobody will read, and ends the connection. Not at once: that would reset it under a
 * client that is still writing, which might then never see the answer.
 */
function leaveUnread(response: ServerResponse, text: string): void {
  response.req.pause()
  response.write(text, () => response.socket?.end())
  setTimeout(() => response.destroy(), LINGER_MS).unref()
}

/** The same for what is no request at all, so that there is nothing to respond to but a socket. */
export function sendRaw(socket: Duplex, { status, error }: Problem): void {
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
