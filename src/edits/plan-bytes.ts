/** Helpers for bytes. */

export const BOM = Uint8Array.of(0xef, 0xbb, 0xbf)

const beginsWith = (bytes: Uint8Array, start: Uint8Array): boolean => start.every((byte, i) => bytes[i] === byte)

export const endsWith = (bytes: Uint8Array, end: Uint8Array): boolean =>
  bytes.length >= end.length && beginsWith(bytes.subarray(bytes.length - end.length), end)

/** The same bytes as a Buffer, which is searched much faster. */
export const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

export const hasByte = (bytes: Uint8Array, byte: number): boolean => asBuffer(bytes).includes(byte)

/** Whether a file begins with a byte order mark, which is no part of the first line. */
export const hasBom = (bytes: Uint8Array): boolean => beginsWith(bytes, BOM)

/** The bytes with `insert` in place of those from `start` to `end`. Nothing in it is special, as `$&` would be. */
export const spliced = (bytes: Uint8Array, start: number, end: number, insert: Uint8Array): Uint8Array =>
  joined(bytes.subarray(0, start), insert, bytes.subarray(end))

export function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const all = Buffer.allocUnsafeSlow(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
