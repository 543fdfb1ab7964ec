/** How each kind of fault appears on each surface, and the helper from which the fault tables are built. */

export const KINDS = {
  usage: { exit: 2, http: 400, retry: false },
  missing: { exit: 3, http: 404, retry: false },
  conflict: { exit: 4, http: 409, retry: false },
  busy: { exit: 5, http: 503, retry: true },
  corrupt: { exit: 20, http: 500, retry: false },
  /** The caller asked to stop, and the command stopped; 128 + SIGINT, as in shells. */
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
