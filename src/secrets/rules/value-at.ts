import type { Range } from '../range.ts'
import type { ValueForm } from './values.ts'

/** The position of a value and its notation. */
export interface FoundValue extends Range {
  readonly form: ValueForm
}

/** The match of a sticky or global pattern from `at` on. */
export function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

const OPENING = /(?:[bBrRuUfFN@$]{1,2}(?=\\*["']))?(\\*)("""|'''|["'`“‘「])/y

const CLOSING: Readonly<Record<string, string>> = { '“': '”', '‘': '’', '「': '」' }

/** A quoted value up to its quote; any other up to where its notation ends it. */
export function valueAt(text: string, at: number, form: ValueForm): FoundValue | undefined {
  const open = match(OPENING, text, at)
  if (open) return quotedValue(text, at + open[0].length, open[1]?.length ?? 0, CLOSING[open[2] ?? ''] ?? open[2] ?? '')
  const bare = text.slice(at, at + LONGEST_VALUE)
  const end = at + withoutStop(bare.slice(0, bareEnd(bare, 0, form)))
  return end > at ? { start: at, end, form: form === 'quoted' ? 'code' : form } : undefined
}

/** The length without punctuation that ends a sentence or closes an earlier bracket. */
function withoutStop(value: string): number {
  const foreign = value.search(/[，。；、！？）」』”]/)
  const own = foreign === -1 ? value : value.slice(0, foreign)
  const stop = (own.includes('(') ? /[.,;?]+$/ : /[.,;?)]+$/).exec(own)
  return stop && stop.index > 0 && !/\.{3}$/.test(own) ? stop.index : own.length
}

/** A value is read no further than this. */
export const LONGEST_VALUE = 16 * 1024

function quotedValue(text: string, start: number, slashes: number, quote: string): FoundValue | undefined {
  const limit = Math.min(text.length, start + LONGEST_VALUE)
  for (let at = start; at < limit; at++) {
    const char = text[at]
    if (char === '\n' && quote !== '`') return undefined
    if (char !== quote[0] || (quote.length > 1 && !text.startsWith(quote, at))) continue
    let before = 0
    while (text[at - 1 - before] === '\\' && at - 1 - before >= start) before++
    if (before <= slashes) return { start, end: at - before, form: 'quoted' }
  }
  // A text that was cut off inside the value still shows a part of it.
  return limit === text.length && limit > start ? { start, end: limit, form: 'quoted' } : undefined
}

const ENDS: Readonly<Record<ValueForm, RegExp>> = {
  quoted: /[\s,;)\]}"'`]|\\[nrt"'\\]/g,
  env: /[\s"'`;|<>)]|&(?=&|\w+=)|&$|\\[nrt"'\\]/g,
  flag: /[\s"'`;|<>)]|\\[nrt"'\\]/g,
  query: /[\s"'`&#<>)\]}\\,;]|%26/g,
  field: /[\s"'`<>]|,(?=\s|$)|;(?=\s|$)|\\[nrt"'\\]/g,
  listed: /[\s,;"'`]|\\[nrt"'\\]/g,
  code: /[\s,;"'`]|\\[nrt"'\\]/g,
}

export const bareEnd = (text: string, at: number, form: ValueForm): number =>
  match(ENDS[form], text, at)?.index ?? text.length
