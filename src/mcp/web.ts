import type { IncomingMessage, ServerResponse } from 'node:http'

/** Converts between Node's requests and the web requests that the protocol's library takes. */

/** The whole body; undefined when it is larger than `limit`. */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > limit) return undefined
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += part.length
    if (size > limit) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/** The request for the library. Its signal fires when the client disconnects before the answer is complete. */
export function webRequest(request: IncomingMessage, response: ServerResponse, body: Buffer | undefined): Request {
  const gone = new AbortController()
  response.once('close', () => !response.writableFinished && gone.abort())
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers))
    for (const one of [value ?? []].flat()) headers.append(name, one)
  return new Request(`http://127.0.0.1${request.url ?? '/'}`, {
    method: request.method ?? 'GET',
    headers,
    signal: gone.signal,
    ...(body === undefined || body.length === 0 ? {} : { body: new Uint8Array(body) }),
  })
}

/** Writes the library's answer as it arrives. */
export async function sendResponse(response: ServerResponse, answer: Response): Promise<void> {
  response.writeHead(answer.status, {
    ...Object.fromEntries(answer.headers),
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
  })
  const reader = answer.body?.getReader()
  response.once('close', () => void reader?.cancel().catch(() => {}))
  // So that a client that opens an event stream sees at once that it is accepted.
  response.flushHeaders()
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) response.write(part.value)
  response.end()
}
