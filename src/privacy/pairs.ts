import { HINTS, strengthOf } from './names.ts'
import type { Range } from './range.ts'
import { type Form, isSecret } from './values.ts'

/**
 * Secrets that are told by their name: `"password": "…"`, `export TOKEN=…`, `--password …`, `?access_token=…`, also where the
 * text around is itself quoted, once or several times. Reads on from each hint instead of matching one large
 * expression, so that the time taken grows with the text and no faster.
 */
export function findPairs(text: string, into: Range[]): void {
  let done = 0
  for (const hint of text.matchAll(HINTS)) {
    if (hint.index < done) continue
    const name = nameAround(text, hint.index, hint[0].length)
    if (name === undefined) continue
    done = name.end
    // `${NAME:-…}` is a shell's way of reading a variable.
    if (text.startsWith('${', name.start - 2)) continue
    const called = text.slice(name.start, name.end)
    const strength = strengthOf(called)
    if (strength === undefined) continue
    const value = valueBehind(text, name)
    if (value === undefined) continue
    const beginning = beginningOf(text, value)
    if (isListOfCookies(called, beginning) || !isSecret(beginning, strength, value.form)) continue
    const end = value.end - value.start < LONGEST_VALUE ? value.end : bareEnd(text, value.end, value.form)
    into.push({ start: value.start, end })
    done = end
  }
}

/** `Cookie: a=b; c=d` is looked into more closely elsewhere. */
export const isListOfCookies = (name: string, value: string): boolean =>
  /cookie$/i.test(name) && /^[\w.-]+=/.test(value)

/** Enough of a value to judge it by. */
const JUDGED = 512
const beginningOf = (text: string, { start, end }: Range): string => text.slice(start, Math.min(end, start + JUDGED))

interface Value extends Range {
  readonly form: Form
}

const LONGEST_NAME = 80
const isNameChar = (code: number): boolean =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 48 && code <= 57) ||
  code === 95 ||
  code === 45 ||
  code === 46

/** The name that a hint is part of; undefined when it is too long to be one. */
function nameAround(text: string, at: number, length: number): Range | undefined {
  let start = at
  let end = at + length
  while (start > 0 && isNameChar(text.charCodeAt(start - 1))) if (at - --start > LONGEST_NAME) return undefined
  while (end < text.length && isNameChar(text.charCodeAt(end))) if (++end - at > LONGEST_NAME) return undefined
  // The n of a line end that is itself quoted (\n) is no part of the name behind it.
  if (text[start - 1] === '\\' && start < at && /[nrtbf]/.test(text[start] ?? '')) start++
  while (text[end - 1] === '.' && end > at + length) end--
  return { start, end }
}

/** Quotes may be quoted themselves: any number of backslashes before each. */
const CLOSING = /\\*["'`\]]{0,2}/y
const SEPARATOR = /[ \t]{0,20}(=>|:=|\?=|\|=|={1,3}|!==?|:|＝|：)[ \t]*(?:\\*[rn][ \t]+|\r?\n[ \t]+)?/y
const OPENING = /(?:[bruf]{1,2}(?=\\*["']))?(\\*)(["'`])/y
const WORD_SEPARATOR = /[ \t]+/y
const IS =
  /[ \t]{1,3}(?:is|was|are|will be|should be|to|为|是)[ \t]{0,3}[:：]?[ \t]{0,3}|[ \t]{0,3}(?:为|是)[ \t]{0,3}/y

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

function valueBehind(text: string, name: Range): Value | undefined {
  const close = match(CLOSING, text, name.end)?.[0] ?? ''
  const at = name.end + close.length
  const separator = match(SEPARATOR, text, at)
  if (separator === null) return valueOfFlag(text, name, at) ?? valueInProse(text, at)
  const sign = separator[1] ?? ''
  if (/^(?:={2,3}|!==?)$/.test(sign)) return comparedValue(text, at + separator[0].length)
  return valueAt(text, at + separator[0].length, formOf(text, name, close, sign, separator[0]))
}

/** `if (token === '…')`: only a literal can be a secret there. */
function comparedValue(text: string, at: number): Value | undefined {
  const value = valueAt(text, at, 'code')
  return value?.form === 'quoted' ? value : undefined
}

function formOf(text: string, name: Range, close: string, sign: string, separator: string): Form {
  const before = text[name.start - 1] ?? ''
  if (before === '?' || before === '&') return 'query'
  if (text.slice(name.start, name.start + 2) === '--' || (before === '-' && text[name.start - 2] === '-')) return 'flag'
  if (sign === '=' && separator === '=') return 'env'
  if (sign === ':' || sign === '：') return close.includes('"') ? 'quoted' : 'field'
  return /^[A-Z][A-Z0-9_]*$/.test(text.slice(name.start, name.end)) ? 'env' : 'code'
}

/** A quoted value up to its quote; any other up to where its form of writing ends it. */
function valueAt(text: string, at: number, form: Form): Value | undefined {
  const open = match(OPENING, text, at)
  if (open) return quotedValue(text, at + open[0].length, open[1]?.length ?? 0, open[2] ?? '')
  const end = at + bareEnd(text.slice(at, at + LONGEST_VALUE), 0, form)
  return end > at ? { start: at, end, form: form === 'quoted' ? 'code' : form } : undefined
}

/** Judged by its beginning, a value is looked at no further than this. */
const LONGEST_VALUE = 16 * 1024

function quotedValue(text: string, start: number, slashes: number, quote: string): Value | undefined {
  const limit = Math.min(text.length, start + LONGEST_VALUE)
  for (let at = start; at < limit; at++) {
    const char = text[at]
    if (char === '\n' && quote !== '`') return undefined
    if (char !== quote) continue
    let before = 0
    while (text[at - 1 - before] === '\\' && at - 1 - before >= start) before++
    if (before <= slashes) return { start, end: at - before, form: 'quoted' }
  }
  // A text that was cut off in the middle of its value still shows a part of it.
  return limit === text.length && limit > start ? { start, end: limit, form: 'quoted' } : undefined
}

const ENDS: Readonly<Record<Form, RegExp>> = {
  quoted: /[\s,;)\]}"'`]|\\[nrt"'\\]/g,
  env: /[\s"'`;|<>)]|&(?=&|\w+=)|&$|\\[nrt"'\\]/g,
  flag: /[\s"'`;|<>)]|\\[nrt"'\\]/g,
  query: /[\s"'`&#<>)\]}\\,;]/g,
  field: /[\s"'`<>]|,(?=\s|$)|;(?=\s|$)|\\[nrt"'\\]/g,
  code: /[\s,;"'`]|\\[nrt"'\\]/g,
}

const bareEnd = (text: string, at: number, form: Form): number => match(ENDS[form], text, at)?.index ?? text.length

/** `--password hunter2`; also `password hunter2` as .netrc and `aws configure set` write it. */
function valueOfFlag(text: string, name: Range, at: number): Value | undefined {
  const space = match(WORD_SEPARATOR, text, at)
  if (space === null || at !== name.end) return undefined
  const isFlag = text.startsWith('--', name.start) || /(?:^|[\s'"])-$/.test(text.slice(name.start - 2, name.start))
  const isSetting = /(?:\bset|\blogin[ \t]+\S{1,100})[ \t]+$/.test(
    text.slice(Math.max(0, name.start - 130), name.start),
  )
  if (!isFlag && !isSetting) return undefined
  const value = valueAt(text, at + space[0].length, 'flag')
  return value && !text.startsWith('-', value.start) ? value : undefined
}

/** `the password is hunter2`. In prose only what looks like a secret is one. */
function valueInProse(text: string, at: number): Value | undefined {
  const is = match(IS, text, at)
  if (is === null) return undefined
  const value = valueAt(text, at + is[0].length, 'code')
  if (value === undefined) return undefined
  const end =
    value.form === 'quoted'
      ? value.end
      : value.end - (/[.,;:!?)。，]+$/.exec(text.slice(value.start, value.end))?.[0].length ?? 0)
  const word = text.slice(value.start, end)
  const stands =
    word.length >= 6 &&
    (/\d/.test(word) || /[a-z][^\w\s'’.-]|[^\w\s.(-][a-z]/i.test(word)) &&
    !/[()=<>]|^\d+$/.test(word)
  return stands ? { start: value.start, end, form: 'quoted' } : undefined
}
