import { roughRoot, searchChanges } from './myers.ts'

/** A line that is this frequent in the other text hardly shows where it belongs. */
const FREQUENT_AT_MOST = 1024
/** How many neighbours of a frequent line are checked. */
const NEIGHBOURHOOD = 100

const LONE = 0
const USEFUL = 1
const FREQUENT = 2

/**
 * Marks with 1 the lines of each text that have no partner in the other; the unmarked ones are
 * the same sequence in both. Lines are given as numbers, equal for equal lines.
 *
 * Lines that cannot help are left out of the search: the common beginning and end, those the
 * other text does not have, and frequent ones among such. What remains is usually little.
 */
export function matchLines(a: Int32Array, b: Int32Array): [Uint8Array, Uint8Array] {
  const start = commonStart(a, b)
  const end = commonEnd(a, b, start)
  const [countA, countB] = [countsOf(a), countsOf(b)]
  const keptA = worthSearching(a, countB, start, a.length - end)
  const keptB = worthSearching(b, countA, start, b.length - end)
  const [markA, markB] = searchChanges(pick(a, keptA), pick(b, keptB))
  return [spread(markA, keptA, a.length, start, end), spread(markB, keptB, b.length, start, end)]
}

function commonStart(a: Int32Array, b: Int32Array): number {
  const most = Math.min(a.length, b.length)
  let n = 0
  while (n < most && a[n] === b[n]) n++
  return n
}

function commonEnd(a: Int32Array, b: Int32Array, start: number): number {
  const most = Math.min(a.length, b.length) - start
  let n = 0
  while (n < most && a[a.length - 1 - n] === b[b.length - 1 - n]) n++
  return n
}

// Plain loops below: `from`, `reduce` and `entries` on a typed array cost several times more, and there are many lines.

function countsOf(ids: Int32Array): Int32Array {
  let most = -1
  for (let i = 0; i < ids.length; i++) if (ids[i]! > most) most = ids[i]!
  const counts = new Int32Array(most + 1)
  for (let i = 0; i < ids.length; i++) counts[ids[i]!]!++
  return counts
}

function worthSearching(ids: Int32Array, inOther: Int32Array, start: number, end: number): Int32Array {
  const frequent = Math.min(FREQUENT_AT_MOST, roughRoot(ids.length))
  const kinds = new Uint8Array(end - start)
  for (let i = 0; i < kinds.length; i++) {
    const times = inOther[ids[start + i]!] ?? 0
    kinds[i] = times === 0 ? LONE : times >= frequent ? FREQUENT : USEFUL
  }
  const kept = new Int32Array(kinds.length)
  let count = 0
  for (let i = 0; i < kinds.length; i++)
    if (kinds[i] === USEFUL || (kinds[i] === FREQUENT && !amongLoners(kinds, i))) kept[count++] = start + i
  return kept.subarray(0, count)
}

/**
 * Whether there are lines without a partner on both sides of `i`, and they are more than three quarters of the
 * neighbourhood.
 */
function amongLoners(kinds: Uint8Array, i: number): boolean {
  const before = neighbours(kinds, i, -1)
  const behind = neighbours(kinds, i, 1)
  if (before.lone === 0 || behind.lone === 0) return false
  const frequent = before.frequent + behind.frequent + 2
  return frequent * 4 < frequent + before.lone + behind.lone
}

function neighbours(kinds: Uint8Array, i: number, step: 1 | -1): { lone: number; frequent: number } {
  const found = { lone: 0, frequent: 0 }
  for (let n = 1; n <= NEIGHBOURHOOD; n++) {
    const kind = kinds[i + n * step]
    if (kind === LONE) found.lone++
    else if (kind === FREQUENT) found.frequent++
    else break
  }
  return found
}

function pick(ids: Int32Array, kept: Int32Array): Int32Array {
  const picked = new Int32Array(kept.length)
  for (let i = 0; i < kept.length; i++) picked[i] = ids[kept[i]!]!
  return picked
}

/** Maps the marks of the searched lines back to their positions; between the common ends all other lines are marked. */
function spread(marks: Uint8Array, kept: Int32Array, length: number, start: number, end: number): Uint8Array {
  const changed = new Uint8Array(length).fill(1, start, length - end)
  for (let i = 0; i < kept.length; i++) changed[kept[i]!] = marks[i]!
  return changed
}
