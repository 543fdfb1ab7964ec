import type { HasWord } from '../needles.ts'
import { all, type Range } from '../range.ts'
import { isFullOfSigns, isStandIn } from './values.ts'

/** A pattern for secrets in one place, and what spares most texts the search for it. */
export interface Form {
  /** One of these is in every text that the pattern matches. */
  readonly needles: readonly string[]
  /** So is one of these, if there are any. */
  readonly also?: readonly string[] | undefined
  /** The secret is its last group, and nothing stands behind it. */
  readonly pattern: RegExp
  readonly isWord: boolean
  readonly judge?: Judge | undefined
}

/** What a value must look like to be taken. */
export type Judge = (value: string) => boolean

/**
 * A pattern that begins with this begins with a word. Whether one begins where it matches is looked at afterwards: a search for a
 * plain word is many times quicker.
 */
export const START = '(?:)'
export const QUOTE = '\\\\*["\']?'
export const WORD = '([^\\s"\'`;|&<>\\\\]+)'
/** The rest of a command, as short as possible. */
export const ON = '[^\\n|;]{0,300}?'

export const form = (needles: string, pattern: string, flags = 'g', judge?: Judge, also?: string): Form => ({
  needles: needles.split(' '),
  also: also?.split(' '),
  pattern: new RegExp(
    pattern.replaceAll(START, () => ''),
    flags,
  ),
  isWord: pattern.startsWith(START),
  judge,
})

/** A word begins here; the n of a line end that is itself quoted (\n) is none of it. */
function isStart(text: string, at: number): boolean {
  if (!/\w/.test(text[at - 1] ?? ' ')) return true
  return text[at - 2] === '\\' && /[nrt]/.test(text[at - 1] ?? '')
}

const REFERENCE = /^\$|^<|^\{|^%|^\*|^-|REDACTED|^(?:stdin|file|env):?/

/** Every secret that one of the forms tells. */
export function findForms(text: string, forms: readonly Form[], into: Range[], holds: HasWord): void {
  for (const { needles, also, pattern, isWord, judge } of forms) {
    if (!needles.some(holds) || also?.some(holds) === false) continue
    for (const found of all(pattern, text)) {
      if (isWord && !isStart(text, found.index)) continue
      const value = found.find((group, i) => i > 0 && group !== undefined) ?? ''
      const end = found.index + found[0].length
      if (
        value === '' ||
        (REFERENCE.test(value) && !isFullOfSigns(value)) ||
        isStandIn(value) ||
        judge?.(value) === false
      )
        continue
      into.push({ start: end - value.length, end })
    }
  }
}
