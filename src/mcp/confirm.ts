/** How long somebody may think before confirming. */
const VALID_MS = 10 * 60_000
/** More are never open at once: the oldest gives way. */
const MOST = 200
/** Nobody reads a question and closes it so soon: there was nobody. */
const TOO_SOON_MS = 500

export interface ConfirmContext {
  readonly now: () => number
  readonly newToken: () => string
}

/** Tokens that stand for one call with one set of arguments and the plan that was shown, and count once. */
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

  /** Whether the question that goes with this token was put just now: whatever closed it was no person. */
  isFresh(token: string): boolean {
    const found = this.#open.get(token)
    return found !== undefined && this.#ctx.now() - (found.until - VALID_MS) < TOO_SOON_MS
  }

  /**
   * The plan that was shown with the token, if it was given for exactly this call and not long ago. Whatever the answer, the
   * token is used up.
   */
  redeem(token: string, call: string): string | undefined {
    const found = this.#open.get(token)
    this.#open.delete(token)
    return found?.call === call && this.#ctx.now() < found.until ? found.plan : undefined
  }
}

/** A call as one text: the same for the same arguments, in whatever order they come. */
export const callText = (tool: string, input: object): string => `${tool} ${JSON.stringify(sorted(input))}`

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const pairs = Object.entries(value).map(([key, inner]): [string, unknown] => [key, sorted(inner)])
  return Object.fromEntries(pairs.sort(([a], [b]) => (a < b ? -1 : 1)))
}
