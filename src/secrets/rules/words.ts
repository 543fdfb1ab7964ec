import { all, type Range } from '../range.ts'
import { tokensIn } from './formats.ts'
import { isScattered } from './values.ts'

/** Long words: tokens and keys are searched for only inside them, so the rest of a text is skipped quickly. */
const LONG = /(?<![\w+/=.~:%-])[\w+/=.~:%-]{16,}/g

/** Secrets that a long word itself reveals; `look` checks whether a decoded text contains one. */
export function findInWords(text: string, into: Range[], look: (text: string) => boolean): void {
  for (const found of all(LONG, text)) {
    const { index: start, 0: word } = found
    // Two characters before it distinguish an escaped line end (\n) from a letter.
    const from = Math.max(0, start - 2)
    const around = text.slice(from, start) + word
    tokensIn(around, from, into)
    if (word.length >= 40) findKeys(text, around, from, into)
    if (word.length >= 85) findPairsOfKeys(text, around, from, into)
    if (word.length >= 48) findEncoded(around, from, into, look)
  }
}

/** Cloud keys in base64, without a name: 40 characters as at Amazon, 64 bytes as at Azure. */
const KEY =
  /(?:(?<![A-Za-z0-9+/])|(?<=\\[nrt]|^\+|\n\+|\\n\+))(?:[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=_-])|(?:[A-Za-z0-9+/]{86}|[A-Za-z0-9_-]{86})==(?![A-Za-z0-9+/=]))/g
/** Sixty-four bytes in base58, as wallets write a key pair; a transaction's signature looks the same. */
const PAIR = /(?<![A-Za-z0-9])[A-Za-z0-9]{85,90}(?![A-Za-z0-9])/g
const SAYS_KEY = /(?:bs58|base58|secret|private|key ?pair|wallet|phantom|私钥)[^\n]{0,60}$/i

function findPairsOfKeys(text: string, around: string, from: number, into: Range[]): void {
  for (const { index, 0: pair } of all(PAIR, around)) {
    const start = from + index
    if (isScattered(pair) && SAYS_KEY.test(text.slice(Math.max(0, start - 100), start)))
      into.push({ start, end: start + pair.length })
  }
}

/** Text before it that marks it as a digest or as public, or as a line of something longer. */
const DIGEST =
  /(?:sha\d*|md5|hash|digest|integrity|checksum|etag|fingerprint|signature|nonce|base64|h1|site_?key|public_?key|public|pub|cert\w*|DNSKEY[ \d]*)\\*["']?[ \t]*[-:=,/]?[ \t]*\\*["']?$/i
const LINE_BEFORE = /[A-Za-z0-9+/]{56,}(?:\r?\n|\\+[nr])+[+>| \t]*$/
const AFTER_MARK = /[-@:/_.~%]$/

function findKeys(text: string, around: string, from: number, into: Range[]): void {
  for (const found of all(KEY, around)) {
    const start = from + found.index
    const end = start + found[0].length
    const before = text.slice(Math.max(0, start - 100), start)
    if (!isScattered(found[0]) || DIGEST.test(before) || LINE_BEFORE.test(before)) continue
    if (AFTER_MARK.test(before) && !/(?:^|[\s"'=])[A-Z0-9]{16,24}:$/.test(before)) continue
    if (readable(found[0]) !== undefined) continue
    into.push({ start, end })
  }
}

const BASE64 = /(?:(?<![A-Za-z0-9+/])|(?<=\\[nrt]|^\+|\n\+|\\n\+))[A-Za-z0-9+/]{48,}={0,2}/g

/** A text in base64 that contains a secret. */
function findEncoded(around: string, from: number, into: Range[], look: (text: string) => boolean): void {
  for (const found of all(BASE64, around)) {
    const inside = readable(found[0])
    if (inside !== undefined && look(inside))
      into.push({ start: from + found.index, end: from + found.index + found[0].length })
  }
}

const LONGEST_INSIDE = 32 * 1024

/** The decoded base64, if it is text. */
function readable(word: string): string | undefined {
  if (!isText(Buffer.from(word.slice(0, 24), 'base64'))) return undefined
  const bytes = Buffer.from(word.slice(0, LONGEST_INSIDE), 'base64')
  return isText(bytes) ? bytes.toString('latin1') : undefined
}

const isText = (bytes: Uint8Array): boolean =>
  bytes.every((byte) => (byte >= 0x20 && byte < 0x7f) || byte === 0x0a || byte === 0x0d || byte === 0x09)
