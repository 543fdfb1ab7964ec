import type { ToolCall } from '../../app/handler.ts'
import type { SnapshotRecord } from '../../records/snapshot-record.ts'
import type { RelPath } from '../../schema/path.ts'
import { compareTrees, findEntry, isChange, type ReadTree, sameContent } from '../../store/compare-trees.ts'
import type { Entry } from '../../store/tree.ts'
import type { PresentTree } from '../../timeline/restore/change.ts'
import type { RevertCandidate } from './revert-candidates.ts'

/** A path before the first change of a deed, and after its last. */
interface Ends {
  readonly before: Entry | undefined
  readonly after: Entry | undefined
}

/**
 * The paths of a deed that are not restored: they are not as they were before it, and no act has restored them since.
 * A path that was edited after such an act counts as restored. A loss is restored where something exists at the path
 * again. Compares trees only; reads no contents.
 */
export function remainsOf(
  call: ToolCall,
  deed: RevertCandidate,
  present: PresentTree,
  within: readonly RelPath[],
): Set<RelPath> {
  const { snapshots } = call.app.records
  const all = [...deed.meant.snapshots, ...deed.meant.doubtful].sort((a, b) => a.seq - b.seq)
  const [first] = all
  if (first === undefined) return new Set()
  const ends = endsOf(call, all, deed, present.trees.read, within)
  const open = [...ends].filter(([path, { before }]) => !isSameEntry(present.captured(path), before))
  const left = open.filter(([path, end]) => !deed.lost || isStillLost(present, path, end))
  if (left.length === 0) return new Set()
  const acts = snapshots
    .all(first.workspace)
    .filter(({ seq, cause, content }) => seq > first.seq && cause.act && cause.role !== 'backup' && content)
    .reverse()
  const wasBack = backSince(call, acts, new Set(all.map(({ id }) => id)), present.trees.read)
  return new Set(left.filter(([path, end]) => deed.lost || !wasBack(path, end)).map(([path]) => path))
}

function endsOf(
  call: ToolCall,
  oldestFirst: readonly SnapshotRecord[],
  { lost }: RevertCandidate,
  read: ReadTree,
  within: readonly RelPath[],
): Map<RelPath, Ends> {
  const ends = new Map<RelPath, Ends>()
  for (const snapshot of oldestFirst) {
    const base = call.app.records.snapshots.baseOf(snapshot)
    const only = lost?.get(snapshot.id)
    for (const difference of compareTrees(read, base?.tree, snapshot.tree, within)) {
      const { path, old, new: after } = difference
      if (only ? !only.has(path) : !isChange(difference) && old?.kind === after?.kind) continue
      const known = ends.get(path)
      ends.set(path, { before: known ? known.before : old, after })
    }
  }
  return ends
}

const isSameEntry = (a: Entry | undefined, b: Entry | undefined): boolean =>
  a === undefined || b === undefined ? a === b : sameContent(a, b) && a.mode === b.mode

/** Whatever was put there since, captured or not, replaces what was lost. */
function isStillLost(present: PresentTree, path: RelPath, { after }: Ends): boolean {
  const now = present.captured(path)
  return now === undefined ? present.stands(path) === undefined : isSameEntry(now, after)
}

/** Whether the last act that changed a path restored it: then its present state was made from the restored one. */
function backSince(
  call: ToolCall,
  newestFirst: readonly SnapshotRecord[],
  ids: ReadonlySet<string>,
  read: ReadTree,
): (path: RelPath, ends: Ends) => boolean {
  const { snapshots } = call.app.records
  const bases = newestFirst.map((act) => snapshots.baseOf(act))
  return (path, { before, after }) => {
    for (const [at, act] of newestFirst.entries()) {
      const now = findEntry(read, act.tree, path)
      const base = bases[at]
      const isTouched = base !== undefined && !isSameEntry(findEntry(read, base.tree, path), now)
      if (!isTouched) continue
      if (isSameEntry(now, before)) return true
      if (isSameEntry(now, after)) return false
      if (act.cause.act === 'revert' && ids.has(act.cause.of ?? '')) return true
    }
    return false
  }
}
