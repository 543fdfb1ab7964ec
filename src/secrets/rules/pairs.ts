import { all, type Range } from '../range.ts'
import { HINTS, isForeign, type Strength, strengthOf } from './names.ts'
import { looseValue, valueByDefault } from './pairs-loose.ts'
import {
  changedTo,
  toldAlong,
  toldBefore,
  toldFrom,
  toldInChinese,
  toldInEnglish,
  toldInSentence,
  toldOnNextLine,
} from './prose.ts'
import { bareEnd, type FoundValue, LONGEST_VALUE, match, valueAt } from './value-at.ts'
import { isDrawn, isSecret, type ValueForm } from './values.ts'

/**
 * Secrets identified by their name: `"password": "…"`, `export TOKEN=…`, `--password …`, `?access_token=…`, also inside
 * text that is itself quoted, once or several times. It continues from each hint instead of matching one large
 * expression, so that the time is linear in the text.
 */
export function findPairs(text: string, into: Range[]): void {
  let done = 0
  for (const hint of all(HINTS, text)) {
    if (hint.index < done) continue
    const name = nameAround(text, hint.index, hint[0].length)
    if (name === undefined) continue
    done = name.end
    // A part of a longer name: `arn:…:secret:…`
    if (text[name.start - 1] === ':' && /^:\S/.test(text.slice(name.end, name.end + 2))) continue
    const called = calledAt(text, name)
    const strength = strengthOf(called)
    const secret = strength
      ? (namedSecret(text, name, called, strength) ?? toldSecret(text, name, strength))
      : undefined
    if (secret === undefined) continue
    into.push({ start: secret.start, end: secret.end })
    done = Math.max(done, secret.end)
    const changed = match(CHANGED, text, secret.end)
    const next = changed ? valueAt(text, secret.end + changed[0].length, 'code') : undefined
    const told = next ?? changedTo(text, secret.end)
    if (told) into.push({ start: told.start, end: told.end })
    if (strength === 'sure') into.push(...toldAlong(text, secret.end))
  }
}

/** `password = "…" -> "…"`: the old and the new value. */
const CHANGED = /\\*["'][ \t]*(?:->|=>)[ \t]*(?=\\*["'])/y

/** The value after the name, as programs write it. */
function namedSecret(text: string, name: Range, called: string, strength: Strength): Range | undefined {
  if (isForeign(called)) return undefined
  return (
    secretIn(text, called, strength, valueBehind(text, name)) ??
    secretIn(text, called, strength, byDefault(text, name, strength))
  )
}

const byDefault = (text: string, name: Range, strength: Strength): FoundValue | undefined =>
  strength === 'sure' ? valueByDefault(text, name.end) : undefined

function secretIn(text: string, called: string, strength: Strength, value: FoundValue | undefined): Range | undefined {
  if (value === undefined) return undefined
  const beginning = beginningOf(text, value)
  if (isListOfCookies(called, beginning) || !isSecret(beginning, strength, value.form)) return undefined
  const end = value.end - value.start < LONGEST_VALUE ? value.end : bareEnd(text, value.end, value.form)
  return { start: value.start, end }
}

const FOREIGN_NEXT = /^ {0,2}[\u4e00-\u9fff：]/

/** The value around the name, as people write it. Only a password may be a value that a person made up. */
function toldSecret(text: string, name: Range, strength: Strength): Range | undefined {
  const called = text.slice(name.start, name.end)
  if (!isSpoken(called, text.slice(name.end, name.end + 5), strength)) return undefined
  const told = toldBehind(text, name, called)
  if (told && (strength === 'sure' || isDrawn(text.slice(told.start, told.end)))) return told
  return strength === 'sure'
    ? (toldBefore(text, name) ?? toldFrom(text, name.end) ?? toldInSentence(text, name.end))
    : undefined
}

/**
 * Whether the name is used as in prose. A file or a library may have that name; "pass" is a verb as well; "signature"
 * may be anything.
 */
const isSpoken = (called: string, next: string, strength: Strength): boolean =>
  !/[./]/.test(called.replace(/^p\/w$/i, () => '')) &&
  !(/^pass$/i.test(called) && /^[ \t]+(?:to|as)\b/.test(next)) &&
  (strength !== 'maybe' || /keys?$/i.test(called))

function toldBehind(text: string, { start, end }: Range, called: string): Range | undefined {
  if (isForeign(called) || FOREIGN_NEXT.test(text.slice(end, end + 3)))
    return toldInChinese(text, end) ?? toldOnNextLine(text, end)
  if (text[start - 1] === '{') return undefined
  // The header of a public key ends in dashes.
  const closed = end + (match(CLOSING, text, end)?.[0].length ?? 0)
  return (
    toldInEnglish(text, end) ??
    (closed > end ? toldInEnglish(text, closed) : undefined) ??
    (called.endsWith('-') ? undefined : toldOnNextLine(text, end))
  )
}

/** The name, with the word before it where people write two: `api key`, `public key`. */
function calledAt(text: string, name: Range): string {
  const called = text.slice(name.start, name.end)
  if (called.length > 6 || !/^(?:keys?|token)$/i.test(called)) return called
  const before = /(?:\\n)?([A-Za-z\d]+):?[ \t]$/.exec(text.slice(Math.max(0, name.start - 24), name.start))?.[1]
  return before === undefined ? called : `${before} ${called}`
}

/** `Cookie: a=b; c=d` is handled in detail elsewhere. */
export const isListOfCookies = (name: string, value: string): boolean =>
  /cookie$/i.test(name) && /^[\w.-]+=/.test(value)

/** The length of a value's beginning that is enough to judge it. */
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

/** The name that contains a hint; undefined when it is too long for a name. */
function nameAround(text: string, at: number, length: number): Range | undefined {
  let start = at
  let end = at + length
  // Other scripts have no space between a name and what follows.
  const isClosed = text.charCodeAt(end - 1) > 0x2fff
  while (start > 0 && isNameChar(text.charCodeAt(start - 1))) if (at - --start > LONGEST_NAME) return undefined
  while (!isClosed && end < text.length && isNameChar(text.charCodeAt(end)))
    if (++end - at > LONGEST_NAME) return undefined
  // The n of an escaped line end (\n) is not part of the name after it.
  if (text[start - 1] === '\\' && start < at && /[nrtbf]/.test(text[start] ?? '')) start++
  while (text[end - 1] === '.' && end > at + length) end--
  return { start, end }
}

/** Quotes may be escaped: any number of backslashes before each. */
const CLOSING = /(?:\\*["'`\]]|\*{1,2}|\[\d{0,4}\]){0,2}/y
const SEPARATOR =
  /(?: \([^()\n]{1,20}\)| \[[^[\]\n]{1,20}\]| \d{1,2})?[ \t]{0,20}(=>|:=|\?=|\|=|={1,3}|!==?|::(?= )|:|＝|：|%3D)(?:\*\*|<\/?\w{1,8}>)?[ \t]*(?:<(?:b|i|em|code|kbd|strong)>)?(?:&\w+[ \t]+(?!=))?(?:\\*[rn][ \t]+|\r?\n[ \t]+)?/y
/** `${NAME:-…}` is a shell variable with a default; Spring writes `${name:…}`. */
const SHELL_DEFAULT = /(?::?[-=]|:(?![-=?+\d]))(?=[^}$\s])/y
/** `{ get; set; } = "…"`, `As String = "…"` */
const ACCESSORS =
  /(?:[ \t]*\{[ \t]*get;[^{}\n]{0,40}\}|[ \t]+As[ \t]+\w+|[ \t]+n?(?:var)?char\(\w{1,4}\))[ \t]*=[ \t]*N?(?=\\*["'])/iy

function valueBehind(text: string, name: Range): FoundValue | undefined {
  if (text.startsWith('${', name.start - 2)) {
    const otherwise = match(SHELL_DEFAULT, text, name.end)
    const end = otherwise ? text.indexOf('}', name.end) : -1
    return otherwise && end !== -1 ? { start: name.end + otherwise[0].length, end, form: 'env' } : undefined
  }
  const close = match(CLOSING, text, name.end)?.[0] ?? ''
  const at = name.end + close.length
  const separator = match(SEPARATOR, text, at)
  const accessors = separator === null ? match(ACCESSORS, text, at) : null
  if (accessors) return valueAt(text, at + accessors[0].length, 'code')
  if (separator === null) return looseValue(text, name, at)
  const sign = separator[1] ?? ''
  if (/^(?:={2,3}|!==?)$/.test(sign)) return comparedValue(text, at + separator[0].length)
  const from = at + separator[0].length + (match(BLOCK, text, at + separator[0].length)?.[0].length ?? 0)
  const form = formOf(text, name, close, sign, separator[0])
  // In a shell this is the output of a command.
  if (form === 'env' && text[from] === '`') return undefined
  return valueOfTyped(text, from, sign) ?? valueWrapped(text, from) ?? valueAt(text, from, form)
}

/** A multi-line text in YAML; a quoted word in Perl. */
const BLOCK = /[|>][-+]?[ \t]*(?:\r?\n|\\+n)[+>]?[ \t]+|qq?[{(](?=[^\s{(])/y

const TYPE =
  /&?(?:'\w+[ \t]+)?[A-Za-z_][\w.]*(?:[[<][\w., |"']{1,40}[\]>])?(?:[ \t]*\|[ \t]*\w+)?\??[ \t]*=[ \t]*(?=[bruf]?\\*["'`])/y

/** `token: string = '…'` */
function valueOfTyped(text: string, at: number, sign: string): FoundValue | undefined {
  const type = sign === ':' ? match(TYPE, text, at) : null
  return type ? valueAt(text, at + type[0].length, 'code') : undefined
}

const WRAPPING =
  /(?:String::from|new String|String|Some|Secret(?:String|Box)?::(?:new|from)|Buffer\.from|bytes|bytearray|SecureString|bytes\.fromhex|(?:binascii\.)?unhexlify|hex\.DecodeString|(?:base64\.)?b64decode|bcrypt|Hash::make|MD5|SHA[125]\w{0,4}|PASSWORD|ENCRYPT|sha(?:1|256|512)|md5)\([ \t]*(?=\\*["'])/iy

/** `password = String::from("…")` */
function valueWrapped(text: string, at: number): FoundValue | undefined {
  const wrapping = match(WRAPPING, text, at)
  return wrapping ? valueAt(text, at + wrapping[0].length, 'quoted') : undefined
}

/** `if (token === '…')`: only a literal can be a secret there. */
function comparedValue(text: string, at: number): FoundValue | undefined {
  const value = valueAt(text, at, 'code')
  return value?.form === 'quoted' ? value : undefined
}

function formOf(text: string, name: Range, close: string, sign: string, separator: string): ValueForm {
  const before = text[name.start - 1] ?? ''
  if (before === '?' || before === '&' || sign === '%3D' || text.startsWith('&amp;', name.start - 5)) return 'query'
  if (text.slice(name.start, name.start + 2) === '--' || (before === '-' && text[name.start - 2] === '-')) return 'flag'
  if (sign === '=' && separator === '=') return 'env'
  if (sign === ':' || sign === '：') return close.includes('"') ? 'quoted' : 'field'
  return /^[A-Z][A-Z0-9_]*$/.test(text.slice(name.start, name.end)) ? 'env' : 'code'
}
