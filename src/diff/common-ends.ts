/** The common beginning and end of two texts, found without comparing line by line. */

const LF = 10

/**
 * The number of equal bytes at the beginning of both, up to the last complete line; and of the rest, those at the end.
 */
export interface CommonBytes {
  readonly start: number
  readonly end: number
}

/** In whole lines, as `commonLines` counts them: each line is either in a common end or in neither. */
export function commonBytes(a: Uint8Array, b: Uint8Array): CommonBytes {
  const most = Math.min(a.length, b.length)
  const same = sameBytes(most, (from, to) => Buffer.compare(a.subarray(from, to), b.subarray(from, to)) === 0)
  if (same === a.length && same === b.length) return { start: same, end: 0 }
  const start = lineStart(a, same)
  const tail = sameBytes(most - start, (from, to) => {
    const [inA, inB] = [a.subarray(a.length - to, a.length - from), b.subarray(b.length - to, b.length - from)]
    return Buffer.compare(inA, inB) === 0
  })
  return { start, end: wholeLines(a, b, tail) }
}

/** How far two texts agree, given a comparison of a part; reads each byte about twice. */
function sameBytes(most: number, isSame: (from: number, to: number) => boolean): number {
  let known = 0
  let step = 64
  while (known < most && isSame(known, Math.min(most, known + step))) {
    known = Math.min(most, known + step)
    step *= 2
  }
  for (let differs = Math.min(most, known + step); known < differs; ) {
    const middle = Math.ceil((known + differs) / 2)
    if (isSame(known, middle)) known = middle
    else differs = middle - 1
  }
  return known
}

/** The beginning of the line that contains `at`. */
const lineStart = (bytes: Uint8Array, at: number): number => (at === 0 ? 0 : bytes.lastIndexOf(LF, at - 1) + 1)

/** How many of the last `length` bytes are lines that begin there in both. */
function wholeLines(a: Uint8Array, b: Uint8Array, length: number): number {
  const [startA, startB] = [a.length - length, b.length - length]
  if (isLineStart(a, startA) && isLineStart(b, startB)) return length
  const end = a.indexOf(LF, startA)
  return end === -1 ? 0 : a.length - (end + 1)
}

const isLineStart = (bytes: Uint8Array, at: number): boolean => at === 0 || bytes[at - 1] === LF

/** The beginning of the line `count` lines above the one that begins at `at`, or of the first line. */
export function linesUp(bytes: Uint8Array, at: number, count: number): number {
  let start = at
  for (let n = 0; n < count && start > 0; n++) start = lineStart(bytes, start - 1)
  return start
}

/** The end of the `count`th line that begins at or after `at`, or of the last line. */
export function linesDown(bytes: Uint8Array, at: number, count: number): number {
  let end = at
  for (let n = 0; n < count && end < bytes.length; n++) {
    const next = bytes.indexOf(LF, end)
    end = next === -1 ? bytes.length : next + 1
  }
  return end
}

/** The number of lines from `start`, where a line begins, to `end`; stops counting at `enough`. */
export function linesIn(bytes: Uint8Array, start: number, end: number, enough: number): number {
  let count = 0
  for (let at = start; count < enough && at < end; count++) {
    const next = bytes.indexOf(LF, at)
    at = next === -1 ? end : next + 1
  }
  return count
}

/** The lines before a part of a text. */
export interface Above {
  readonly lines: number
  /** The last of them that looks like a heading; undefined when none does. */
  readonly heading: Uint8Array | undefined
}

export const NOTHING_ABOVE: Above = { lines: 0, heading: undefined }

const NO_WORDS = new Uint32Array()

/** Everything before `end`, where a line begins. */
export function readAbove(bytes: Uint8Array, end: number): Above {
  let lines = 0
  let heading = end > 0 && isHeadingStart(bytes[0]!) ? 0 : -1
  const look = (from: number, to: number): void => {
    for (let at = from; at < to; at++) {
      if (bytes[at] !== LF) continue
      lines++
      if (at + 1 < end && isHeadingStart(bytes[at + 1]!)) heading = at + 1
    }
  }
  // Four bytes at a time: most groups contain no line end and need no check of single bytes.
  const first = Math.min(end, (4 - (bytes.byteOffset % 4)) % 4)
  const count = (end - first) >>> 2
  const words = count === 0 ? NO_WORDS : new Uint32Array(bytes.buffer, bytes.byteOffset + first, count)
  look(0, first)
  for (let i = 0; i < words.length; i++) {
    const word = words[i]! ^ 0x0a0a0a0a
    if (((word - 0x01010101) & ~word & 0x80808080) !== 0) look(first + 4 * i, first + 4 * i + 4)
  }
  look(first + 4 * words.length, end)
  return { lines, heading: heading === -1 ? undefined : bytes.subarray(heading, linesDown(bytes, heading, 1)) }
}

/** A letter, `_` or `$`: a line that begins so most likely begins a function. */
export const isHeadingStart = (byte: number): boolean =>
  (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a) || byte === 0x5f || byte === 0x24
