import type { Fault } from './fault.ts'

/** A state machine is a table: state → event → next state. */
export type Table<S extends string, E extends string> = { readonly [K in S]: { readonly [V in E]?: S } }

/** The state after `event`; the refusal is told what would have been allowed. */
export function next<S extends string, E extends string>(
  table: Table<S, E>,
  state: S,
  event: E,
  refuse: (allowed: readonly E[]) => Fault,
): S {
  const to = table[state][event]
  if (to === undefined) throw refuse(Object.keys(table[state]) as E[])
  return to
}
