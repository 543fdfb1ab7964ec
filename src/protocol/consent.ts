import type { Reach, Spec } from './spec.ts'

/** When an agent's user is asked before a tool is called, as far as the tool's spec determines it. */

/**
 * `outside`: when a file that it names is outside the workspace. `person`: only the user can agree to what it changes.
 */
export type Asks = 'always' | 'person' | 'outside' | 'never'

export interface Reached {
  readonly field: string
  readonly reach: Reach
  readonly value: string
}

type Facts = Pick<Spec, 'effect' | 'confirm' | 'reaches' | 'needsPerson'>

export const reachesOf = ({ reaches = {} }: Facts): [string, Reach][] =>
  Object.entries(reaches).filter((pair): pair is [string, Reach] => pair[1] !== undefined)

/** For any possible input. */
export function asksOf(spec: Facts): Asks {
  if (spec.needsPerson) return 'person'
  const kinds = reachesOf(spec).map(([, reach]) => reach)
  if (isDangerous(spec) || kinds.some((kind) => kind !== 'reads')) return 'always'
  return kinds.length > 0 ? 'outside' : 'never'
}

const isDangerous = ({ effect, confirm }: Facts): boolean => effect === 'danger' && confirm !== false

/** Whether a confirmation token is not enough, because an agent could pass it on. */
export const needsPerson = (spec: Facts, input: Readonly<Record<string, unknown>>): boolean =>
  spec.needsPerson?.(input as never) ?? false

/** What this input reaches beyond the files of the workspace. */
export const reachedBy = (spec: Facts, input: Readonly<Record<string, unknown>>): Reached[] =>
  reachesOf(spec).flatMap(([field, reach]) => {
    const value = input[field]
    return typeof value === 'string' ? [{ field, reach, value }] : []
  })

/**
 * `isOutside` is whether a file to be read is outside the workspace. A folder to be written to always needs consent:
 * what is written there may be secret, and the settings no longer recognise it by its path.
 */
export function needsConsent(
  spec: Facts,
  input: Readonly<Record<string, unknown>>,
  isOutside: (file: string) => boolean,
): boolean {
  if (input['dry_run'] === true) return false
  if (spec.needsPerson) return needsPerson(spec, input)
  return isDangerous(spec) || reachedBy(spec, input).some(({ reach, value }) => reach !== 'reads' || isOutside(value))
}
