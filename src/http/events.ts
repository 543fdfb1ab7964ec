import type { ServerResponse } from 'node:http'
import { COMMON_HEADERS } from './answer.ts'
import type { ApiEvent, ApiServices, Limits } from './api.ts'

/** Sends server-sent events until the client disconnects or falls too far behind. */
export function streamEvents(rooms: ApiServices, response: ServerResponse, limits: Limits): void {
  const send = (text: string): void => {
    if (response.destroyed) return
    response.write(text)
    // A disconnected reader reconnects with the last id it received; waiting for a slow one would take unbounded
    // memory.
    if (response.writableLength > limits.backlogBytes) response.destroy()
  }
  response.writeHead(200, { ...COMMON_HEADERS, 'Content-Type': 'text/event-stream' })
  send(': open\n\n')
  const stop = rooms.subscribe((event) => send(encodeEvent(event)), lastSeen(response.req.headers['last-event-id']))
  const heartbeat = setInterval(() => send(': still here\n\n'), limits.heartbeatMs).unref()
  response.once('close', () => {
    clearInterval(heartbeat)
    stop()
  })
}

export const encodeEvent = ({ id, type, data }: ApiEvent): string =>
  `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`

/** An id that this server cannot have sent is ignored. */
export const lastSeen = (header: string | string[] | undefined): number | undefined =>
  typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : undefined
