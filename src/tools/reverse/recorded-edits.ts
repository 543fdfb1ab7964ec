import type { ToolCall } from '../../app/handler.ts'
import { Fault } from '../../base/fault.ts'
import { outPath } from '../../base/quote.ts'
import type { RecordedEdit, RecordedEdits, RecordedFolderEdit, StoredState } from '../../edits/file-change.ts'
import type { PresentFolders } from '../../edits/reverse-folders.ts'
import type { PresentReader, Reversal } from '../../edits/reverse-plan.ts'
import type { SnapshotRecord } from '../../records/snapshot-record.ts'
import { allFoldersAbove, foldersAbove, type RelPath } from '../../schema/path.ts'
import { FORGOTTEN } from '../../schema/skip.ts'
import { compareTrees, findEntry } from '../../store/compare-trees.ts'
import { type Entry, KIND } from '../../store/tree.ts'
import { leftOutSince } from '../../timeline/capture/left-out.ts'
import { Trees } from '../../timeline/capture/trees.ts'
import type { PresentTree } from '../../timeline/restore/change.ts'
import type { TreeEdits } from '../../timeline/restore/tree-edits.ts'
import { stateOf } from '../diff-text.ts'
import { removal, targetEntry } from '../target-entries.ts'

/**
 * Reads what snapshots changed from the store, as input for a plan of reversal, and turns the plan into edits of a
 * tree.
 */

/** What a snapshot did to files and folders, compared with its base. */
export function editsOf(
  call: ToolCall,
  snapshot: SnapshotRecord,
  paths: readonly RelPath[],
  stays: ReadonlyMap<string, readonly RelPath[]>,
  only?: ReadonlySet<RelPath>,
): RecordedEdits {
  const base = snapshot.base === null ? undefined : call.app.records.snapshots.get(snapshot.base)
  if (base && !base.content) throw new Fault('SNAPSHOT_DROPPED', { id: base.id })
  const { id, did, folders } = editsBetween(call, base, snapshot, paths)
  const isWanted = ({ path }: { path: RelPath }): boolean =>
    !stays.get(id)?.includes(path) && (only === undefined || only.has(path))
  return { id, did: did.filter(isWanted), folders: folders.filter(isWanted) }
}

/**
 * The edits that lead from one state to another. A file that is only no longer recorded because of a rule was not
 * edited.
 */
export function editsBetween(
  call: ToolCall,
  from: SnapshotRecord | undefined,
  to: SnapshotRecord,
  paths: readonly RelPath[],
): RecordedEdits {
  const { reader } = call.app.store
  const read = (path: RelPath, entry: Entry | undefined): StoredState | undefined => {
    const state = stateOf(path, entry, () => reader.get((entry as Entry).hash))
    return state && { ...state, mtime: (entry as Entry).mtime }
  }
  const [uncaptured, unknown] = [skippedIn(to), skippedIn(from)]
  const did: RecordedEdit[] = []
  const folders: RecordedFolderEdit[] = []
  const isLeftOut = from ? leftOutSince(call.app.records.snapshots, from, to) : () => false
  for (const difference of compareTrees(new Trees(reader).read, from?.tree, to.tree, paths)) {
    if (isLeftOut(difference)) continue
    const { path, old: a, new: b } = difference
    const [known, after] = [read(path, a), read(path, b)]
    const isUnknown = !known && unknown.has(path)
    const before = isUnknown ? read(path, lastCaptured(call, from as SnapshotRecord, path)) : known
    if (before || after)
      did.push({
        path,
        before,
        after,
        ...(isUnknown && !before
          ? { unknown: 'before' as const }
          : isUnknown
            ? { isOlder: true as const }
            : uncaptured.has(path)
              ? { unknown: 'after' as const }
              : {}),
      })
    const [was, is] = [folderMode(a), folderMode(b)]
    if (was !== is) folders.push({ path, before: was, after: is })
  }
  return { id: to.id, did, folders }
}

/** Paths that a snapshot does not hold although they existed. */
const skippedIn = (snapshot: SnapshotRecord | undefined): ReadonlySet<RelPath> =>
  new Set(snapshot?.facts.skipped.filter(({ reason }) => reason !== FORGOTTEN).map(({ path }) => path))

/** The entry of a path when it was last captured, up to a snapshot. */
function lastCaptured(call: ToolCall, upTo: SnapshotRecord, path: RelPath): Entry | undefined {
  const { snapshots } = call.app.records
  const { read } = new Trees(call.app.store.reader)
  const changed = snapshots
    .changing(upTo.workspace, path)
    .flatMap((id) => snapshots.get(id) ?? [])
    .filter(({ seq }) => seq <= upTo.seq)
    .sort((a, b) => b.seq - a.seq)
  for (const snapshot of changed)
    for (const state of [snapshot, snapshots.baseOf(snapshot)]) {
      const entry = state?.content ? findEntry(read, state.tree, path) : undefined
      if (entry !== undefined && entry.kind !== KIND.directory) return entry
    }
  return undefined
}

const folderMode = (entry: Entry | undefined): number | undefined =>
  entry?.kind === KIND.directory ? entry.mode : undefined

/** Removals first, then folders, then files: where paths overlap, the later edit wins. */
export const wishesOf = ({ wishes, folders }: Reversal): TreeEdits[] => [
  ...[...wishes].flatMap(([path, state]) => (state ? [] : removal(path))),
  ...[...folders].map(
    ([path, mode]): TreeEdits => (mode === undefined ? removal(path) : { path, wish: { kind: 'directory', mode } }),
  ),
  ...[...wishes].flatMap(([path, state]) => (state ? targetEntry(path, state) : [])),
]

/**
 * The present as the plan reads it. Something that is not captured could not be restored, so it blocks the reversal of
 * its path.
 */
export function stateIn(present: PresentTree): PresentReader {
  const isUncaptured = (path: RelPath): boolean => present.captured(path) === undefined
  const isBarred = (path: RelPath): boolean =>
    isUncaptured(path) &&
    (present.stands(path) !== undefined ||
      foldersAbove(path).some((folder) => isUncaptured(folder) && present.stands(folder) === 'other'))
  return {
    read: (path) => stateOf(path, present.captured(path), (at, entry) => present.bytes(at, entry)),
    barred: (path) => (isBarred(path) ? 'something that is not captured is there now' : undefined),
    folders: foldersIn(present),
  }
}

const foldersIn = (present: PresentTree): PresentFolders => ({
  mode: (path) => {
    const entry = present.captured(path)
    return entry?.kind === KIND.directory ? entry.mode : undefined
  },
  names: (path) => present.names(path),
})

/** Files, and empty folders that are created or deleted. */
export function affectedBy({ wishes, folders }: Reversal): string[] {
  const paths = [...wishes.keys(), ...folders.keys()]
  const above = allFoldersAbove(paths)
  return [...new Set(paths)]
    .filter((path) => !above.has(path))
    .sort()
    .map(outPath)
}
