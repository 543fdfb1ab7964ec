import { expect, test } from 'vitest'
import { Fault } from '../../base/fault.ts'
import { ISSUE, isWayBack, modeOf, moveIssue, moveTravel, TRAVEL } from './machine.ts'

const STATUSES = ['open', 'investigating', 'fixed', 'wontfix'] as const

test('an issue moves as the table says, and no other way', () => {
  const moves = STATUSES.flatMap((from) =>
    STATUSES.map((to) => {
      try {
        return `${from} → ${moveIssue('i', from, to, 'because')}${isWayBack(from, to) ? ' (with a reason)' : ''}`
      } catch (error) {
        return `${from} ✗ ${to} ${(error as Fault).code}`
      }
    }),
  )
  expect(moves).toEqual([
    'open ✗ open ISSUE_BAD_MOVE',
    'open → investigating',
    'open → fixed',
    'open → wontfix',
    'investigating → open (with a reason)',
    'investigating ✗ investigating ISSUE_BAD_MOVE',
    'investigating → fixed',
    'investigating → wontfix',
    'fixed → open (with a reason)',
    'fixed → investigating (with a reason)',
    'fixed ✗ fixed ISSUE_BAD_MOVE',
    'fixed ✗ wontfix ISSUE_BAD_MOVE',
    'wontfix → open (with a reason)',
    'wontfix → investigating (with a reason)',
    'wontfix ✗ fixed ISSUE_BAD_MOVE',
    'wontfix ✗ wontfix ISSUE_BAD_MOVE',
  ])
})

test('without a reason nothing goes back', () => {
  for (const from of STATUSES)
    for (const to of STATUSES)
      if (ISSUE[from][to] && isWayBack(from, to)) expect(() => moveIssue('i', from, to, undefined)).toThrow(Fault)
})

test('a journey moves as the table says, and no other way', () => {
  const events = ['arrive', 'leave', 'come_home', 'fail', 'differ', 'acknowledge'] as const
  const states = ['departing', 'past', 'returning', 'blocked', 'ended'] as const
  const moves = states.flatMap((state) =>
    events.flatMap((event) => {
      if (TRAVEL[state][event]) return [`${state} ${event} → ${moveTravel(state, event)}`]
      expect(() => moveTravel(state, event)).toThrow(Fault)
      return []
    }),
  )
  expect(moves).toEqual([
    'departing arrive → past',
    'past leave → returning',
    'returning come_home → ended',
    'returning fail → past',
    'returning differ → blocked',
    'blocked acknowledge → ended',
  ])
  expect(states.map((state) => modeOf(state))).toEqual(['past', 'past', 'past', 'present', 'present'])
})
