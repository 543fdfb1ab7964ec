import type { HasWord } from '../needles.ts'
import { all, type Range } from '../range.ts'
import { isFullOfSigns, isStandIn } from './values.ts'

/** A pattern for secrets in one place, and words that a text must contain, so that most texts need no search. */
export interface Form {
  /** Every text that the pattern matches contains one of these. */
  readonly needles: readonly string[]
  /** And one of these, if there are any. */
  readonly also?: readonly string[] | undefined
  /** The secret is its last group, and nothing follows it. */
  readonly pattern: RegExp
  readonly isWord: boolean
  readonly judge?: Judge | undefined
}

/** Whether a value looks like a secret. */
export type Judge = (value: string) => boolean

/**
 * A pattern that starts with this must match at the start of a word. That is checked after the match: searching for a
 * plain word is many times faster.
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

/** Whether a word begins here; the n of an escaped line end (\n) is not part of it. */
function isStart(text: string, at: number): boolean {
  if (!/\w/.test(text[at - 1] ?? ' ')) return true
  return text[at - 2] === '\\' && /[nrt]/.test(text[at - 1] ?? '')
}

const REFERENCE = /^\$|^<|^\{|^%|^\*|^-|REDACTED|^(?:stdin|file|env):?/

/** Every secret that one of the forms matches. */
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
