import { expect, test } from 'vitest'
import type { IssueRecord } from '../../records/issues.ts'
import { likeness, ranked, scoreOf } from './similar.ts'

const told = (symptom: string, task_context = '') => ({ symptom, task_context })

test('the share of common words tells how alike two are, in any script', () => {
  expect(likeness(told('The port was taken'), told('the PORT was taken!'))).toBe(1)
  expect(likeness(told('The port was taken'), told('Nothing in common here'))).toBe(0)
  expect(likeness(told('漏掉前置步骤'), told('再次漏掉前置步骤'))).toBeGreaterThan(0.5)
  expect(likeness(told(''), told(''))).toBe(0)
})

const issue = (id: string, grades: Partial<IssueRecord>): IssueRecord => ({
  id,
  workspace: 'w',
  created_at: 1,
  status: 'open',
  snapshot_id: 's',
  session_id: null,
  task_context: '',
  symptom: '',
  success_criteria: '',
  suspected_cause: null,
  chat_summary: null,
  impact: null,
  frequency: null,
  reproducibility: null,
  similar_to: [],
  history: [],
  tree: '',
  earlier: [],
  ...grades,
})

test('impact, frequency and reproducibility rank; every similar one makes it more frequent; of equals the newest', () => {
  expect(scoreOf(issue('a', {}))).toBe(27)
  expect(scoreOf(issue('a', { similar_to: ['b', 'c', 'd'] }))).toBe(45)
  const issues = [
    issue('low', { impact: 1 }),
    issue('old', {}),
    issue('new', { created_at: 2 }),
    issue('high', { impact: 5 }),
  ]
  expect(ranked(issues).map(({ id }) => id)).toEqual(['high', 'new', 'old', 'low'])
})
