import { isUtf8 } from 'node:buffer'
import { Fault } from '../base/fault.ts'
import { outPath } from '../base/quote.ts'
import { type Lines, lineAt, lineCount, splitLines } from '../diff/split.ts'
import type { RelPath } from '../schema/path.ts'
import { type OpOf, textBytes } from './ops.ts'
import { BOM, endsWith, hasBom, hasByte, joined, spliced } from './plan-bytes.ts'
import { locate } from './search.ts'

/** The contents of a file after an edit of its text. Outside the edited region not one byte changes. */

const NOTHING = new Uint8Array()
const CRLF = Uint8Array.of(13, 10)
const LF = Uint8Array.of(10)

/** `before` is undefined for a file that does not exist: an empty search text creates it. */
export function blockEdited(path: RelPath, before: Uint8Array | undefined, op: OpOf<'block'>): Uint8Array {
  const [search, replacement] = [
    textBytes(op.search_block, 'search_block'),
    textBytes(op.replace_block, 'replace_block'),
  ]
  if (search.length === 0) return filled(path, before, replacement)
  const bytes = textOf(path, before)
  const at = locate(path, bytes, search, op.occurrence)
  return spliced(bytes, at, at + search.length, replacement)
}

function filled(path: RelPath, before: Uint8Array | undefined, content: Uint8Array): Uint8Array {
  if (before !== undefined && before.length > 0) throw new Fault('SEARCH_EMPTY', { path: outPath(path) })
  return content
}

/** The bytes, if they are text; faults otherwise. */
function textOf(path: RelPath, bytes: Uint8Array | undefined): Uint8Array {
  if (bytes === undefined) throw new Fault('PATH_MISSING', { path: outPath(path) })
  if (hasByte(bytes, 0)) throw new Fault('FILE_BINARY', { path: outPath(path) })
  if (!isUtf8(bytes)) throw new Fault('FILE_NOT_UTF8', { path: outPath(path) })
  return bytes
}

/** Lines are counted by LF, as in a diff; a byte order mark stays before the first of them. */
export function rangeEdited(path: RelPath, before: Uint8Array | undefined, op: OpOf<'ranged'>): Uint8Array {
  const bytes = textOf(path, before)
  const content = textBytes(op.content, 'content')
  // New text with a byte order mark replaces the old mark, so that there are never two.
  const mark = hasBom(bytes) && !(op.start_line === 1 && hasBom(content)) ? BOM.length : 0
  const lines = splitLines(bytes.subarray(mark))
  checkRange(path, lines, op)
  const [first, last] = [op.start_line - 1, Math.min(op.end_line, lineCount(lines))]
  const [start, end] = [mark + lines.bounds[first]!, mark + lines.bounds[last]!]
  return spliced(bytes, start, end, asLines(content, lines, first, last))
}

function checkRange(path: RelPath, lines: Lines, { start_line, end_line }: OpOf<'ranged'>): void {
  const count = lineCount(lines)
  const isAppend = start_line === count + 1 && end_line === start_line
  if (isAppend || (end_line >= start_line - 1 && end_line <= count)) return
  throw new Fault('RANGE_OUTSIDE', { path: outPath(path), start_line, end_line, lines: count })
}

/** The new lines for the range from `first` to `last`, with the line ends that separate them from their neighbours. */
function asLines(content: Uint8Array, lines: Lines, first: number, last: number): Uint8Array {
  if (content.length === 0) return content
  const after = endsWith(content, LF) ? NOTHING : endFor(lines, first, last)
  return joined(separator(lines, first), content, after)
}

/** A last line without a line end needs one before something is appended to it. */
const separator = (lines: Lines, first: number): Uint8Array =>
  first > 0 && first === lineCount(lines) && endOf(lines, first - 1).length === 0 ? commonEnd(lines) : NOTHING

/**
 * The line end of the last replaced line; if none is replaced, that of the line before, or one that separates the text
 * from the next line.
 */
function endFor(lines: Lines, first: number, last: number): Uint8Array {
  if (last > first) return endOf(lines, last - 1)
  if (first > 0) return endOf(lines, first - 1)
  return lineCount(lines) > 0 ? commonEnd(lines) : NOTHING
}

function endOf(lines: Lines, i: number): Uint8Array {
  const line = lineAt(lines, i)
  return endsWith(line, CRLF) ? CRLF : endsWith(line, LF) ? LF : NOTHING
}

/** The line end of the first line, or LF. */
const commonEnd = (lines: Lines): Uint8Array => (endOf(lines, 0).length > 0 ? endOf(lines, 0) : LF)
