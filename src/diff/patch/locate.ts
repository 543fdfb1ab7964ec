import { type Lines, lineCount } from '../split.ts'
import type { PatchHunk } from './patch.ts'

/** The lines that a hunk expects, and where. */
export interface ExpectedLines {
  readonly lines: readonly Uint8Array[]
  /** Counted from 0. */
  readonly start: number
  /** The hunk must begin at the beginning of the file, or end at its end. */
  readonly fromTop: boolean
  readonly toBottom: boolean
}

/**
 * What `hunk` expects in the old file. As in `git apply`, a hunk at line 1 is at the beginning, and one without context
 * lines below is at the end; `zeroContext` is for diffs without any context lines.
 */
export function expectedBy(hunk: PatchHunk, zeroContext: boolean): ExpectedLines {
  const lines = hunk.lines.flatMap(({ mark, bytes }) => (mark === '+' ? [] : [bytes]))
  return {
    lines,
    start: lines.length === 0 ? hunk.oldStart : hunk.oldStart - 1,
    fromTop: zeroContext ? hunk.oldStart === 0 : hunk.oldStart <= 1,
    toBottom: !zeroContext && hunk.lines.at(-1)?.mark !== ' ',
  }
}

export interface HunkMatch {
  readonly at: number
  /** Other matching places, counted from 0; searched for only when the hunk is not at the line it names. */
  readonly others: readonly number[]
}

/** Where the expected lines are, from line `floor` on: at the named line, or nearest to it. */
export function locate(file: Lines, expected: ExpectedLines, floor: number, carried: number): HunkMatch | undefined {
  const fits = (at: number): boolean => at >= floor && isPlaceFor(file, expected, at)
  if (fits(expected.start + carried)) return { at: expected.start + carried, others: [] }
  if (expected.lines.length === 0) return undefined
  const places: number[] = []
  for (let at = floor; at + expected.lines.length <= lineCount(file); at++) if (fits(at)) places.push(at)
  const away = (at: number): number => Math.abs(at - expected.start - carried)
  places.sort((a, b) => away(a) - away(b))
  const [at, ...others] = places
  return at === undefined ? undefined : { at, others }
}

/** Whether the expected lines are at `at`. */
export function isPlaceFor(file: Lines, expected: ExpectedLines, at: number): boolean {
  const { lines, fromTop, toBottom } = expected
  const end = at + lines.length
  if (at < 0 || end > lineCount(file)) return false
  if ((fromTop && at !== 0) || (toBottom && end !== lineCount(file))) return false
  return lines.every((line, i) => isLine(file, at + i, line))
}

/** Whether line `i` is exactly this one. */
export function isLine({ bytes, bounds }: Lines, i: number, line: Uint8Array): boolean {
  const start = bounds[i]!
  if (bounds[i + 1]! - start !== line.length) return false
  for (let n = 0; n < line.length; n++) if (bytes[start + n] !== line[n]) return false
  return true
}
