import type { LineChange, LineDiff } from './lines.ts'
import type { Sink } from './sink.ts'
import { type Lines, lineAt, lineCount } from './split.ts'

/** Changes near each other with the unchanged lines around them; counted as in `LineChange`. */
export interface Hunk extends LineChange {
  readonly changes: readonly LineChange[]
}

/** Changes whose `context` lines would touch or overlap share a hunk. */
export function hunksOf(diff: LineDiff, context: number): Hunk[] {
  const groups: LineChange[][] = []
  let last: LineChange | undefined
  for (const change of diff.changes) {
    if (last && change.oldStart - last.oldEnd <= 2 * context) groups.at(-1)?.push(change)
    else groups.push([change])
    last = change
  }
  return groups.map((changes) => hunkOf(diff, changes, context))
}

function hunkOf(diff: LineDiff, changes: readonly LineChange[], context: number): Hunk {
  const [first, last] = [changes[0]!, changes.at(-1)!]
  const above = Math.min(context, first.oldStart)
  const below = Math.min(context, lineCount(diff.old) - last.oldEnd)
  return {
    oldStart: first.oldStart - above,
    oldEnd: last.oldEnd + below,
    newStart: first.newStart - above,
    newEnd: last.newEnd + below,
    changes,
  }
}

/** Hunks as `diff -u` and git write them. */
export function writeUnifiedHunks(out: Sink, diff: LineDiff, context: number): void {
  let heading: string | undefined
  let seen = 0
  for (const hunk of hunksOf(diff, context)) {
    heading = lastHeading(diff.old, seen, hunk.oldStart) ?? heading
    seen = hunk.oldStart
    const ranges = `-${rangeOf(hunk.oldStart, hunk.oldEnd)} +${rangeOf(hunk.newStart, hunk.newEnd)}`
    out.add(heading === undefined ? `@@ ${ranges} @@\n` : `@@ ${ranges} @@ ${heading}\n`)
    writeBody(out, diff, hunk)
  }
}

/** First line and length. An empty range names the line before it, and the length 1 goes without saying. */
function rangeOf(start: number, end: number): string {
  const length = end - start
  return length === 0 ? `${start},0` : length === 1 ? `${start + 1}` : `${start + 1},${length}`
}

function writeBody(out: Sink, diff: LineDiff, hunk: Hunk): void {
  let at = hunk.oldStart
  for (const change of hunk.changes) {
    writeLines(out, ' ', diff.old, at, change.oldStart)
    writeLines(out, '-', diff.old, change.oldStart, change.oldEnd)
    writeLines(out, '+', diff.new, change.newStart, change.newEnd)
    at = change.oldEnd
  }
  writeLines(out, ' ', diff.old, at, hunk.oldEnd)
}

/** Lines `start` to `end`, each behind `mark`. */
export function writeLines(out: Sink, mark: string, lines: Lines, start: number, end: number): void {
  const lead = new TextEncoder().encode(mark)
  for (let i = start; i < end; i++) {
    const line = lineAt(lines, i)
    out.add(lead)
    out.add(line)
    if (line.at(-1) !== 0x0a) out.add('\n\\ No newline at end of file\n')
  }
}

const HEADING_AT_MOST = 80

/** The last line in the range that begins with a letter, `_` or `$`: most likely the function the hunk is in. */
function lastHeading(lines: Lines, start: number, end: number): string | undefined {
  for (let i = end - 1; i >= start; i--) {
    const line = lineAt(lines, i)
    if (isHeadingStart(line[0] ?? 0)) return headingOf(line)
  }
  return undefined
}

const isHeadingStart = (byte: number): boolean =>
  (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a) || byte === 0x5f || byte === 0x24

const decoder = new TextDecoder()

/** Ends where UTF-8 does: neither half a character nor another encoding gets into the header. */
function headingOf(line: Uint8Array): string {
  const text = decoder.decode(line.subarray(0, HEADING_AT_MOST)).replace(/[ \t\r\n]+$/, '')
  return text.split('\ufffd', 1)[0] ?? ''
}
