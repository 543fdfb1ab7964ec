/** Base 85 as in git's binary patches: lines of up to 52 bytes, each after a letter for its length. */

import { ByteSink } from '../byte-sink.ts'

const ALPHABET = new TextEncoder().encode(
  '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~',
)
const DIGITS = new Int8Array(256).fill(-1)
for (const [digit, char] of ALPHABET.entries()) DIGITS[char] = digit

const LINE = 52
const LF = 10

export function encode85(bytes: Uint8Array): Uint8Array {
  const out = new ByteSink()
  for (let at = 0; at < bytes.length; at += LINE) out.add(encodeLine(bytes.subarray(at, at + LINE)))
  return out.bytes()
}

/** The letters are A to Z for 1 to 26 and a to z for 27 to 52. */
function encodeLine(bytes: Uint8Array): Uint8Array {
  const groups = Math.ceil(bytes.length / 4)
  const line = new Uint8Array(groups * 5 + 2)
  line[0] = bytes.length <= 26 ? 64 + bytes.length : 70 + bytes.length
  for (let group = 0; group < groups; group++) putGroup(line, 1 + group * 5, bytes.subarray(group * 4, group * 4 + 4))
  line[line.length - 1] = LF
  return line
}

/** Four bytes, padded with zeros, as a number of five digits in base 85. */
function putGroup(line: Uint8Array, at: number, [a = 0, b = 0, c = 0, d = 0]: Uint8Array): void {
  let value = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0
  for (let digit = 4; digit >= 0; digit--) {
    line[at + digit] = ALPHABET[value % 85] ?? 0
    value = Math.floor(value / 85)
  }
}

/** The bytes of one line, without its line end; undefined when it is not valid. */
export function decodeLine(line: Uint8Array): Uint8Array | undefined {
  const length = lengthOf(line[0] ?? 0)
  if (length === 0 || line.length !== 1 + Math.ceil(length / 4) * 5) return undefined
  const bytes = new Uint8Array(Math.ceil(length / 4) * 4)
  const view = new DataView(bytes.buffer)
  for (let group = 0; group * 4 < length; group++) {
    const value = groupAt(line, 1 + group * 5)
    if (value === undefined) return undefined
    view.setUint32(group * 4, value)
  }
  return bytes.subarray(0, length)
}

function lengthOf(letter: number): number {
  if (letter >= 0x41 && letter <= 0x5a) return letter - 64
  return letter >= 0x61 && letter <= 0x7a ? letter - 70 : 0
}

function groupAt(line: Uint8Array, at: number): number | undefined {
  let value = 0
  for (let i = at; i < at + 5; i++) {
    const digit = DIGITS[line[i]!]!
    if (digit < 0) return undefined
    value = value * 85 + digit
  }
  return value <= 0xffffffff ? value : undefined
}
