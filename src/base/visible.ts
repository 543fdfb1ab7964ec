import { lazily } from './lazily.ts'

/**
 * Makes text safe to print: it cannot control the terminal, forge a line of Timewarp's output, or hide anything. Names,
 * labels, prompts and contents come from untrusted sources; every character in them that is more than a glyph is made
 * visible.
 */

/** Placeholders for a line feed and a carriage return in text that must stay on one line. Shown as `^J` and `^M`. */
const STANDINS: Readonly<Record<string, string>> = { '\n': '\u{F000A}', '\r': '\u{F000D}' }
const MEANT: ReadonlyMap<string, string> = new Map(Object.entries(STANDINS).map(([char, other]) => [other, char]))

/** The text as part of one line. */
export const oneLine = (text: string): string => text.replace(/[\n\r]/g, (char) => STANDINS[char] ?? char)

/** The inverse of `oneLine`. */
export const asGiven = (text: string): string =>
  text.replace(/[\u{f000a}\u{f000d}]/gu, (char) => MEANT.get(char) ?? char)

/**
 * The text's lines again, each except the first after `indent`, so that none can pass for a line of Timewarp's output.
 */
export const paragraph = (text: string, indent: string): string => linesIn(text).join(`\n${indent}`)

/** The first line that is not blank. */
export const firstLine = (text: string): string => linesIn(text).find((line) => line.trim() !== '') ?? ''

const linesIn = (text: string): string[] => asGiven(text).split(/\r?\n/)

/** Control characters, except tab, line feed and CRLF. */
const CONTROL = String.raw`\r(?!\n)|(?![\t\n\r])\p{Cc}`
/**
 * Direction marks, zero-width and other characters without a glyph; except the visible signs of Arabic, Syriac and
 * Kaithi.
 */
const FORMAT = String.raw`(?![\u200c\u200d\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}])\p{Cf}`
/** Joiners, except where scripts and emoji need them. */
const JOINER = String.raw`(?<![\p{Script=Arabic}\p{M}\p{Extended_Pictographic}\p{EMod}])[\u200c\u200d]|[\u200c\u200d](?![\p{L}\p{Extended_Pictographic}])`
const BLANK = String.raw`[\u034f\u115f\u1160\u17b4\u17b5\u2028\u2029\u2065\u3164\uffa0\u{e0000}-\u{e0fff}\u{f000a}\u{f000d}]|\p{Cs}`

/** Compiled on first use: that takes a millisecond, and most text is plain. */
const invisible = lazily(() => new RegExp(`${CONTROL}|${FORMAT}|${JOINER}|${BLANK}`, 'gu'))
const anyInvisible = lazily(() => new RegExp(invisible().source, 'u'))
const isPlain = (text: string): boolean => /^[\t\n -~]*$/.test(text)

/** Whether the text, on one line, shows as its glyphs and nothing else. */
export const isVisible = (text: string): boolean =>
  !/[\t\n\r]/.test(text) && (isPlain(text) || !anyInvisible().test(text))

/** The same text with `^[` for an escape and `<U+202E>` for a direction mark. Line feeds and tabs stay. */
export const visible = (text: string): string => (isPlain(text) ? text : text.replace(invisible(), shown))

function shown(char: string): string {
  const code = (MEANT.get(char) ?? char).codePointAt(0) ?? 0
  if (code < 0x20 || code === 0x7f) return `^${String.fromCharCode(code ^ 0x40)}`
  if (code < 0xa0) return `\\x${hex(code)}`
  // A byte that is not UTF-8; see quote.ts.
  if (code >= 0xdc80 && code <= 0xdcff) return `\\x${hex(code - 0xdc00)}`
  return `<U+${hex(code).toUpperCase().padStart(4, '0')}>`
}

const hex = (code: number): string => code.toString(16)

/** JSON for display: the same value, in characters that cannot control a terminal. */
export const visibleJson = (json: string): string =>
  json.replace(invisible(), (char) =>
    Array.from({ length: char.length }, (_, i) => `\\u${hex(char.charCodeAt(i)).padStart(4, '0')}`).join(''),
  )

/**
 * Fields whose line breaks are part of their value. Where they are shown, their lines are set apart from Timewarp's
 * own.
 */
const OF_LINES = /(?:^|_)diff$|^(?:content|text|output|present|wanted|would)$/

/** The value, with each text that must stay on one line passed through `oneLine`. */
export function oneLined<T>(value: T): T {
  return lined(value, '') as T
}

function lined(value: unknown, field: string): unknown {
  if (typeof value === 'string') return OF_LINES.test(field) ? value : oneLine(value)
  if (Array.isArray(value)) return value.map((one) => lined(one, field))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [oneLine(key), lined(inner, key)]))
}
