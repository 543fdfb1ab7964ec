/** Ill-formed text with a lone surrogate, as `"\ud800"` in JSON: no file and no database can hold it. */

type Place = readonly (string | number)[]

/**
 * The position of the first ill-formed text in a value, keys included; undefined when there is none. Works at any
 * depth.
 */
export function illFormedAt(value: unknown): Place | undefined {
  const waiting: { readonly value: unknown; readonly at: Place }[] = [{ value, at: [] }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { at } = next
    if (typeof next.value === 'string' && !next.value.isWellFormed()) return at
    if (typeof next.value !== 'object' || next.value === null || ArrayBuffer.isView(next.value)) continue
    for (const [key, inner] of Object.entries(next.value)) {
      if (!key.isWellFormed()) return [...at, key.toWellFormed()]
      // A longer position does not help a reader, and copying it at each depth would take too long.
      waiting.push({ value: inner, at: at.length < MOST_NAMED ? [...at, key] : at })
    }
  }
  return undefined
}

const MOST_NAMED = 8
/** Values that are nested deeper are left out. */
const DEEPEST = 200

/** The same value with a replacement character for each lone surrogate. */
export function wellFormed(value: unknown, depth = 0): unknown {
  if (depth > DEEPEST) return undefined
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) return value.map((inner) => wellFormed(inner, depth + 1))
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key.toWellFormed(), wellFormed(inner, depth + 1)]),
  )
}
