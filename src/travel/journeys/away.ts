import { Fault } from '../../base/fault.ts'
import type { Records } from '../../records/records.ts'
import type { TravelRecord } from '../../records/travels.ts'
import { modeOf } from './machine.ts'

/** What is refused while a workspace is in the past, or differs from what it was before a journey. */

export const isTravelling = (travel: TravelRecord | undefined): travel is TravelRecord =>
  travel !== undefined && modeOf(travel.state) === 'past'

/** Faults unless the workspace is in the present, and the present is not blocked. */
export function refuseWhileTravelling(records: Records, workspace: { id: string }): void {
  const current = records.travels.current(workspace.id)
  refuseBlocked(current)
  if (!isTravelling(current)) return
  const entered_at = new Date(current.entered_at).toISOString()
  throw new Fault('ALREADY_IN_PAST', { snapshot_id: current.snapshot_id, entered_at })
}

/** Faults until a person has acknowledged how the present differs from what it was before the journey. */
export function refuseBlocked(travel: TravelRecord | undefined): void {
  if (travel?.state !== 'blocked') return
  throw new Fault('HOME_DIFFERS', { backup_id: travel.backup_id ?? '', paths: travel.problems })
}
