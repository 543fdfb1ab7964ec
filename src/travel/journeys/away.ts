import { Fault } from '../../base/fault.ts'
import type { Records } from '../../records/records.ts'
import type { TravelRecord } from '../../records/travels.ts'
import { modeOf } from './machine.ts'

/** What may not be done while a workspace is away, or not as it was. */

export const isTravelling = (travel: TravelRecord | undefined): travel is TravelRecord =>
  travel !== undefined && modeOf(travel.state) === 'past'

/** Only from the present, and only when it is known to be as it was. */
export function refuseWhileTravelling(records: Records, workspace: { id: string }): void {
  const current = records.travels.current(workspace.id)
  refuseBlocked(current)
  if (!isTravelling(current)) return
  const entered_at = new Date(current.entered_at).toISOString()
  throw new Fault('ALREADY_IN_PAST', { snapshot_id: current.snapshot_id, entered_at })
}

/** Nothing is written until somebody has looked at how the present differs from what it was. */
export function refuseBlocked(travel: TravelRecord | undefined): void {
  if (travel?.state !== 'blocked') return
  throw new Fault('HOME_DIFFERS', { backup_id: travel.backup_id ?? '', paths: travel.problems })
}
