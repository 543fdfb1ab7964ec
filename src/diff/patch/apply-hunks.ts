import { Fault } from '../../base/fault.ts'
import { ByteSink } from '../byte-sink.ts'
import { type Lines, lineAt, lineCount, splitLines } from '../split.ts'
import { type ExpectedLines, expectedBy, type HunkMatch, isLine, isPlaceFor, locate } from './locate.ts'
import { endsInNewline, type PatchHunk } from './patch.ts'
import { reverseHunk } from './reverse.ts'

export interface ApplyOptions {
  /** Only at the lines that the hunks name, without an offset. */
  readonly exact?: boolean
  /** The diff was made without context lines (`-U0`), so their absence means nothing. */
  readonly zeroContext?: boolean
}

/** A hunk that was not applied at the line it names. */
export interface HunkOffset {
  readonly path: string
  /** Which hunk of the file, counted from 1. */
  readonly hunk: number
  /** The line of the old file at which it was applied, counted from 1. */
  readonly line: number
  /** How many lines below the one it names. */
  readonly offset: number
  /** Other lines at which it would have matched. */
  readonly others: readonly number[]
}

export interface Patched {
  readonly bytes: Uint8Array
  readonly offsets: readonly HunkOffset[]
}

/**
 * Applies every hunk completely and in order, each where all its old lines match, byte for byte. Throws
 * `PATCH_MISMATCH`.
 */
export function applyHunks(
  path: string,
  bytes: Uint8Array,
  hunks: readonly PatchHunk[],
  { exact = false, zeroContext = false }: ApplyOptions = {},
): Patched {
  const file = splitLines(bytes)
  const out = new ByteSink()
  const offsets: HunkOffset[] = []
  let [done, carried] = [0, 0]
  for (const [i, hunk] of hunks.entries()) {
    const expected = expectedBy(hunk, zeroContext)
    const place = exact ? locateExactly(file, expected, done) : locate(file, expected, done, carried)
    const where = { path, file, hunk, number: i + 1 }
    if (!place) throw mismatchAt(where, expected, expected.start + carried)
    out.addRange(bytes, file.bounds[done]!, file.bounds[place.at]!)
    done = place.at + expected.lines.length
    refuseJoin(where, expected, done)
    for (const line of hunk.lines) if (line.mark !== '-') out.add(line.bytes)
    carried = place.at - expected.start
    if (carried !== 0) offsets.push(offsetOf(path, i, place, carried))
  }
  out.addRange(bytes, file.bounds[done]!, bytes.length)
  return { bytes: out.bytes(), offsets }
}

const locateExactly = (file: Lines, expected: ExpectedLines, floor: number): HunkMatch | undefined =>
  expected.start >= floor && isPlaceFor(file, expected, expected.start) ? { at: expected.start, others: [] } : undefined

const offsetOf = (path: string, i: number, { at, others }: HunkMatch, offset: number): HunkOffset => ({
  path,
  hunk: i + 1,
  line: at + 1,
  offset,
  others: others.map((other) => other + 1),
})

interface Where {
  readonly path: string
  readonly file: Lines
  readonly hunk: PatchHunk
  /** Counted from 1. */
  readonly number: number
}

/** A line without a line end must stay the last one: nothing may be joined to it. */
function refuseJoin(where: Where, expected: ExpectedLines, end: number): void {
  const { file, hunk, number } = where
  const last = hunk.lines.findLast(({ mark }) => mark !== '-')
  const more = lineCount(file) - end
  if (more > 0 && last && !endsInNewline(last.bytes))
    throw mismatch(where, `hunk ${number} ends the file, but ${more} more lines follow`)
  const unended = end > 0 && more === 0 && expected.lines.length === 0 && !endsInNewline(lineAt(file, end - 1))
  if (unended && last) throw mismatch(where, `hunk ${number} adds lines behind one without line end`)
}

/** Describes the difference at the place where the hunk should be. */
function mismatchAt(where: Where, expected: ExpectedLines, start: number): Fault<'PATCH_MISMATCH'> {
  const { file, number } = where
  const total = lineCount(file)
  const i = expected.lines.findIndex((line, n) => start + n < 0 || start + n >= total || !isLine(file, start + n, line))
  if (i === -1) return mismatch(where, anchorProblem(where, expected, start))
  const [line, wanted] = [start + i + 1, expected.lines[i]!]
  if (line < 1 || line > total)
    return mismatch(where, `hunk ${number} expects ${shown(wanted)} in line ${line}, but there are ${total} lines`, {
      expected: textOf(wanted),
    })
  const present = lineAt(file, line - 1)
  return mismatch(where, `hunk ${number} expects ${shown(wanted)} in line ${line}, which is ${shown(present)}`, {
    line,
    expected: textOf(wanted),
    found: textOf(present),
  })
}

/** All lines match, but the hunk must be at an end of the file, or overlaps another hunk. */
function anchorProblem({ file, number }: Where, { lines, fromTop, toBottom }: ExpectedLines, start: number): string {
  const more = lineCount(file) - start - lines.length
  if (toBottom && more > 0)
    return `hunk ${number} has no unchanged lines at its end and so ends the file, but ${more} more lines follow`
  if (fromTop && start > 0) return `hunk ${number} is the beginning of the file, but ${start} lines come before it`
  return more < 0
    ? `hunk ${number} is at line ${start}, but there are ${lineCount(file)} lines`
    : `hunk ${number} is not where it says`
}

type Details = Partial<Fault<'PATCH_MISMATCH'>['data']>

function mismatch(
  { path, file, hunk, number }: Where,
  problem: string,
  details: Details = {},
): Fault<'PATCH_MISMATCH'> {
  const after = expectedBy(reverseHunk(hunk), false)
  const already = isPlaceFor(file, after, after.start)
  const nothing = { line: null, expected: null, found: null }
  return new Fault('PATCH_MISMATCH', { path, problem, hunk: number, ...nothing, already, ...details })
}

const SHOWN_AT_MOST = 200
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

const textOf = (line: Uint8Array): string => decoder.decode(line.subarray(0, SHOWN_AT_MOST))

/** With its line end, so that a missing or different one is visible. */
const shown = (line: Uint8Array): string => JSON.stringify(textOf(line))
