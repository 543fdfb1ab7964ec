import type { Range } from './range.ts'
import { match, type Value, valueAt } from './value-at.ts'
import { isRandom } from './values.ts'

/** Values that stand behind their name without a sign between them. Each of these ways asks more of the value. */
export function looseValue(text: string, name: Range, at: number): Value | undefined {
  return (
    valueOfFlag(text, name, at) ??
    valueInElement(text, name) ??
    valueToldApart(text, at) ??
    valueInCall(text, at) ??
    valueInProse(text, at) ??
    valueBySpace(text, at)
  )
}

const WORD_SEPARATOR = /[ \t]+/y
const IS =
  /[ \t]{1,3}(?:is|was|are|will be|should be|to|为|是)[ \t]{0,3}[:：]?[ \t]{0,3}|[ \t]{0,3}(?:为|是)[ \t]{0,3}/y
const ELEMENT = /([^<>\s]+)(?=<\/)/y
const APART = /\\*["']?\s*,?(?:\\+[nr])?\s*(?:[+> -] *)?\\*["']?value\\*["']?\s*(?:=>|[:=])\s*/iy
const IN_CALL = /\\*["'`]?[ \t]*(?:,|\()[ \t]*(?=\\*["'`])/y

/** `<password>…</password>` */
function valueInElement(text: string, name: Range): Value | undefined {
  if (text[name.start - 1] !== '<' || text[name.end] !== '>') return undefined
  const value = match(ELEMENT, text, name.end + 1)
  return value ? { start: value.index, end: value.index + value[0].length, form: 'quoted' } : undefined
}

/** `name: PASSWORD` with `value: …` behind it, in YAML, JSON or XML. */
function valueToldApart(text: string, at: number): Value | undefined {
  const apart = match(APART, text, at)
  return apart ? valueAt(text, at + apart[0].length, 'field') : undefined
}

/** `set('password', '…')`, `setPassword('…')`: any list of words looks like that, so not every word is one. */
function valueInCall(text: string, at: number): Value | undefined {
  const call = match(IN_CALL, text, at)
  const value = call ? valueAt(text, at + call[0].length, 'code') : undefined
  return value ? { ...value, form: 'code' } : undefined
}

/** `token …`, `ENV API_KEY …`: only what can be nothing else. */
function valueBySpace(text: string, at: number): Value | undefined {
  const space = match(WORD_SEPARATOR, text, at)
  if (space === null) return undefined
  const value = valueAt(text, at + space[0].length, 'flag')
  const word = value ? text.slice(value.start, Math.min(value.end, value.start + 200)) : ''
  const isOne =
    isRandom(word) || (word.length >= 8 && [/[a-z]/, /[A-Z]/, /\d/, /[!@#$%^&*?+~]/].every((kind) => kind.test(word)))
  return isOne && !/[()[\]{}<>]/.test(word) ? value : undefined
}

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
