import { oneLined, visible } from '../base/visible.ts'
import type { Spec } from './spec.ts'

/** What a tool answered, in words. What comes from the workspace or its history cannot pass for words of ours. */

/** For people: every name, label and content is visible, and stays on its line. */
export const textOf = (spec: Spec, output: object): string => visible(spec.text(oneLined(output) as never))

/** For a model: what we say, and what the workspace and its history say. Each may be empty. */
export interface Parts {
  readonly own: string
  readonly data: string
}

/**
 * Lines before the first and after the last one that holds data are ours. To find them the answer is rendered once more
 * with a mark in each text that is not ours; what the mark reaches is data.
 */
export function partsOf(spec: Spec, output: object): Parts {
  const lines = textOf(spec, output).split('\n')
  const marked = spec.text(withMarks(oneLined(output)) as never).split('\n')
  // Where a mark changed what is rendered, nothing can be told apart.
  if (marked.length !== lines.length) return { own: '', data: lines.join('\n') }
  const first = marked.findIndex(hasMark)
  if (first === -1) return { own: lines.join('\n'), data: '' }
  const end = marked.findLastIndex(hasMark) + 1
  return { own: [...lines.slice(0, first), ...lines.slice(end)].join('\n'), data: lines.slice(first, end).join('\n') }
}

/** One that no text of ours holds; in data it does no harm. */
const MARK = '\u{F0002}'
const hasMark = (line: string): boolean => line.includes(MARK)

/** Ids, hashes, times and single short words are ours, or say nothing: texts are chosen by them. */
const PLAIN = /^(?:[a-z]+_\d{8}_\d{6}_[0-9a-z]{6}|[0-9a-f]{40,64}|\d{4}-\d\d-\d\dT[\d:.]+Z|[a-z]+(?:[-_][a-z]+)?|)$/
const PLAIN_LENGTH = 64

function withMarks(value: unknown): unknown {
  if (typeof value === 'string')
    return value.length <= PLAIN_LENGTH && PLAIN.test(value) && (value.length <= 16 || /\d/.test(value))
      ? value
      : MARK + value.replaceAll('\n', `\n${MARK}`)
  if (Array.isArray(value)) return value.map(withMarks)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withMarks(inner)]))
}
