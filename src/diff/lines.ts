/**
 * What changed between two texts, line by line.
 *
 * Lines are bytes: a line is everything up to and including its LF, so CRLF, NUL and a last line without LF need no
 * special case. Replacing the old lines of every change by its new ones gives the new text, byte for byte. The result
 * is nearly always the shortest one, and the one git gives.
 */

import { type Above, commonBytes, linesDown, linesIn, linesUp, readAbove } from './common-ends.ts'
import { matchLines } from './match.ts'
import { type Placing, slide } from './slide.ts'
import { type CommonLines, commonLines, type Lines, lineCount, numbering, splitLines } from './split.ts'

/** Old lines `oldStart` to `oldEnd` became new lines `newStart` to `newEnd`; counted from 0, ends excluded. */
export interface LineChange {
  readonly oldStart: number
  readonly oldEnd: number
  readonly newStart: number
  readonly newEnd: number
}

/** Changes are in order, with at least one unchanged line between two of them. */
export interface LineDiff {
  readonly old: Lines
  readonly new: Lines
  readonly changes: readonly LineChange[]
}

export function diffLines(before: Uint8Array, after: Uint8Array, placing: Placing = 'boundary'): LineDiff {
  const inside = diffInside(before, after, placing)
  if (inside === undefined) return diffWhole(before, after, placing)
  const { diff, above } = inside
  const changes = diff.changes.map(({ oldStart, oldEnd, newStart, newEnd }) => ({
    oldStart: oldStart + above.lines,
    oldEnd: oldEnd + above.lines,
    newStart: newStart + above.lines,
    newEnd: newEnd + above.lines,
  }))
  return { old: splitLines(before), new: splitLines(after), changes }
}

/** Without a shortcut: compares every line of both. */
export function diffWhole(before: Uint8Array, after: Uint8Array, placing: Placing = 'boundary'): LineDiff {
  const [old, current] = [splitLines(before), splitLines(after)]
  return { old, new: current, changes: changesOf(old, current, placing) }
}

/** With this many common lines at the ends, it pays to leave most of them out. */
const MANY_IN_COMMON = 2000
/** How many of them are kept: a change may be slid into them, and depends on its neighbours. */
const MARGIN = 200
/** The fewest unchanged lines between a change and a cut. */
export const NEIGHBOURS = 50

/** The part in which two texts differ, with some of the common lines before and after it. */
export interface Inside {
  /** Lines are counted from the first one that is left. */
  readonly diff: LineDiff
  readonly above: Above
}

/**
 * The changes, found without most of the common ends; undefined when that does not pay, or a change is too near to a
 * cut.
 */
export function diffInside(a: Uint8Array, b: Uint8Array, placing: Placing = 'boundary'): Inside | undefined {
  const common = commonBytes(a, b)
  const start = linesUp(a, common.start, MARGIN)
  const above = readAbove(a, start)
  const missing = MANY_IN_COMMON - above.lines - linesIn(a, start, common.start, MARGIN)
  if (missing > 0 && linesIn(a, a.length - common.end, a.length, missing) < missing) return undefined
  const end = a.length - linesDown(a, a.length - common.end, MARGIN)
  const [old, current] = [splitLines(a, start, a.length - end), splitLines(b, start, b.length - end)]
  const changes = changesOf(old, current, placing)
  const [first, last] = [changes[0], changes.at(-1)]
  if (first && start > 0 && Math.min(first.oldStart, first.newStart) < NEIGHBOURS) return undefined
  if (last && end > 0 && lineCount(old) - last.oldEnd < NEIGHBOURS) return undefined
  return { diff: { old, new: current, changes }, above }
}

function changesOf(a: Lines, b: Lines, placing: Placing): LineChange[] {
  const [idsA, idsB] = numbersOf(a, b, commonLines(a, b))
  const [changedA, changedB] = matchLines(idsA, idsB)
  const sideA = { lines: a, ids: idsA, changed: changedA }
  const sideB = { lines: b, ids: idsB, changed: changedB }
  slide(sideA, sideB, placing)
  slide(sideB, sideA, placing)
  return changesFrom(changedA, changedB)
}

/** Lines of the common ends get the numbers that they have in the old text: in a small edit most lines do. */
function numbersOf(a: Lines, b: Lines, { start, end }: CommonLines): [Int32Array, Int32Array] {
  const [countA, countB] = [lineCount(a), lineCount(b)]
  const numberLines = numbering(countA + countB - start - end)
  const idsA = numberLines(a, 0, countA)
  const idsB = new Int32Array(countB)
  idsB.set(idsA.subarray(0, start))
  idsB.set(numberLines(b, start, countB - end), start)
  idsB.set(idsA.subarray(countA - end), countB - end)
  return [idsA, idsB]
}

function changesFrom(oldChanged: Uint8Array, newChanged: Uint8Array): LineChange[] {
  const changes: LineChange[] = []
  for (let i = 0, j = 0; i < oldChanged.length || j < newChanged.length; i++, j++) {
    const [oldStart, newStart] = [i, j]
    while (oldChanged[i]) i++
    while (newChanged[j]) j++
    if (i > oldStart || j > newStart) changes.push({ oldStart, oldEnd: i, newStart, newEnd: j })
  }
  return changes
}
