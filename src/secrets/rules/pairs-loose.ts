import type { Range } from '../range.ts'
import { type FoundValue, match, valueAt } from './value-at.ts'
import { isPasswordLike, isRandom, isUuid } from './values.ts'

/**
 * Values that follow their name without a sign in between. Each of these forms has stricter conditions for the value.
 */
export function looseValue(text: string, name: Range, at: number): FoundValue | undefined {
  return (
    valueOfFlag(text, name, at) ??
    valueInElement(text, name) ??
    valueToldApart(text, at) ??
    valueInCall(text, at) ??
    valueInForm(text, at) ??
    valueOtherwise(text, at) ??
    valueInCell(text, at) ??
    valueInColumn(text, name) ??
    valueBySpace(text, at)
  )
}

const WORD_SEPARATOR = /[ \t]+/y
/** After the name of a form field: what is typed into it, or its content. */
const TYPED =
  /[^\n(]{0,10}(?:\.\w{1,20}\(\)){0,2}\.(?:type|typeText|fill|send_?[kK]eys|setValue|val|set|pressSequentially)\([ \t]*(?=\\*["'`])|[^<>\n]{0,80}?[ \t]value=(?=\\*["'])|[^\n(]{0,10}\)\.(?:value|innerText|textContent|text)[ \t]*=[ \t]*(?=\\*["'`])/y
const OTHERWISE = /[)\]]?[ \t]*(?:\|\|=?|\?\?=?|\?:)[ \t]*(?=\\*["'`])|(?:\)|(?<=\w))[ \t]+or[ \t]+(?=\\*["'])/y
const DEFAULT = /[^\n]{0,60}?(?:\n|\\n)?[+> \t]{0,12}\\*["']?\bdefault\\*["']?[ \t]*[:=(][ \t]*(?=\S)/y
const CELL = /[ \t]*\|[ \t]*/y
const PLIST = /<\/[\w:]{1,20}>\s*<[\w:]{1,20}(?:[ \t][^<>\n]{0,80})?>([^<>\s]+)(?=<\/)/y
/** `<entry key="password">…</entry>` */
const ATTRIBUTE = /\\*["'][^<>\n]{0,80}>([^<>\s]+)(?=<\/)/y
const START_TAG = /[^<>\n]{0,80}>/y
const ELEMENT = /(?:<!\[CDATA\[)?([^<>\s]+?)(?=(?:\]\]>)?<\/)/y
const APART = /\\*["']?\s*,?(?:\\+[nr])?\s*(?:[+> -] *)?\\*["']?value\\*["']?\s*(?:=>|[:=])\s*/iy
const IN_CALL = /\\*["'`]?\)?[ \t]*(?:,|\()[ \t]*(?:with:[ \t]*)?(?=\\*["'`])/y

/** `<password>…</password>` */
function valueInElement(text: string, name: Range): FoundValue | undefined {
  const plist = match(PLIST, text, name.end)
  if (plist) {
    const end = name.end + plist[0].length
    return { start: end - (plist[1]?.length ?? 0), end, form: 'quoted' }
  }
  const attribute = match(ATTRIBUTE, text, name.end)
  if (attribute) {
    const end = name.end + attribute[0].length
    return { start: end - (attribute[1]?.length ?? 0), end, form: 'quoted' }
  }
  if (!/<(?:\w{1,20}:)?$/.test(text.slice(Math.max(0, name.start - 22), name.start))) return undefined
  const tag = match(START_TAG, text, name.end)
  const value = tag ? match(ELEMENT, text, name.end + tag[0].length) : null
  if (value === null) return undefined
  const end = value.index + value[0].length
  return { start: end - (value[1]?.length ?? 0), end, form: 'quoted' }
}

/** `name: PASSWORD` followed by `value: …`, in YAML, JSON or XML. */
function valueToldApart(text: string, at: number): FoundValue | undefined {
  const apart = match(APART, text, at)
  return apart ? valueAt(text, at + apart[0].length, 'field') : undefined
}

/**
 * `set('password', '…')`, `setPassword('…')`: any list of words looks like that, so the value must look like a secret.
 */
function valueInCall(text: string, at: number): FoundValue | undefined {
  const call = match(IN_CALL, text, at)
  const value = call ? valueAt(text, at + call[0].length, 'code') : undefined
  return value ? { ...value, form: value.form === 'quoted' ? 'listed' : 'code' } : undefined
}

/** `token …`, `ENV API_KEY …`: only values that can be nothing else. */
function valueBySpace(text: string, at: number): FoundValue | undefined {
  const space = match(WORD_SEPARATOR, text, at)
  if (space === null || /sig(?:nature)?$/i.test(text.slice(at - 9, at))) return undefined
  const value = valueAt(text, at + space[0].length, 'flag')
  const word = value ? text.slice(value.start, Math.min(value.end, value.start + 200)) : ''
  const isOne =
    isRandom(word) ||
    (isUuid(word) && /(?:token|secret|key)$/i.test(text.slice(at - 6, at))) ||
    (word.length >= 8 && [/[a-z]/, /[A-Z]/, /\d/, /[!@#$%^&*?+~]/].every((kind) => kind.test(word)))
  return isOne && !/[()[\]{}<>]/.test(word) ? value : undefined
}

/** `--password hunter2`; also `password hunter2` as in .netrc and `aws configure set`. */
function valueOfFlag(text: string, name: Range, at: number): FoundValue | undefined {
  const space = match(WORD_SEPARATOR, text, at)
  if (space === null || at !== name.end) return undefined
  const isFlag = text[name.start] === '-' || /(?:^|[\s'"])-$/.test(text.slice(name.start - 2, name.start))
  const isSetting = /(?:\bset|\blogin[ \t]+\S{1,100})[ \t]+$/.test(
    text.slice(Math.max(0, name.start - 130), name.start),
  )
  if (!isFlag && !isSetting) return undefined
  const value = valueAt(text, at + space[0].length, 'flag')
  if (value === undefined || text.startsWith('-', value.start)) return undefined
  // "set password ages" is English.
  const isEnglish = !isFlag && value.form !== 'quoted' && /\bset[ \t]+$/.test(text.slice(name.start - 5, name.start))
  if (
    isEnglish &&
    !/[_A-Z]/.test(text.slice(name.start, name.end)) &&
    !isPasswordLike(text.slice(value.start, value.end))
  )
    return undefined
  return value
}

/** `getByLabel('Password').fill('…')`, `<input type="password" value="…">` */
function valueInForm(text: string, at: number): FoundValue | undefined {
  const typed = match(TYPED, text, at)
  return typed ? valueAt(text, at + typed[0].length, 'quoted') : undefined
}

/** `env.PASSWORD || '…'` */
function valueOtherwise(text: string, at: number): FoundValue | undefined {
  const otherwise = match(OTHERWISE, text, at)
  return otherwise ? valueAt(text, at + otherwise[0].length, 'quoted') : undefined
}

/** `variable "password" { default = "…" }`, `z.string().default('…')` */
export function valueByDefault(text: string, at: number): FoundValue | undefined {
  const byDefault = match(DEFAULT, text, at)
  return byDefault ? valueAt(text, at + byDefault[0].length, 'code') : undefined
}

const COLUMN = /(?:[ \t]{2,}|\t|\\t)([^\s"'`<>|]{6,200})(?=[ \t]*(?:\r?\n|\\+n|$))/y

/** A line with two columns, name and value, separated by more than one space. */
function valueInColumn(text: string, name: Range): FoundValue | undefined {
  const column = match(COLUMN, text, name.end)
  if (column === null || !/(?:^|\n|\\n)[+>]?[ \t]*$/.test(text.slice(Math.max(0, name.start - 20), name.start)))
    return undefined
  const value = column[1] ?? ''
  const end = name.end + column[0].length
  return isPasswordLike(value, true) ? { start: end - value.length, end, form: 'env' } : undefined
}

/** `| SecretAccessKey | … |` */
function valueInCell(text: string, at: number): FoundValue | undefined {
  const cell = match(CELL, text, at)
  const value = cell ? valueAt(text, at + cell[0].length, 'flag') : undefined
  return value && isRandom(text.slice(value.start, Math.min(value.end, value.start + 200))) ? value : undefined
}
