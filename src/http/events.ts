import type { ServerResponse } from 'node:http'
import { COMMON_HEADERS } from './answer.ts'
import type { ApiEvent, ApiServices, Limits } from './api.ts'

/** Server-sent events, until the client goes away or falls too far behind. */
export function streamEvents(rooms: ApiServices, response: ServerResponse, limits: Limits): void {
  const send = (text: string): void => {
    if (response.destroyed) return
    response.write(text)
    // A reader that is cut off comes back with the last id it saw; one that is waited for costs memory without end.
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

/** An id that is none of ours is as good as none. */
export const lastSeen = (header: string | string[] | undefined): number | undefined =>
  typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : undefined
