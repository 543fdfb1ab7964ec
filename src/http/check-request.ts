import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Listener } from './api.ts'
import type { RefusalCode } from './refusal.ts'

/** The facts by which a request is admitted: all are known before the body is read. */
export interface RequestFacts {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
}

/** Why a request is refused; undefined when it is admitted. */
export function checkRequest(door: Listener, visit: RequestFacts): RefusalCode | undefined {
  const { host, origin, 'sec-fetch-site': site } = visit.headers
  // Permissions protect the socket. A browser cannot open it, so a request with an Origin was forwarded for a page.
  if (door.kind === 'socket') return origin === undefined ? undefined : 'ORIGIN_REFUSED'
  const hosts = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${door.port()}`)
  // A page can make its own host name resolve to 127.0.0.1 and has then the same origin; but Host still has its name.
  if (host === undefined || !hosts.includes(host.toLowerCase())) return 'HOST_REFUSED'
  if (origin !== undefined && !hosts.some((name) => origin === `http://${name}`)) return 'ORIGIN_REFUSED'
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return 'SITE_REFUSED'
  return isSame(tokenOf(visit), door.token) ? undefined : 'TOKEN_REFUSED'
}

/**
 * The token that a request sends. Only for events it may be in the URL, because a browser's EventSource cannot set
 * headers. Nowhere else, because URLs end up in histories and logs.
 */
function tokenOf({ method, path, query, headers }: RequestFacts): string {
  if (headers.authorization !== undefined) return /^Bearer +(\S+)$/i.exec(headers.authorization)?.[1] ?? ''
  return method === 'GET' && path === '/v1/events' ? (query.get('token') ?? '') : ''
}

/** Takes the same time for a wrong token as for the right one, whatever their lengths. An empty token never matches. */
export const isSame = (shown: string, token: string): boolean =>
  timingSafeEqual(digest(shown), digest(token)) && token.length > 0

const digest = (text: string): Buffer => hash('sha256', text, 'buffer')
