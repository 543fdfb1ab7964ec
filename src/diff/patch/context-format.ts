import type { ByteSink } from '../byte-sink.ts'
import { NO_NEWLINE } from '../hunks.ts'
import { endsInNewline, newCount, oldCount, type PatchHunk, type PatchLine } from './patch.ts'

/** A hunk as `diff -c` writes it: first the old lines, then the new ones. A half without changes is omitted. */
export function writeContextHunk(out: ByteSink, hunk: PatchHunk): void {
  out.add('***************')
  out.add(hunk.heading)
  out.add(`\n*** ${rangeOf(hunk.oldStart, oldCount(hunk))} ****\n`)
  writeHalf(out, hunk, '-')
  out.add(`--- ${rangeOf(hunk.newStart, newCount(hunk))} ----\n`)
  writeHalf(out, hunk, '+')
}

/** First and last line, or one number when there is at most one line. */
const rangeOf = (start: number, count: number): string => (count > 1 ? `${start},${start + count - 1}` : `${start}`)

function writeHalf(out: ByteSink, { lines }: PatchHunk, own: '-' | '+'): void {
  if (!lines.some(({ mark }) => mark === own)) return
  for (const run of runsOf(lines)) {
    const replaces = run.some(({ mark }) => mark === '-') && run.some(({ mark }) => mark === '+')
    for (const { mark, bytes } of run) {
      if (mark !== ' ' && mark !== own) continue
      out.add(mark === own && replaces ? '! ' : `${mark} `)
      out.add(bytes)
      if (!endsInNewline(bytes)) out.add(NO_NEWLINE)
    }
  }
}

/** Groups adjacent changed lines, and unchanged ones. */
function runsOf(lines: readonly PatchLine[]): PatchLine[][] {
  const runs: PatchLine[][] = []
  let changed: boolean | undefined
  for (const line of lines) {
    if ((line.mark !== ' ') === changed) runs.at(-1)?.push(line)
    else runs.push([line])
    changed = line.mark !== ' '
  }
  return runs
}
