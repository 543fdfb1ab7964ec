/** How long a person has to confirm. */
const VALID_MS = 10 * 60_000
/** At most this many tokens are open at once; the oldest is dropped. */
const MOST = 200
/** No person reads a question and closes it this fast: the client closed it without showing it. */
const TOO_SOON_MS = 500

export interface ConfirmContext {
  readonly now: () => number
  readonly newToken: () => string
}

/** Each token confirms one call, with one set of arguments and the plan that was shown, and can be used once. */
export class Confirmations {
  readonly #ctx: ConfirmContext
  readonly #open = new Map<string, { readonly call: string; readonly plan: string; readonly until: number }>()

  constructor(ctx: ConfirmContext) {
    this.#ctx = ctx
  }

  /** A token for exactly this call and this plan. */
  open(call: string, plan: string): string {
    const [oldest] = this.#open.keys()
    if (oldest !== undefined && this.#open.size >= MOST) this.#open.delete(oldest)
    const token = this.#ctx.newToken()
    this.#open.set(token, { call, plan, until: this.#ctx.now() + VALID_MS })
    return token
  }

  /** Whether the question of this token was asked so recently that no person can have closed it. */
  isFresh(token: string): boolean {
    const found = this.#open.get(token)
    return found !== undefined && this.#ctx.now() - (found.until - VALID_MS) < TOO_SOON_MS
  }

  /**
   * The plan that was shown with the token, if the token is for exactly this call and has not expired. In any case the
   * token cannot be used again.
   */
  redeem(token: string, call: string): string | undefined {
    const found = this.#open.get(token)
    this.#open.delete(token)
    return found?.call === call && this.#ctx.now() < found.until ? found.plan : undefined
  }
}

/** A call as text: equal for equal arguments, whatever the order of their keys. */
export const callText = (tool: string, input: object): string => `${tool} ${JSON.stringify(sorted(input))}`

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const pairs = Object.entries(value).map(([key, inner]): [string, unknown] => [key, sorted(inner)])
  return Object.fromEntries(pairs.sort(([a], [b]) => (a < b ? -1 : 1)))
}
