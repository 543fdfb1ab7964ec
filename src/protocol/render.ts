import { oneLined, visible } from '../base/visible.ts'
import type { Spec } from './spec.ts'

/** A tool's answer as text. Text from the workspace or its history cannot pass for Timewarp's own. */

/** For people: every name, label and content is made visible and stays on its line. */
export const textOf = (spec: Spec, output: object): string => visible(spec.text(oneLined(output) as never))

/** For a model: Timewarp's own text, and the text from the workspace and its history. Each may be empty. */
export interface Parts {
  readonly own: string
  readonly data: string
}

/**
 * The lines before the first and after the last line with data are Timewarp's own. To find them, it renders the answer
 * a second time with a mark in each text that is data; lines that contain the mark are data.
 */
export function partsOf(spec: Spec, output: object): Parts {
  const lines = textOf(spec, output).split('\n')
  const marked = spec.text(withMarks(oneLined(output)) as never).split('\n')
  // The mark changed the number of lines, so the two cannot be told apart: treat everything as data.
  if (marked.length !== lines.length) return { own: '', data: lines.join('\n') }
  const first = marked.findIndex(hasMark)
  if (first === -1) return { own: lines.join('\n'), data: '' }
  const end = marked.findLastIndex(hasMark) + 1
  return { own: [...lines.slice(0, first), ...lines.slice(end)].join('\n'), data: lines.slice(first, end).join('\n') }
}

/** A character that none of Timewarp's texts contains; in data it is harmless. */
const MARK = '\u{F0002}'
const hasMark = (line: string): boolean => line.includes(MARK)

/**
 * Ids, hashes, times and single short words get no mark: they are Timewarp's own or carry no message, and texts are
 * selected by them.
 */
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
