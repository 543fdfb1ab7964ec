/** A text cut into lines; line `i` is `bytes` from `bounds[i]` to `bounds[i + 1]`. */
export interface Lines {
  readonly bytes: Uint8Array
  readonly bounds: readonly number[]
}

const LF = 10

/**
 * A line includes its LF; only the last may lack one. Together the lines are all of `bytes`, or the part from `start`,
 * where a line begins, to `end`, where one ends.
 */
export function splitLines(bytes: Uint8Array, start = 0, end = bytes.length): Lines {
  const bounds = [start]
  for (let at = bytes.indexOf(LF, start); at !== -1 && at < end; at = bytes.indexOf(LF, at + 1)) bounds.push(at + 1)
  if (bounds.at(-1) !== end) bounds.push(end)
  return { bytes, bounds }
}

export const lineCount = (lines: Lines): number => lines.bounds.length - 1

export const lineAt = (lines: Lines, i: number): Uint8Array =>
  lines.bytes.subarray(lines.bounds[i], lines.bounds[i + 1])

/** Assigns numbers to lines, equal for equal bytes, counted from 0; for at most `capacity` lines. */
export function numbering(capacity: number): (lines: Lines, from: number, to: number) => Int32Array {
  // A custom hash table: a Map would need a string per line, and strings are limited to 512 MiB.
  const mask = 2 ** (Math.ceil(Math.log2(capacity + 1)) + 1) - 1
  const slots = new Int32Array(mask + 1).fill(-1)
  const hashes = new Int32Array(capacity)
  // The first line with each number: its text and its index there.
  const texts: Lines[] = []
  const places = new Int32Array(capacity)

  const numberOf = (lines: Lines, i: number): number => {
    const hash = hashOf(lines, i)
    let slot = hash & mask
    for (let id = slots[slot]!; id !== -1; id = slots[slot]!) {
      if (hashes[id] === hash && sameLine(texts[id]!, places[id]!, lines, i)) return id
      slot = (slot + 1) & mask
    }
    const id = texts.push(lines) - 1
    slots[slot] = id
    hashes[id] = hash
    places[id] = i
    return id
  }
  return (lines, from, to) => {
    const ids = new Int32Array(to - from)
    for (let i = 0; i < ids.length; i++) ids[i] = numberOf(lines, from + i)
    return ids
  }
}

/** The number of common lines of two texts at the beginning and, of the rest, at the end. */
export interface CommonLines {
  readonly start: number
  readonly end: number
}

export function commonLines(a: Lines, b: Lines): CommonLines {
  const [countA, countB] = [lineCount(a), lineCount(b)]
  const most = Math.min(countA, countB)
  let [start, end] = [0, 0]
  while (start < most && sameLine(a, start, b, start)) start++
  while (end < most - start && sameLine(a, countA - 1 - end, b, countB - 1 - end)) end++
  return { start, end }
}

/** FNV-1a, with its upper bits folded into the lower ones that select the slot. */
function hashOf({ bytes, bounds }: Lines, i: number): number {
  let hash = 0x811c9dc5
  for (let at = bounds[i]!; at < bounds[i + 1]!; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193)
  return hash ^ (hash >>> 15)
}

function sameLine(a: Lines, i: number, b: Lines, j: number): boolean {
  const [startA, startB] = [a.bounds[i]!, b.bounds[j]!]
  const length = a.bounds[i + 1]! - startA
  if (length !== b.bounds[j + 1]! - startB) return false
  for (let n = 0; n < length; n++) if (a.bytes[startA + n] !== b.bytes[startB + n]) return false
  return true
}
