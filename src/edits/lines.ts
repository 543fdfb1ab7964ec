/**
 * What changed between two texts, line by line.
 *
 * Lines are bytes: a line is everything up to and including its LF, so CRLF, NUL and a last line
 * without LF are ordinary. Replacing the old lines of every change by its new ones gives the new
 * text, byte for byte. The answer is nearly always the shortest one, and the one git gives.
 */

import { matchLines } from './match.ts'
import { type Placing, slide } from './slide.ts'
import { commonLines, type Lines, lineCount, numbering, splitLines } from './split.ts'

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
  const [a, b] = [splitLines(before), splitLines(after)]
  const [idsA, idsB] = numbersOf(a, b)
  const [changedA, changedB] = matchLines(idsA, idsB)
  const sideA = { lines: a, ids: idsA, changed: changedA }
  const sideB = { lines: b, ids: idsB, changed: changedB }
  slide(sideA, sideB, placing)
  slide(sideB, sideA, placing)
  return { old: a, new: b, changes: changesFrom(changedA, changedB) }
}

/** Lines of the common beginning and end have the numbers they have in the old text: of a small edit most have. */
function numbersOf(a: Lines, b: Lines): [Int32Array, Int32Array] {
  const [countA, countB] = [lineCount(a), lineCount(b)]
  const { start, end } = commonLines(a, b)
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
