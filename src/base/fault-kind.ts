/** How a kind of fault shows on each surface, and what the table of faults is made of. */

export const KINDS = {
  usage: { exit: 2, http: 400, retry: false },
  missing: { exit: 3, http: 404, retry: false },
  conflict: { exit: 4, http: 409, retry: false },
  busy: { exit: 5, http: 503, retry: true },
  corrupt: { exit: 20, http: 500, retry: false },
  /** The caller asked to stop, and it stopped; 128 + SIGINT, as shells have it. */
  cancelled: { exit: 130, http: 499, retry: true },
  bug: { exit: 70, http: 500, retry: false },
} as const
export type FaultKind = keyof typeof KINDS

export interface FaultSpec<D> {
  readonly kind: FaultKind
  readonly message: (data: D) => string
  readonly hint?: (data: D) => string | undefined
}
export const fault = <D>(spec: FaultSpec<D>): FaultSpec<D> => spec
