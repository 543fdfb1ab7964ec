import { HINTS, strengthOf } from './names.ts'
import { looseValue } from './pairs-loose.ts'
import type { Range } from './range.ts'
import { bareEnd, LONGEST_VALUE, match, type Value, valueAt } from './value-at.ts'
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
const CLOSING = /(?:\\*["'`\]]){0,2}/y
const SEPARATOR =
  /(?: \([^()\n]{1,20}\))?[ \t]{0,20}(=>|:=|\?=|\|=|={1,3}|!==?|:|＝|：|%3D)[ \t]*(?:\\*[rn][ \t]+|\r?\n[ \t]+)?/y

function valueBehind(text: string, name: Range): Value | undefined {
  const close = match(CLOSING, text, name.end)?.[0] ?? ''
  const at = name.end + close.length
  const separator = match(SEPARATOR, text, at)
  if (separator === null) return looseValue(text, name, at)
  const sign = separator[1] ?? ''
  if (/^(?:={2,3}|!==?)$/.test(sign)) return comparedValue(text, at + separator[0].length)
  const from = at + separator[0].length
  return valueOfTyped(text, from, sign) ?? valueAt(text, from, formOf(text, name, close, sign, separator[0]))
}

const TYPE = /[A-Za-z_][\w.]*(?:[[<][\w., |"']{1,40}[\]>])?(?:[ \t]*\|[ \t]*\w+)?\??[ \t]*=[ \t]*(?=[bruf]?\\*["'`])/y

/** `token: string = '…'` */
function valueOfTyped(text: string, at: number, sign: string): Value | undefined {
  const type = sign === ':' ? match(TYPE, text, at) : null
  return type ? valueAt(text, at + type[0].length, 'code') : undefined
}

/** `if (token === '…')`: only a literal can be a secret there. */
function comparedValue(text: string, at: number): Value | undefined {
  const value = valueAt(text, at, 'code')
  return value?.form === 'quoted' ? value : undefined
}

function formOf(text: string, name: Range, close: string, sign: string, separator: string): Form {
  const before = text[name.start - 1] ?? ''
  if (before === '?' || before === '&' || sign === '%3D') return 'query'
  if (text.slice(name.start, name.start + 2) === '--' || (before === '-' && text[name.start - 2] === '-')) return 'flag'
  if (sign === '=' && separator === '=') return 'env'
  if (sign === ':' || sign === '：') return close.includes('"') ? 'quoted' : 'field'
  return /^[A-Z][A-Z0-9_]*$/.test(text.slice(name.start, name.end)) ? 'env' : 'code'
}
