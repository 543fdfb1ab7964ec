import { endsInNewline, NO_BYTES, type PatchHunk, type PatchLine } from './patch.ts'
import type { PatchReader } from './patch-reader.ts'

const STARS = '***************'
const OLD_RANGE = /^\*\*\* (\d{1,10})(?:,(\d{1,10}))? \*\*\*\*$/
const NEW_RANGE = /^--- (\d{1,10})(?:,(\d{1,10}))? ----$/

interface MarkedLine {
  readonly mark: string
  readonly bytes: Uint8Array
}

/** One half of a hunk; without lines when nothing in it changed. */
interface Half {
  /** The line of its range, counted from 0. */
  readonly line: number
  readonly start: number
  /** From the range; null when it names one line, which may also be the line before an empty range. */
  readonly count: number | null
  readonly lines: readonly MarkedLine[]
}

/** The hunks of `diff -c`, combined as in the other formats. */
export function readContextHunks(reader: PatchReader): PatchHunk[] {
  const hunks: PatchHunk[] = []
  while (reader.sees(STARS)) {
    const line = reader.raw()
    const heading = line.subarray(STARS.length, endsInNewline(line) ? -1 : undefined)
    reader.at++
    const old = readHalf(reader, OLD_RANGE, [' ', '-', '!'])
    const current = readHalf(reader, NEW_RANGE, [' ', '+', '!'])
    const lines = weave(reader, filled(old, current), filled(current, old))
    refuseCount(reader, old, lines.filter(({ mark }) => mark !== '+').length)
    refuseCount(reader, current, lines.filter(({ mark }) => mark !== '-').length)
    hunks.push({ oldStart: old.start, newStart: current.start, heading: heading.length ? heading : NO_BYTES, lines })
  }
  return hunks
}

function readHalf(reader: PatchReader, range: RegExp, marks: readonly string[]): Half {
  const match = range.exec(reader.text())
  if (!match) return reader.fail('the range of one half of a hunk should be here (*** 1,3 **** or --- 1,4 ----)')
  const line = reader.at++
  const start = Number(match[1])
  const count = match[2] === undefined ? null : Number(match[2]) - start + 1
  const lines: MarkedLine[] = []
  while (lines.length < (count ?? 1) && seesLine(reader, marks)) lines.push(readLine(reader))
  return { line, start, count, lines }
}

const seesLine = (reader: PatchReader, marks: readonly string[]): boolean =>
  marks.some((mark) => reader.sees(`${mark} `))

function readLine(reader: PatchReader): MarkedLine {
  const raw = reader.raw()
  reader.at++
  const bytes = raw.subarray(2)
  const mark = String.fromCharCode(raw[0] ?? 0)
  if (reader.first !== 0x5c)
    return { mark, bytes: endsInNewline(bytes) ? bytes : Buffer.concat([bytes, Uint8Array.of(10)]) }
  reader.at++
  return { mark, bytes: endsInNewline(bytes) ? bytes.subarray(0, -1) : bytes }
}

/** A half without changes is omitted: it then consists of the unchanged lines of the other half. */
const filled = (half: Half, other: Half): readonly MarkedLine[] =>
  half.lines.length > 0 ? half.lines : other.lines.filter(({ mark }) => mark === ' ')

/** Combines both halves: removed lines, then added ones, then the unchanged line of both. */
function weave(reader: PatchReader, olds: readonly MarkedLine[], news: readonly MarkedLine[]): PatchLine[] {
  const lines: PatchLine[] = []
  for (let i = 0, j = 0; i < olds.length || j < news.length; i++, j++) {
    for (; i < olds.length && olds[i]!.mark !== ' '; i++) lines.push({ mark: '-', bytes: olds[i]!.bytes })
    for (; j < news.length && news[j]!.mark !== ' '; j++) lines.push({ mark: '+', bytes: news[j]!.bytes })
    const [a, b] = [olds[i], news[j]]
    if (!a && !b) break
    if (!a || !b || Buffer.compare(a.bytes, b.bytes) !== 0)
      return reader.fail('the unchanged lines in the two halves of this hunk differ', reader.at - 1)
    lines.push({ mark: ' ', bytes: a.bytes })
  }
  return lines
}

function refuseCount(reader: PatchReader, half: Half, found: number): void {
  if (half.count === null ? found > 1 : found !== half.count)
    reader.fail(`the range says ${half.count ?? 'one'} lines, but there are ${found}`, half.line)
}
