import { asGiven, isVisible } from './visible.ts'

/**
 * File names are bytes. Inside the app a name is a string: UTF-8 is decoded as usual, and every byte that is not UTF-8
 * becomes the lone surrogate U+DC80 + (byte - 0x80), which no valid name can contain. Outside, such a path is C-quoted
 * as in git.
 */

const ESCAPES: Record<string, string> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '"': '\\"',
  '\\': '\\\\',
}
const UNESCAPES: Record<string, number> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, '\\': 92 }

/** The path for output: unchanged, or C-quoted when it is not UTF-8 or could be mistaken for a quoted one. */
export const outPath = (path: string): string => (path.isWellFormed() && !path.startsWith('"') ? path : quote(path))

/**
 * An `outPath` for display: C-quoted as well when it has characters that are invisible or could control the terminal.
 */
export const showPath = (path: string): string => (isVisible(path) ? path : quote(path))

/** The inverse of `outPath`. Text in quotes that is not valid C-quoting is taken literally. */
export function inPath(text: string): string {
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"')) return text
  return unquote(text.slice(1, -1)) ?? text
}

function quote(path: string): string {
  let out = ''
  for (const char of asGiven(path)) {
    const code = char.codePointAt(0) ?? 0
    if (code >= 0xdc80 && code <= 0xdcff) out += octal(code - 0xdc00)
    else if (ESCAPES[char] !== undefined) out += ESCAPES[char]
    else if (isVisible(char)) out += char
    else for (const byte of new TextEncoder().encode(char)) out += octal(byte)
  }
  return `"${out}"`
}

const octal = (byte: number): string => `\\${byte.toString(8).padStart(3, '0')}`

function unquote(body: string): string | undefined {
  const bytes: number[] = []
  for (let i = 0; i < body.length; ) {
    const char = String.fromCodePoint(body.codePointAt(i) ?? 0)
    if (char !== '\\') {
      bytes.push(...new TextEncoder().encode(char))
      i += char.length
      continue
    }
    const digits = /^[0-3][0-7]{2}/.exec(body.slice(i + 1, i + 4))
    const simple = UNESCAPES[body[i + 1] ?? '']
    if (digits) bytes.push(Number.parseInt(digits[0], 8))
    else if (simple !== undefined) bytes.push(simple)
    else return undefined
    i += digits ? 4 : 2
  }
  return nameFromBytes(Uint8Array.from(bytes))
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Bytes as a name; see the comment at the top of this file. */
export function nameFromBytes(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes)
  } catch {
    return escapeBytes(bytes)
  }
}

function escapeBytes(bytes: Uint8Array): string {
  let out = ''
  for (let i = 0; i < bytes.length; ) {
    const length = sequenceLength(bytes, i)
    out += length === 0 ? String.fromCharCode(0xdc00 + (bytes[i] ?? 0)) : strict.decode(bytes.subarray(i, i + length))
    i += length || 1
  }
  return out
}

/** How many bytes the valid UTF-8 sequence at `i` has; 0 when there is none. */
function sequenceLength(bytes: Uint8Array, i: number): number {
  const lead = bytes[i] ?? 0
  const length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0
  if (length === 0 || i + length > bytes.length) return 0
  try {
    strict.decode(bytes.subarray(i, i + length))
    return length
  } catch {
    return 0
  }
}

/** The exact bytes of a name; the inverse of `nameFromBytes`. */
export function bytesFromName(name: string): Uint8Array {
  if (name.isWellFormed()) return new TextEncoder().encode(name)
  const parts: number[] = []
  for (const char of name) {
    const code = char.codePointAt(0) ?? 0
    if (code >= 0xdc80 && code <= 0xdcff) parts.push(code - 0xdc00)
    else parts.push(...new TextEncoder().encode(char))
  }
  return Uint8Array.from(parts)
}
