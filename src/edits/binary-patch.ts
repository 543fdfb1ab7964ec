import { deflateSync } from 'node:zlib'
import { Sink } from './sink.ts'

const ALPHABET = new TextEncoder().encode(
  '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~',
)
const LINE = 52
const LF = 10

/** The part of a git patch below its headers that replaces `before` by `after`, and the other way with `-R`. */
export function binaryPatch(before: Uint8Array, after: Uint8Array): Uint8Array {
  const out = new Sink()
  out.add('GIT binary patch\n')
  for (const bytes of [after, before]) {
    out.add(`literal ${bytes.length}\n`)
    // The level git uses: small files come out as git would write them.
    out.add(encode85(deflateSync(bytes, { level: 1 })))
    out.add('\n')
  }
  return out.bytes()
}

/** Lines of up to 52 bytes, each behind a letter for its length: A to Z for 1 to 26, a to z for 27 to 52. */
function encode85(bytes: Uint8Array): Uint8Array {
  const out = new Sink()
  for (let at = 0; at < bytes.length; at += LINE) out.add(encodeLine(bytes.subarray(at, at + LINE)))
  return out.bytes()
}

function encodeLine(bytes: Uint8Array): Uint8Array {
  const groups = Math.ceil(bytes.length / 4)
  const line = new Uint8Array(groups * 5 + 2)
  line[0] = bytes.length <= 26 ? 64 + bytes.length : 70 + bytes.length
  for (let group = 0; group < groups; group++) putGroup(line, 1 + group * 5, bytes.subarray(group * 4, group * 4 + 4))
  line[line.length - 1] = LF
  return line
}

/** Four bytes, filled up with zeros, as a number of five digits in base 85. */
function putGroup(line: Uint8Array, at: number, [a = 0, b = 0, c = 0, d = 0]: Uint8Array): void {
  let value = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0
  for (let digit = 4; digit >= 0; digit--) {
    line[at + digit] = ALPHABET[value % 85] ?? 0
    value = Math.floor(value / 85)
  }
}
