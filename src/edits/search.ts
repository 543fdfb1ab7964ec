import { Fault, type FaultData } from '../base/fault.ts'
import { outPath } from '../base/quote.ts'
import type { RelPath } from '../schema/path.ts'
import { asBuffer, BOM, hasBom } from './plan-bytes.ts'
import { nearestTo } from './search-nearest.ts'

/** Finds a text in a file. Only exactly the same bytes match. */

type Place = FaultData<'SEARCH_AMBIGUOUS'>['places'][number]

const PLACES = 20
/** Bytes of a line shown before and after a place. */
const CONTEXT = 80
const LF = 10

/** The offset of the text to edit: the only occurrence, or the one that `occurrence` selects. */
export function locate(path: RelPath, bytes: Uint8Array, search: Uint8Array, occurrence?: number): number {
  const first: number[] = []
  let count = 0
  for (const at of occurrences(bytes, search)) {
    count++
    if (count === occurrence) return at
    if (count <= PLACES) first.push(at)
  }
  if (first[0] === undefined) throw notFound(path, bytes, search)
  if (count === 1 && occurrence === undefined) return first[0]
  const places = placesOf(bytes, first)
  const seen = { path: outPath(path), count, places, lines: places.map(({ line }) => line) }
  throw occurrence === undefined
    ? new Fault('SEARCH_AMBIGUOUS', seen)
    : new Fault('SEARCH_OCCURRENCE', { ...seen, occurrence })
}

function notFound(path: RelPath, bytes: Uint8Array, search: Uint8Array): Fault {
  const decoder = new TextDecoder()
  const near = nearestTo(decoder.decode(bytes), decoder.decode(search))
  return new Fault('SEARCH_NOT_FOUND', { path: outPath(path), ...near })
}

/**
 * How much of the search text is passed to `indexOf`: more is slow in unusual texts, less is found too often where the
 * rest does not match.
 */
const BEGINNING = 8

/**
 * Every offset where `search`, which is not empty, begins. Occurrences may overlap, because an edit at each gives a
 * different file. Uses Knuth-Morris-Pratt: no text makes it slower than about two comparisons per byte.
 */
export function* occurrences(bytes: Uint8Array, search: Uint8Array): Generator<number, void> {
  const borders = bordersOf(search)
  const [text, beginning] = [asBuffer(bytes), asBuffer(search.subarray(0, BEGINNING))]
  let matched = 0
  for (let at = 0; at < bytes.length; at++) {
    if (matched === 0) at = text.indexOf(beginning, at)
    if (at === -1) return
    while (matched > 0 && bytes[at] !== search[matched]) matched = borders[matched - 1]!
    if (bytes[at] === search[matched]) matched++
    if (matched < search.length) continue
    yield at - matched + 1
    matched = borders[matched - 1]!
  }
}

/** For each prefix of `search`, the length of its longest proper suffix that is also a prefix. */
function bordersOf(search: Uint8Array): Int32Array {
  const borders = new Int32Array(search.length)
  for (let i = 1, length = 0; i < search.length; i++) {
    while (length > 0 && search[i] !== search[length]) length = borders[length - 1]!
    if (search[i] === search[length]) length++
    borders[i] = length
  }
  return borders
}

/** Line and column numbers and the lines themselves; `offsets` must be ascending. */
function placesOf(bytes: Uint8Array, offsets: readonly number[]): Place[] {
  let [line, start, next] = [0, 0, 0]
  return offsets.map((offset) => {
    while (next !== -1 && next <= offset) {
      line++
      start = next
      const end = bytes.indexOf(LF, start)
      next = end === -1 ? -1 : end + 1
    }
    return placeAt(bytes, line, start, offset)
  })
}

function placeAt(bytes: Uint8Array, line: number, start: number, offset: number): Place {
  const from = start === 0 && hasBom(bytes) ? BOM.length : start
  return { line, column: charsIn(bytes, from, offset) + 1, context: contextOf(bytes, from, offset) }
}

/** The line around `offset`, shortened when it is long. */
function contextOf(bytes: Uint8Array, start: number, offset: number): string {
  const end = bytes.indexOf(LF, offset)
  let from = Math.max(start, offset - CONTEXT)
  while (from < offset && isInside(bytes[from]!)) from++
  let to = Math.min(end === -1 ? bytes.length : end, offset + CONTEXT)
  while (to < bytes.length && isInside(bytes[to]!)) to++
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(from, to)).replace(/\r$/, '')
}

function charsIn(bytes: Uint8Array, start: number, end: number): number {
  let chars = 0
  for (let at = start; at < end; at++) if (!isInside(bytes[at]!)) chars++
  return chars
}

/** Whether a byte of UTF-8 continues a character that began before it. */
const isInside = (byte: number): boolean => (byte & 0xc0) === 0x80
