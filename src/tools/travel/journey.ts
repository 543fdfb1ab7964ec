import { join } from 'node:path'
import type { ToolCall } from '../../app/handler.ts'
import { outPath } from '../../base/quote.ts'
import type { SnapshotRecord } from '../../records/snapshot-record.ts'
import type { TravelRecord } from '../../records/travels.ts'
import { compareTrees, isChange } from '../../store/compare-trees.ts'
import { Trees } from '../../timeline/capture/trees.ts'
import { issueFolder } from '../../travel/issues/issue-folder.ts'
import { EXPERIMENT_FILE } from '../../travel/issues/issue-text.ts'
import { environmentOf } from '../../travel/journeys/environment.ts'
import { mismatches } from '../../travel/journeys/lock-files.ts'

/** How journeys are described in answers. */

export const iso = (ms: number): string => new Date(ms).toISOString()

/** What may not fit the past state. */
export const remarks = (call: ToolCall, locks: readonly string[], target: SnapshotRecord): string[] =>
  mismatches(locks, target.facts.env_fingerprint, {
    platform: process.platform,
    ...(target.facts.env_fingerprint['python'] === undefined ? {} : environmentOf(call.app.home)),
  })

export const journeyFields = (journey: TravelRecord, dir: string) => ({
  snapshot_id: journey.snapshot_id,
  issue_id: journey.issue_id,
  backup_path: journey.backup_id,
  entered_at: iso(journey.entered_at),
  guard_token: journey.id,
  dir,
})

/** What was changed during the journey, compared with the state on arrival. */
export function experimentFields(call: ToolCall, journey: TravelRecord, root: string) {
  const { snapshots } = call.app.records
  const [arrival, experiment] = [snapshots.get(journey.arrival_id ?? ''), snapshots.get(journey.experiment_id ?? '')]
  const { read } = new Trees(call.app.store.reader)
  const differences =
    arrival?.content && experiment?.content ? [...compareTrees(read, arrival.tree, experiment.tree)] : []
  return {
    snapshot_id: journey.snapshot_id,
    issue_id: journey.issue_id,
    backup_path: journey.backup_id,
    experiment_id: journey.experiment_id ?? '',
    changed: differences.filter(isChange).map(({ path }) => outPath(path)),
    experiment_path: journey.issue_id === null ? null : join(issueFolder(root, journey.issue_id), EXPERIMENT_FILE),
  }
}
