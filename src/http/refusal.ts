import { asFault, KINDS } from '../base/fault.ts'
import { LIMITS } from './api.ts'

type Headers = Readonly<Record<string, string>>
interface RefusalSpec {
  readonly status: number
  readonly message: string
  readonly hint?: string
  readonly headers?: Headers
}

/** Refusals of the server itself, before any tool runs. For a client they have the form of a fault. */
const REFUSALS = {
  HOST_REFUSED: {
    status: 421,
    message: 'The Host header does not name this server.',
    hint: 'Use 127.0.0.1, localhost or [::1] with the port of the server.',
  },
  ORIGIN_REFUSED: { status: 403, message: 'Requests from this origin are refused.' },
  SITE_REFUSED: { status: 403, message: 'Requests from pages of other sites are refused.' },
  TOKEN_REFUSED: {
    status: 401,
    message: 'The token is missing or wrong.',
    hint: 'Send it as: Authorization: Bearer TOKEN',
    headers: { 'WWW-Authenticate': 'Bearer' },
  },
  ROUTE_UNKNOWN: { status: 404, message: 'There is nothing at this address.', hint: 'See: GET /v1/openapi.json' },
  METHOD_REFUSED: { status: 405, message: 'This address takes another method.', hint: 'See: GET /v1/openapi.json' },
  REQUEST_TIMEOUT: { status: 408, message: 'The request did not arrive in time.', hint: 'Repeat it.' },
  BODY_TOO_LARGE: { status: 413, message: 'The body is too large.', hint: `It may have ${LIMITS.bodyBytes} bytes.` },
  BODY_NOT_JSON: {
    status: 415,
    message: 'The body must be JSON.',
    hint: 'Send it with: Content-Type: application/json',
  },
  HEADERS_TOO_LARGE: { status: 431, message: 'The headers of the request are too large.' },
  REQUEST_BAD: { status: 400, message: 'This is not an HTTP request.' },
} as const satisfies Record<string, RefusalSpec>
export type RefusalCode = keyof typeof REFUSALS

/** All that a client gets to know about a failure. */
export interface HttpProblem {
  readonly status: number
  readonly headers: Headers
  readonly error: object
}

export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly problem: HttpProblem

  constructor(code: RefusalCode, headers: Headers = {}) {
    const spec: RefusalSpec = REFUSALS[code]
    super(spec.message)
    const error = { code, message: spec.message, hint: spec.hint ?? null, data: {} }
    this.problem = { status: spec.status, headers: { ...spec.headers, ...headers }, error }
  }
}

/** Any thrown value in the form for clients. */
export function problemOf(thrown: unknown): HttpProblem {
  if (thrown instanceof Refusal) return thrown.problem
  const fault = asFault(thrown)
  return {
    status: KINDS[fault.kind].http,
    headers: KINDS[fault.kind].retry ? { 'Retry-After': '1' } : {},
    error: fault,
  }
}

/** The answer when the daemon declines a command; the client must run it. */
export const declined = (status: number, message: string): HttpProblem => ({
  status,
  headers: {},
  error: { code: 'COMMAND_DECLINED', message, hint: 'Run the command without the daemon.', data: {} },
})
