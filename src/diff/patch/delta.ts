/**
 * Git's deltas: the contents of a file as copies from another file and new bytes in between. Two sizes come first, of
 * the other file and of the result, seven bits per byte, the lowest first.
 */

const COPY = 0x80
const LONGEST_COPY = 0x10000

interface Tape {
  readonly bytes: Uint8Array
  at: number
}

/** The contents that `delta` makes of `base`; undefined when they do not match or the delta is damaged. */
export function applyDelta(base: Uint8Array, delta: Uint8Array): Uint8Array | undefined {
  const tape: Tape = { bytes: delta, at: 0 }
  if (readSize(tape) !== base.length) return undefined
  const size = readSize(tape)
  const parts: Uint8Array[] = []
  for (let length = 0; tape.at < delta.length; ) {
    const part = readPart(tape, base)
    length += part?.length ?? 0
    if (!part || length > size) return undefined
    parts.push(part)
  }
  const result = Buffer.concat(parts)
  return result.length === size ? result : undefined
}

function readSize(tape: Tape): number {
  let size = 0
  for (let scale = 1; tape.at < tape.bytes.length; scale *= 128) {
    const byte = tape.bytes[tape.at++]!
    size += (byte & 0x7f) * scale
    if (byte < 0x80) break
  }
  return size
}

function readPart(tape: Tape, base: Uint8Array): Uint8Array | undefined {
  const code = tape.bytes[tape.at++]!
  if (code & COPY) return readCopy(tape, base, code)
  const part = tape.bytes.subarray(tape.at, tape.at + code)
  tape.at += code
  return code > 0 && part.length === code ? part : undefined
}

/** Bits 0 to 3 of the code tell which bytes of the offset follow, bits 4 to 6 which of the length. */
function readCopy(tape: Tape, base: Uint8Array, code: number): Uint8Array | undefined {
  const offset = readSparse(tape, code & 0x0f)
  const length = readSparse(tape, (code >> 4) & 0x07) || LONGEST_COPY
  return offset + length <= base.length ? base.subarray(offset, offset + length) : undefined
}

function readSparse(tape: Tape, present: number): number {
  let value = 0
  for (let i = 0; i < 4; i++) if (present & (1 << i)) value += (tape.bytes[tape.at++] ?? 0) * 256 ** i
  return value
}
