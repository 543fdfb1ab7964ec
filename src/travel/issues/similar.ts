import type { IssueRecord } from '../../records/issues.ts'

/** Finds similar issues, and ranks issues by urgency. Pure. */

const LIKE = 0.5
const SHORT = 3

type Told = Pick<IssueRecord, 'symptom' | 'task_context'>

/** The words of a text; for scripts without spaces, each pair of adjacent characters. */
function wordsOf(text: string): Set<string> {
  const words = new Set<string>()
  for (const [run] of text.toLowerCase().matchAll(/[\p{L}\p{N}_]+/gu)) {
    if (!/\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}/u.test(run)) {
      if (run.length >= SHORT) words.add(run)
      continue
    }
    const chars = Array.from(run)
    for (let i = 0; i + 1 < chars.length; i++) words.add(`${chars[i]}${chars[i + 1]}`)
  }
  return words
}

/** The share of words that two issues have in common, from 0 to 1. */
export function likeness(a: Told, b: Told): number {
  const [one, other] = [wordsOf(`${a.symptom} ${a.task_context}`), wordsOf(`${b.symptom} ${b.task_context}`)]
  const common = [...one].filter((word) => other.has(word)).length
  const all = one.size + other.size - common
  return all === 0 ? 0 : common / all
}

/** Similar issues, the most similar first. */
export const similarTo = (issue: Told, others: readonly IssueRecord[]): IssueRecord[] =>
  others
    .map((other) => ({ other, alike: likeness(issue, other) }))
    .filter(({ alike }) => alike >= LIKE)
    .sort((a, b) => b.alike - a.alike)
    .map(({ other }) => other)

/** The same friction, reported twice. */
export const isSameReport = (a: Told & { snapshot_id: string }, b: IssueRecord): boolean =>
  a.snapshot_id === b.snapshot_id && a.symptom === b.symptom && a.task_context === b.task_context

const MIDDLE = 3
const MOST = 5

/**
 * Impact times frequency times reproducibility; a missing value counts as the middle. Every similar issue adds to the
 * frequency.
 */
export function scoreOf({ impact, frequency, reproducibility, similar_to }: IssueRecord): number {
  const often = Math.min(MOST, (frequency ?? MIDDLE) + similar_to.length)
  return (impact ?? MIDDLE) * often * (reproducibility ?? MIDDLE)
}

/** The most urgent first; of equals the newest. */
export const ranked = (issues: readonly IssueRecord[]): IssueRecord[] =>
  [...issues].sort((a, b) => scoreOf(b) - scoreOf(a) || b.created_at - a.created_at || (a.id < b.id ? 1 : -1))
