import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Listener } from './api.ts'
import type { RefusalCode } from './refusal.ts'

/** What of a request the door looks at: all of it is known before the body is read. */
export interface RequestFacts {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
}

/** Why a request may not come in; undefined when it may. */
export function checkRequest(door: Listener, visit: RequestFacts): RefusalCode | undefined {
  const { host, origin, 'sec-fetch-site': site } = visit.headers
  // Permissions guard the socket. A browser cannot open it, so whoever sends an origin was talked into it.
  if (door.kind === 'socket') return origin === undefined ? undefined : 'ORIGIN_REFUSED'
  const hosts = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${door.port()}`)
  // A page can make its own name resolve to 127.0.0.1 and is then of the same origin; its name is in Host all the same.
  if (host === undefined || !hosts.includes(host.toLowerCase())) return 'HOST_REFUSED'
  if (origin !== undefined && !hosts.some((name) => origin === `http://${name}`)) return 'ORIGIN_REFUSED'
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return 'SITE_REFUSED'
  return isSame(tokenOf(visit), door.token) ? undefined : 'TOKEN_REFUSED'
}

/**
 * The token a request shows. In the address for events alone: a browser's EventSource cannot set headers. Nowhere else,
 * because addresses end up in histories and logs.
 */
function tokenOf({ method, path, query, headers }: RequestFacts): string {
  if (headers.authorization !== undefined) return /^Bearer +(\S+)$/i.exec(headers.authorization)?.[1] ?? ''
  return method === 'GET' && path === '/v1/events' ? (query.get('token') ?? '') : ''
}

/** Takes as long for a wrong token as for the right one, whatever their lengths. No token is never the right one. */
export const isSame = (shown: string, token: string): boolean =>
  timingSafeEqual(digest(shown), digest(token)) && token.length > 0

const digest = (text: string): Buffer => hash('sha256', text, 'buffer')
