import { Fault } from '../../base/fault.ts'
import { type Machine, next } from '../../base/machine.ts'
import type { IssueStatus } from '../../records/issues.ts'
import type { TravelState } from '../../records/travels.ts'

/** The status changes of a friction issue. A change back needs a reason. */
export const ISSUE: Machine<IssueStatus, IssueStatus> = {
  open: { investigating: 'investigating', fixed: 'fixed', wontfix: 'wontfix' },
  investigating: { open: 'open', fixed: 'fixed', wontfix: 'wontfix' },
  fixed: { open: 'open', investigating: 'investigating' },
  wontfix: { open: 'open', investigating: 'investigating' },
}

/** The changes back: from work to none, or from an end to work again. */
export const isWayBack = (from: IssueStatus, to: IssueStatus): boolean =>
  (from === 'investigating' && to === 'open') || from === 'fixed' || from === 'wontfix'

export function moveIssue(id: string, from: IssueStatus, to: IssueStatus, reason: string | undefined): IssueStatus {
  const moved = next(ISSUE, from, to, (allowed) => new Fault('ISSUE_BAD_MOVE', { id, from, to, allowed }))
  if (isWayBack(from, to) && !reason) throw new Fault('ISSUE_NEEDS_REASON', { id, from, to })
  return moved
}

type TravelEvent = 'arrive' | 'turn_back' | 'leave' | 'come_home' | 'fail' | 'differ' | 'acknowledge'

/**
 * The states of a journey. `departing` and `returning` last as long as a journal is open for them: after a crash, the
 * next command finishes the journal, and then changes the state.
 */
export const TRAVEL: Machine<TravelState, TravelEvent> = {
  departing: { arrive: 'past', turn_back: 'ended' },
  past: { leave: 'returning' },
  returning: { come_home: 'ended', fail: 'past', differ: 'blocked' },
  blocked: { acknowledge: 'ended' },
  ended: {},
}

export const moveTravel = (state: TravelState, event: TravelEvent): TravelState =>
  next(TRAVEL, state, event, () => new Fault('INTERNAL', { problem: `a journey that is ${state} cannot ${event}` }))

/** The mode that state.json shows. */
export const modeOf = (state: TravelState | undefined): 'present' | 'past' =>
  state === 'departing' || state === 'past' || state === 'returning' ? 'past' : 'present'
