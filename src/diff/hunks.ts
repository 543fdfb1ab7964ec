import type { ByteSink } from './byte-sink.ts'
import { isHeadingStart, NOTHING_ABOVE } from './common-ends.ts'
import type { LineChange, LineDiff } from './lines.ts'
import { NO_BYTES, type PatchHunk, type PatchLine } from './patch/patch.ts'
import { type Lines, lineAt, lineCount } from './split.ts'

/** Changes near each other with the unchanged lines around them; counted as in `LineChange`. */
interface Hunk extends LineChange {
  readonly changes: readonly LineChange[]
}

/** Changes whose `context` lines would touch or overlap share a hunk. */
function hunksOf(diff: LineDiff, context: number): Hunk[] {
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

/** Writes hunks as `diff -u` and git do. `above` are the lines before both texts. */
export function writeUnifiedHunks(out: ByteSink, diff: LineDiff, context: number, above = NOTHING_ABOVE): void {
  for (const { head, hunk } of headedHunks(diff, context, above)) {
    out.add(`${head}\n`)
    writeBody(out, diff, hunk)
  }
}

export interface HeadedHunk {
  /** `@@ -1,3 +1,4 @@ main() {` */
  readonly head: string
  readonly hunk: Hunk
}

export function* headedHunks(diff: LineDiff, context: number, above = NOTHING_ABOVE): Generator<HeadedHunk> {
  let heading = above.heading && headingOf(above.heading)
  let seen = 0
  for (const hunk of hunksOf(diff, context)) {
    heading = lastHeading(diff.old, seen, hunk.oldStart) ?? heading
    seen = hunk.oldStart
    const { oldStart, newStart, oldCount, newCount } = countedFrom1(hunk, above.lines)
    const ranges = `-${rangeOf(oldStart, oldCount)} +${rangeOf(newStart, newCount)}`
    yield { head: heading === undefined ? `@@ ${ranges} @@` : `@@ ${ranges} @@ ${heading}`, hunk }
  }
}

/** First line and length of each side as in a header: an empty range names the line before it. */
function countedFrom1({ oldStart, oldEnd, newStart, newEnd }: LineChange, above: number) {
  return {
    oldStart: above + (oldEnd > oldStart ? oldStart + 1 : oldStart),
    oldCount: oldEnd - oldStart,
    newStart: above + (newEnd > newStart ? newStart + 1 : newStart),
    newCount: newEnd - newStart,
  }
}

/** A range in the header of a hunk; a length of 1 is omitted. */
export const rangeOf = (start: number, count: number): string => (count === 1 ? `${start}` : `${start},${count}`)

/** Hunks as data. */
export function patchHunksOf(diff: LineDiff, context: number, above = NOTHING_ABOVE): PatchHunk[] {
  return hunksOf(diff, context).map((hunk) => {
    const { oldStart, newStart } = countedFrom1(hunk, above.lines)
    return { oldStart, newStart, heading: NO_BYTES, lines: linesOf(diff, hunk) }
  })
}

function linesOf(diff: LineDiff, hunk: Hunk): PatchLine[] {
  const lines: PatchLine[] = []
  const add = (mark: PatchLine['mark'], from: Lines, start: number, end: number): void => {
    for (let i = start; i < end; i++) lines.push({ mark, bytes: lineAt(from, i) })
  }
  let at = hunk.oldStart
  for (const change of hunk.changes) {
    add(' ', diff.old, at, change.oldStart)
    add('-', diff.old, change.oldStart, change.oldEnd)
    add('+', diff.new, change.newStart, change.newEnd)
    at = change.oldEnd
  }
  add(' ', diff.old, at, hunk.oldEnd)
  return lines
}

function writeBody(out: ByteSink, diff: LineDiff, hunk: Hunk): void {
  let at = hunk.oldStart
  for (const change of hunk.changes) {
    writeLines(out, ' ', diff.old, at, change.oldStart)
    writeLines(out, '-', diff.old, change.oldStart, change.oldEnd)
    writeLines(out, '+', diff.new, change.newStart, change.newEnd)
    at = change.oldEnd
  }
  writeLines(out, ' ', diff.old, at, hunk.oldEnd)
}

const encoder = new TextEncoder()
/** What follows a line that ends without LF. */
export const NO_NEWLINE = '\n\\ No newline at end of file\n'

/** Writes the lines `start` to `end`, each after `mark`. */
function writeLines(out: ByteSink, mark: string, lines: Lines, start: number, end: number): void {
  const lead = encoder.encode(mark)
  const { bytes, bounds } = lines
  for (let i = start; i < end; i++) {
    out.add(lead)
    out.addRange(bytes, bounds[i]!, bounds[i + 1]!)
    if (bytes[bounds[i + 1]! - 1] !== 0x0a) out.add(NO_NEWLINE)
  }
}

const HEADING_AT_MOST = 80

/** The last line in the range that looks like the beginning of the function around the hunk. */
function lastHeading(lines: Lines, start: number, end: number): string | undefined {
  for (let i = end - 1; i >= start; i--) {
    if (isHeadingStart(lines.bytes[lines.bounds[i]!]!)) return headingOf(lineAt(lines, i))
  }
  return undefined
}

const decoder = new TextDecoder()

/** Cut at a character boundary: neither half a character nor another encoding gets into the header. */
function headingOf(line: Uint8Array): string {
  const text = decoder.decode(line.subarray(0, HEADING_AT_MOST)).replace(/[ \t\r\n]+$/, '')
  return text.split('\ufffd', 1)[0] ?? ''
}
