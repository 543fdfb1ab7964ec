import { expect, test } from 'vitest'
import {
  type AuditBudget,
  type AuditFacts,
  auditNow,
  budgetAt,
  IDLE_AUDIT,
  idleAuditAfter,
  spend,
} from './audit-plan.ts'

const NOW = 1_000_000_000
const PLENTY: AuditBudget = { at: 0, leftMs: 0 }

const facts = (some: Partial<AuditFacts> = {}): AuditFacts => ({
  id: 'w',
  isWarm: true,
  busy: false,
  lastActive: NOW - 1000,
  audited: NOW - 30_000,
  auditEvery: IDLE_AUDIT.first,
  ...some,
})

test.each<[string, Partial<AuditFacts>, boolean]>([
  ['something happened since the last audit', {}, true],
  ['the last audit was just now', { audited: NOW - 29_000 }, false],
  ['nothing happened since', { lastActive: NOW - 31_000 }, false],
  ['it is not warm', { isWarm: false }, false],
])('%s: audited %s', (_, some, expected) => {
  expect(auditNow(NOW, [facts(some)], PLENTY, false)).toBe(expected ? 'w' : undefined)
})

test('without activity it waits longer each time, until something is found', () => {
  const idle = facts({ lastActive: 0, audited: NOW - IDLE_AUDIT.first })
  expect(auditNow(NOW, [idle], PLENTY, true)).toBe('w')
  expect(auditNow(NOW, [idle], PLENTY, false)).toBeUndefined()
  expect(idleAuditAfter(IDLE_AUDIT.first, false)).toBe(2 * IDLE_AUDIT.first)
  expect(idleAuditAfter(IDLE_AUDIT.longest, false)).toBe(IDLE_AUDIT.longest)
  expect(idleAuditAfter(IDLE_AUDIT.longest, true)).toBe(IDLE_AUDIT.first)
})

test('the one that has waited longest comes first', () => {
  const some = [facts({ id: 'a', audited: NOW - 50_000 }), facts({ id: 'b', audited: NOW - 60_000 })]
  expect(auditNow(NOW, some, PLENTY, false)).toBe('b')
})

test('after an expensive audit the next one waits until its cost is made up for', () => {
  const spent = spend(budgetAt(NOW, PLENTY), 3200)
  expect(auditNow(NOW + 99_000, [facts()], spent, false)).toBeUndefined()
  expect(auditNow(NOW + 101_000, [facts()], spent, false)).toBe('w')
})

/** Plays a day of turns in which every workspace is active all the time. */
function play(costs: readonly number[]): { share: number; longest: number } {
  const TURN = 10_000
  const DAY = 86_400_000
  const audited = costs.map(() => 0)
  let budget: AuditBudget = { at: 0, leftMs: 0 }
  let spent = 0
  let longest = 0
  const next = (now: number): number | undefined => {
    const all = audited.map((at, i) => facts({ id: `${i}`, lastActive: now, audited: at }))
    const id = auditNow(now, all, budget, false)
    return id === undefined ? undefined : Number(id)
  }
  for (let now = TURN; now < DAY; now += TURN)
    for (let i = next(now); i !== undefined; i = next(now)) {
      longest = Math.max(longest, now - (audited[i] ?? 0))
      audited[i] = now
      budget = spend(budgetAt(now, budget), costs[i] ?? 0)
      spent += costs[i] ?? 0
    }
  return { share: spent / DAY, longest }
}

test.each<[string, readonly number[]]>([
  ['one small workspace', [20]],
  ['one of half a million files', [6000]],
  ['many of any size', [5, 50, 500, 5000, 900, 30, 2, 10_000]],
])('all audits together take at most 2 %% of a core: %s', (_, costs) => {
  expect(play(costs).share).toBeLessThanOrEqual(0.0201)
})

test('what happens is audited within a minute, as long as all that is active costs less than a second', () => {
  expect(play([900]).longest).toBeLessThanOrEqual(60_000)
  expect(play(Array.from({ length: 30 }, () => 25)).longest).toBeLessThanOrEqual(60_000)
})
