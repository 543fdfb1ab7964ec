import type { Reach, Spec } from './spec.ts'

/** When the user of an agent is asked before a tool is called, as far as its spec says. */

/** `outside`: when a file that it names lies outside the workspace. `person`: only the user may agree to what it changes. */
export type Asks = 'always' | 'person' | 'outside' | 'never'

export interface Reached {
  readonly field: string
  readonly reach: Reach
  readonly value: string
}

type Facts = Pick<Spec, 'effect' | 'confirm' | 'reaches' | 'needsPerson'>

export const reachesOf = ({ reaches = {} }: Facts): [string, Reach][] =>
  Object.entries(reaches).filter((pair): pair is [string, Reach] => pair[1] !== undefined)

/** For any input that it may be called with. */
export function asksOf(spec: Facts): Asks {
  if (spec.needsPerson) return 'person'
  const kinds = reachesOf(spec).map(([, reach]) => reach)
  if (isDangerous(spec) || kinds.some((kind) => kind !== 'reads')) return 'always'
  return kinds.length > 0 ? 'outside' : 'never'
}

const isDangerous = ({ effect, confirm }: Facts): boolean => effect === 'danger' && confirm !== false

/** Whether a token that an agent could pass on is not enough. */
export const needsPerson = (spec: Facts, input: Readonly<Record<string, unknown>>): boolean =>
  spec.needsPerson?.(input as never) ?? false

/** What this input leads to beyond the files of the workspace. */
export const reachedBy = (spec: Facts, input: Readonly<Record<string, unknown>>): Reached[] =>
  reachesOf(spec).flatMap(([field, reach]) => {
    const value = input[field]
    return typeof value === 'string' ? [{ field, reach, value }] : []
  })

/**
 * `isOutside` says it of a file to be read. A folder to be written to is asked about wherever it is: what lands there may
 * be secret, and settings no longer know it by its path.
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
