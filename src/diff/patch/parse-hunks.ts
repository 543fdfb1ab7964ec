import { endsInNewline, type PatchHunk, type PatchLine } from './patch.ts'
import type { PatchReader } from './patch-reader.ts'

const RANGES = /^@@ -(\d{1,10})(?:,(\d{1,10}))? \+(\d{1,10})(?:,(\d{1,10}))? @@/

interface Header {
  /** Its line, counted from 0. */
  readonly line: number
  readonly oldStart: number
  readonly oldCount: number
  readonly newStart: number
  readonly newCount: number
  readonly heading: Uint8Array
}

/** All hunks of a file; at least one. Their old lines do not overlap. */
export function readHunks(reader: PatchReader): PatchHunk[] {
  const hunks: PatchHunk[] = []
  if (!reader.sees('@@ ')) reader.fail('a hunk should begin here (@@ -1,3 +1,4 @@)')
  for (let end = 0; reader.sees('@@ '); ) {
    const header = readHeader(reader)
    const start = header.oldCount === 0 ? header.oldStart + 1 : header.oldStart
    if (start <= end) reader.fail(`the hunk begins before the end of the one above it, old line ${end}`, header.line)
    end = start + header.oldCount - 1
    hunks.push(readHunk(reader, header))
  }
  refuseExcess(reader)
  refuseLinesAfterLast(reader, hunks)
  return hunks
}

/** Whether the next line is the header of a hunk. */
export const seesHunk = (reader: PatchReader): boolean => reader.sees('@@ -') && RANGES.test(reader.text())

function readHeader(reader: PatchReader): Header {
  const match = RANGES.exec(reader.text())
  if (!match) return reader.fail('this is not the header of a hunk; it looks like @@ -1,3 +1,4 @@')
  const [oldStart, oldCount, newStart, newCount] = match.slice(1).map((digits) => Number(digits ?? 1)) as [
    number,
    number,
    number,
    number,
  ]
  const raw = reader.raw()
  const heading = raw.subarray(match[0].length, endsInNewline(raw) ? -1 : undefined)
  const header = { line: reader.at, heading, oldStart, oldCount, newStart, newCount }
  if (header.oldStart === 0 && header.oldCount > 0) reader.fail('old lines are counted from 1')
  if (header.newStart === 0 && header.newCount > 0) reader.fail('new lines are counted from 1')
  reader.at++
  return header
}

const MARKS: Readonly<Record<number, PatchLine['mark']>> = { 0x20: ' ', 0x2d: '-', 0x2b: '+', 0x0a: ' ' }

/** Reads exactly as many lines as the header states. */
function readHunk(reader: PatchReader, header: Header): PatchHunk {
  const lines: PatchLine[] = []
  let [olds, news] = [0, 0]
  while (olds < header.oldCount || news < header.newCount) {
    const mark = MARKS[reader.first]
    const tooMany = (mark === '-' && olds === header.oldCount) || (mark === '+' && news === header.newCount)
    if (mark === undefined || tooMany || (mark === ' ' && (olds === header.oldCount || news === header.newCount)))
      refuseCounts(reader, header, olds, news)
    if (mark !== '+') olds++
    if (mark !== '-') news++
    lines.push({ mark, bytes: readLine(reader) })
  }
  refuseEarlyEnds(reader, lines)
  const { oldStart, newStart, heading } = header
  return { oldStart, newStart, heading, lines }
}

/** The next line without its mark. Mail programs turn a line with only a mark into an empty line. */
function readLine(reader: PatchReader): Uint8Array {
  const raw = reader.raw()
  reader.at++
  const bytes = raw[0] === 0x0a ? raw : raw.subarray(1)
  if (reader.first === 0x5c) {
    reader.at++
    return endsInNewline(bytes) ? bytes.subarray(0, -1) : bytes
  }
  // A text cut off before its last LF: without the marker that does not mean that the file has none.
  return endsInNewline(bytes) ? bytes : Buffer.concat([bytes, Uint8Array.of(0x0a)])
}

/** The header's counts are wrong. The fault has the right ones, so that the header can be corrected. */
function refuseCounts(reader: PatchReader, header: Header, olds: number, news: number): never {
  const stop = reader.at
  const more = countMarks(reader)
  const said = `the hunk header says ${header.oldCount} old and ${header.newCount} new lines`
  const problem = `${said}, but ${olds + more.olds} old and ${news + more.news} new ones follow`
  if (olds + more.olds !== header.oldCount || news + more.news !== header.newCount) reader.fail(problem, header.line)
  return reader.fail('a line of a hunk begins with a space, - or +', stop)
}

/** How many lines of a hunk follow, whatever its header states; empty lines count only if others follow. */
function countMarks(reader: PatchReader): { olds: number; news: number } {
  const found = { olds: 0, news: 0 }
  let empty = 0
  for (; MARKS[reader.first] !== undefined && !seesEnd(reader); reader.at++) {
    empty = reader.first === 0x0a ? empty + 1 : 0
    if (reader.first !== 0x2b) found.olds++
    if (reader.first !== 0x2d) found.news++
    if (reader.sees('\\', 1)) reader.at++
  }
  return { olds: found.olds - empty, news: found.news - empty }
}

/** Whether the next line only looks like one of a hunk: the header of another file, or the signature of a mail. */
const seesEnd = (reader: PatchReader): boolean =>
  (reader.sees('--- ') && reader.sees('+++ ', 1)) || /^-- ?$/.test(reader.text())

/** Excess lines of a hunk would otherwise be taken for text around the diff and be lost. */
function refuseExcess(reader: PatchReader): void {
  if (MARKS[reader.first] === undefined || reader.first === 0x0a || seesEnd(reader)) return
  reader.fail('the hunk above has more lines than its header says')
}

/** Only the last line of a file can lack a line end. */
function refuseEarlyEnds(reader: PatchReader, lines: readonly PatchLine[]): void {
  const ended = { old: false, new: false }
  for (const { mark, bytes } of lines) {
    if ((mark !== '+' && ended.old) || (mark !== '-' && ended.new))
      reader.fail('a line follows one that is marked as the last of its file', reader.at - 1)
    if (endsInNewline(bytes)) continue
    if (mark !== '+') ended.old = true
    if (mark !== '-') ended.new = true
  }
}

function refuseLinesAfterLast(reader: PatchReader, hunks: readonly PatchHunk[]): void {
  const early = hunks.slice(0, -1).some((hunk) => hunk.lines.some(({ bytes }) => !endsInNewline(bytes)))
  if (early) reader.fail('a hunk follows a line that is marked as the last of its file', reader.at - 1)
}
