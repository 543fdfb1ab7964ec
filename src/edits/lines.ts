/**
 * What changed between two texts, line by line.
 *
 * Lines are bytes: a line is everything up to and including its LF, so CRLF, NUL and a last line
 * without LF are ordinary. Replacing the old lines of every change by its new ones gives the new
 * text, byte for byte. The answer is nearly always the shortest one, and the one git gives.
 */

import { matchLines } from './match.ts'
import { type Placing, slide } from './slide.ts'
import { type Common, commonLines, type Lines, lineCount, linesFrom, numbering, splitLines } from './split.ts'

/** Old lines `oldStart` to `oldEnd` became new lines `newStart` to `newEnd`; counted from 0, ends excluded. */
export interface LineChange {
  readonly oldStart: number
  readonly oldEnd: number
  readonly newStart: number
  readonly newEnd: number
}

/** Changes are in order, and at least one unchanged line stands between two of them. */
export interface LineDiff {
  readonly old: Lines
  readonly new: Lines
  readonly changes: readonly LineChange[]
}

export function diffLines(before: Uint8Array, after: Uint8Array, placing: Placing = 'boundary'): LineDiff {
  const [old, current] = [splitLines(before), splitLines(after)]
  const common = commonLines(old, current)
  const changes = changesInside(old, current, common, placing) ?? changesOf(old, current, common, placing)
  return { old, new: current, changes }
}

/** With so many lines in common at the ends, it pays to leave most of them out. */
const MANY_IN_COMMON = 2000
/** So many of them are kept: a change may be slid among them, and looks at its neighbours. */
const MARGIN = 200
const NEIGHBOURS = 50

/** The changes, found without most of the common ends; undefined when that does not pay, or one came near to a cut. */
function changesInside(a: Lines, b: Lines, common: Common, placing: Placing): LineChange[] | undefined {
  if (common.start + common.end < MANY_IN_COMMON) return undefined
  const [above, below] = [Math.max(0, common.start - MARGIN), Math.max(0, common.end - MARGIN)]
  const [insideA, insideB] = [a, b].map((lines) => linesFrom(lines, above, lineCount(lines) - below)) as [Lines, Lines]
  const rest = { start: common.start - above, end: common.end - below }
  const changes = changesOf(insideA, insideB, rest, placing)
  const [first, last] = [changes[0], changes.at(-1)]
  if (first && above > 0 && Math.min(first.oldStart, first.newStart) < NEIGHBOURS) return undefined
  if (last && below > 0 && lineCount(insideA) - last.oldEnd < NEIGHBOURS) return undefined
  return changes.map(({ oldStart, oldEnd, newStart, newEnd }) => ({
    oldStart: oldStart + above,
    oldEnd: oldEnd + above,
    newStart: newStart + above,
    newEnd: newEnd + above,
  }))
}

function changesOf(a: Lines, b: Lines, common: Common, placing: Placing): LineChange[] {
  const [idsA, idsB] = numbersOf(a, b, common)
  const [changedA, changedB] = matchLines(idsA, idsB)
  const sideA = { lines: a, ids: idsA, changed: changedA }
  const sideB = { lines: b, ids: idsB, changed: changedB }
  slide(sideA, sideB, placing)
  slide(sideB, sideA, placing)
  return changesFrom(changedA, changedB)
}

/** Lines of the common beginning and end have the numbers they have in the old text: of a small edit most have. */
function numbersOf(a: Lines, b: Lines, { start, end }: Common): [Int32Array, Int32Array] {
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
