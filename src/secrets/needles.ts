/** Tells whether a text contains a word. */
export type HasWord = (needle: string) => boolean

const SHORT = 300
const SIZE = 1 << 16

/**
 * Searches one text for many words. A search takes time in proportion to the text, so for a long text it first collects
 * the trigrams: most words have one that is not in the text.
 */
export function holdsOf(text: string): HasWord {
  if (text.length < SHORT) return (needle) => text.includes(needle)
  const seen = new Uint8Array(SIZE)
  let before = text.charCodeAt(0)
  let last = text.charCodeAt(1)
  for (let at = 2; at < text.length; at++) {
    const next = text.charCodeAt(at)
    seen[placeOf(before, last, next)] = 1
    before = last
    last = next
  }
  return (needle) => isLikely(needle, seen) && text.includes(needle)
}

const placeOf = (a: number, b: number, c: number): number => (a * 1021 + b * 61 + c) & (SIZE - 1)

function isLikely(needle: string, seen: Uint8Array): boolean {
  for (let at = 2; at < needle.length; at++)
    if (!seen[placeOf(needle.charCodeAt(at - 2), needle.charCodeAt(at - 1), needle.charCodeAt(at))]) return false
  return true
}
