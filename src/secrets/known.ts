import type { Range } from './range.ts'

/** Values that are secret because the caller declared them, prepared for the search. */
export interface KnownSecrets {
  readonly pattern: RegExp
}

const SHORTEST = 6
const ready = new WeakMap<readonly string[], KnownSecrets | undefined>()

/**
 * The values in every form that a text may have them: plain, in JSON, in an address, in base64. Cached as long as the
 * list exists.
 */
export function knownOf(values: readonly string[] | undefined): KnownSecrets | undefined {
  if (values === undefined || values.length === 0) return undefined
  if (!ready.has(values)) ready.set(values, make(values))
  return ready.get(values)
}

function make(values: readonly string[]): KnownSecrets | undefined {
  const forms = new Set(values.filter((value) => value.length >= SHORTEST).flatMap(formsOf))
  if (forms.size === 0) return undefined
  const sorted = [...forms].sort((a, b) => b.length - a.length)
  return { pattern: new RegExp(sorted.map(escaped).join('|'), 'g') }
}

function formsOf(value: string): string[] {
  const quoted = JSON.stringify(value).slice(1, -1)
  const base64 = Buffer.from(value).toString('base64')
  return [value, quoted, JSON.stringify(quoted).slice(1, -1), percent(value), base64, base64.replace(/=+$/, () => '')]
}

const percent = (value: string): string => (value.isWellFormed() ? encodeURIComponent(value) : value)

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, (char) => `\\${char}`)

export function findKnown(text: string, { pattern }: KnownSecrets, into: Range[]): void {
  for (const found of text.matchAll(pattern)) into.push({ start: found.index, end: found.index + found[0].length })
}
