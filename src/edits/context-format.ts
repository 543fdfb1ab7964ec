import { type Hunk, hunksOf, writeLines } from './hunks.ts'
import type { LineChange, LineDiff } from './lines.ts'
import type { Sink } from './sink.ts'

/** Hunks as `diff -c` writes them: first the old lines, then the new ones. */
export function writeContextHunks(out: Sink, diff: LineDiff, context: number): void {
  for (const hunk of hunksOf(diff, context)) {
    out.add(`***************\n*** ${rangeOf(hunk.oldStart, hunk.oldEnd)} ****\n`)
    if (hunk.changes.some(removes)) writeOld(out, diff, hunk)
    out.add(`--- ${rangeOf(hunk.newStart, hunk.newEnd)} ----\n`)
    if (hunk.changes.some(adds)) writeNew(out, diff, hunk)
  }
}

const removes = (change: LineChange): boolean => change.oldEnd > change.oldStart
const adds = (change: LineChange): boolean => change.newEnd > change.newStart

/** First and last line, or only the last when there is at most one; 0 in an empty file. */
const rangeOf = (start: number, end: number): string => (end - start > 1 ? `${start + 1},${end}` : `${end}`)

function writeOld(out: Sink, diff: LineDiff, hunk: Hunk): void {
  let at = hunk.oldStart
  for (const change of hunk.changes) {
    writeLines(out, '  ', diff.old, at, change.oldStart)
    writeLines(out, adds(change) ? '! ' : '- ', diff.old, change.oldStart, change.oldEnd)
    at = change.oldEnd
  }
  writeLines(out, '  ', diff.old, at, hunk.oldEnd)
}

function writeNew(out: Sink, diff: LineDiff, hunk: Hunk): void {
  let at = hunk.newStart
  for (const change of hunk.changes) {
    writeLines(out, '  ', diff.new, at, change.newStart)
    writeLines(out, removes(change) ? '! ' : '+ ', diff.new, change.newStart, change.newEnd)
    at = change.newEnd
  }
  writeLines(out, '  ', diff.new, at, hunk.newEnd)
}
