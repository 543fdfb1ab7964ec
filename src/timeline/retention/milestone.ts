import type { MilestoneRecord } from '../../records/milestones.ts'
import type { Records } from '../../records/records.ts'
import type { SnapshotRecord } from '../../records/snapshot-record.ts'
import type { Snapshots } from '../../records/snapshots.ts'
import { allFoldersAbove, type RelPath } from '../../schema/path.ts'
import { compareTrees, isChange, type ReadTree, type TreeDifference } from '../../store/compare-trees.ts'
import { pathsOf } from '../history/listing.ts'

/**
 * The combined effect of some snapshots: the state before the first compared with the state after the last, in their
 * files.
 */
export interface Combined {
  readonly paths: readonly RelPath[]
  readonly differences: readonly TreeDifference[]
}

/** `members` must be ordered from the oldest. */
export function combine(snapshots: Snapshots, read: ReadTree, members: readonly SnapshotRecord[]): Combined {
  const [first, last] = [members[0], members.at(-1)]
  if (first === undefined || last === undefined) return { paths: [], differences: [] }
  const touched = new Set(members.flatMap((member) => pathsOf(snapshots, read, member, Number.POSITIVE_INFINITY)))
  const above = allFoldersAbove(touched)
  const differences = [...compareTrees(read, snapshots.baseOf(first)?.tree, last.tree)]
  return {
    paths: [...touched].filter((path) => !above.has(path)).sort(),
    differences: differences.filter((difference) => isChange(difference) && touched.has(difference.path)),
  }
}

/** The members, the oldest first, without those that were withdrawn after a power loss or removed. */
export const membersOf = ({ snapshots }: Records, { snapshot_ids }: MilestoneRecord): SnapshotRecord[] =>
  snapshot_ids.flatMap((id) => snapshots.get(id) ?? [])

/** Changes of the workspace that are in no milestone yet, the oldest first. The very first snapshot is no change. */
export function unclaimed({ snapshots, milestones }: Records, workspace: string): SnapshotRecord[] {
  const claimed = new Set(milestones.all(workspace).flatMap(({ snapshot_ids }) => snapshot_ids))
  return snapshots
    .all(workspace)
    .filter(({ id, cause, base, content }) => cause.role === 'change' && base !== null && content && !claimed.has(id))
}
