import { lazily } from '../../base/lazily.ts'
import { outPath } from '../../base/quote.ts'
import { count } from '../../base/text.ts'
import { Rules, type RulesData } from '../../config/rules.ts'
import { lstat } from '../../host/files/fs.ts'
import type { SnapshotRecord } from '../../records/snapshot-record.ts'
import type { Snapshots } from '../../records/snapshots.ts'
import { foldersAbove, type RelPath } from '../../schema/path.ts'
import type { TreeDifference } from '../../store/compare-trees.ts'
import { KIND } from '../../store/tree.ts'
import type { Workspace } from '../workspace/workspace.ts'

/**
 * Paths that are missing from a state because a rule now excludes them, not because they were deleted. That is no
 * change of the workspace, and it is reported as an exclusion.
 */

/** For the present state: the path is excluded, and it exists on disk. */
export function leftOutNow({ root, rules }: Workspace): (difference: TreeDifference) => boolean {
  const excludes = missingBy(rules)
  return (difference) => excludes(difference) && isOnDisk(root, difference.path)
}

/**
 * For two snapshots, whose rules are recorded. A path that the earlier snapshot holds although its own rules exclude it
 * is tracked by git. The rules do not explain why such a path is missing, so it does not count as left out.
 */
export function leftOutSince(
  snapshots: Snapshots,
  from: SnapshotRecord,
  to: SnapshotRecord,
): (difference: TreeDifference) => boolean {
  const [before, after] = [from, to].map(({ facts }) => missingBy({ ...NO_RULES, own: facts.exclude_globs }))
  return (one) => after?.(one) === true && before?.(one) === false && !snapshots.mayDelete(one.path, from, to)
}

const NO_RULES: RulesData = { defaults: [], own: [], tracked: [] }

function missingBy(data: RulesData): (difference: TreeDifference) => boolean {
  const rules = lazily(() => new Rules(data))
  return ({ path, old, new: now }) =>
    old !== undefined && now === undefined && rules().excludesDeep(path, old.kind === KIND.directory)
}

/**
 * Whether something exists at a path. Symlinks on the way are not followed, because they may lead outside the
 * workspace.
 */
export const isOnDisk = (root: string, path: RelPath): boolean =>
  foldersAbove(path).every((folder) => lstat(`${root}/${folder}`)?.isDirectory()) &&
  lstat(`${root}/${path}`) !== undefined

/** The number of paths that the warning names. */
const NAMED = 5

export function leftOutWarnings(differences: readonly TreeDifference[]): string[] {
  const files = differences.filter(({ old }) => old?.kind !== KIND.directory)
  if (files.length === 0) return []
  const named = files.slice(0, NAMED).map(({ path }) => outPath(path))
  const rest = files.length > NAMED ? ', …' : ''
  return [`${count(files.length, 'file')} no longer recorded, because excluded: ${named.join(', ')}${rest}`]
}
