import type { Call } from '../../app/handler.ts'
import { Fault } from '../../base/fault.ts'
import { outPath } from '../../base/quote.ts'
import type { Did, DidFolder, Doing, State } from '../../edits/file-change.ts'
import type { PresentFolders } from '../../edits/reverse-folders.ts'
import type { PresentState, Reversal } from '../../edits/reverse-plan.ts'
import type { SnapshotRecord } from '../../records/snapshots.ts'
import { allFoldersAbove, foldersAbove, type RelPath } from '../../schema/path.ts'
import { FORGOTTEN } from '../../schema/skip.ts'
import { compareTrees, findEntry } from '../../store/compare-trees.ts'
import { type Entry, KIND } from '../../store/tree.ts'
import { leftOutSince } from '../../timeline/capture/left-out.ts'
import { Trees } from '../../timeline/capture/trees.ts'
import type { Present } from '../../timeline/restore/change.ts'
import type { Wished } from '../../timeline/restore/graft.ts'
import { stateOf } from '../diff-text.ts'
import { nothingAt, stateAt } from '../wishes.ts'

/** What snapshots did, read from the store as a plan of reversal takes it, and what its wishes come to. */

/** What a snapshot did to files and folders, told by its base. */
export function doingOf(
  call: Call,
  snapshot: SnapshotRecord,
  paths: readonly RelPath[],
  stays: ReadonlyMap<string, readonly RelPath[]>,
  only?: ReadonlySet<RelPath>,
): Doing {
  const base = snapshot.base === null ? undefined : call.house.records.snapshots.get(snapshot.base)
  if (base && !base.content) throw new Fault('SNAPSHOT_DROPPED', { id: base.id })
  const { id, did, folders } = doingBetween(call, base, snapshot, paths)
  const isWanted = ({ path }: { path: RelPath }): boolean =>
    !stays.get(id)?.includes(path) && (only === undefined || only.has(path))
  return { id, did: did.filter(isWanted), folders: folders.filter(isWanted) }
}

/** What leads from one state to another. What is only no longer recorded was not done by anybody. */
export function doingBetween(
  call: Call,
  from: SnapshotRecord | undefined,
  to: SnapshotRecord,
  paths: readonly RelPath[],
): Doing {
  const { reader } = call.house.store
  const read = (path: RelPath, entry: Entry | undefined): State | undefined => {
    const state = stateOf(path, entry, () => reader.get((entry as Entry).hash))
    return state && { ...state, mtime: (entry as Entry).mtime }
  }
  const [uncaptured, unknown] = [skippedIn(to), skippedIn(from)]
  const did: Did[] = []
  const folders: DidFolder[] = []
  const isLeftOut = from ? leftOutSince(call.house.records.snapshots, from, to) : () => false
  for (const difference of compareTrees(new Trees(reader).read, from?.tree, to.tree, paths)) {
    if (isLeftOut(difference)) continue
    const { path, old: a, new: b } = difference
    const [known, after] = [read(path, a), read(path, b)]
    const isUnknown = !known && unknown.has(path)
    const before = isUnknown ? read(path, lastCaptured(call, from as SnapshotRecord, path)) : known
    if (before || after)
      did.push({
        ...{ path, before, after },
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

/** What a snapshot does not hold although it was there. */
const skippedIn = (snapshot: SnapshotRecord | undefined): ReadonlySet<RelPath> =>
  new Set(snapshot?.facts.skipped.filter(({ reason }) => reason !== FORGOTTEN).map(({ path }) => path))

/** A path as it was when it was captured last, up to a snapshot. */
function lastCaptured(call: Call, upTo: SnapshotRecord, path: RelPath): Entry | undefined {
  const { snapshots } = call.house.records
  const { read } = new Trees(call.house.store.reader)
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

/** What goes first, then folders, then files: later wishes win. */
export const wishesOf = ({ wishes, folders }: Reversal): Wished[] => [
  ...[...wishes].flatMap(([path, state]) => (state ? [] : nothingAt(path))),
  ...[...folders].map(
    ([path, mode]): Wished => (mode === undefined ? nothingAt(path) : { path, wish: { kind: 'directory', mode } }),
  ),
  ...[...wishes].flatMap(([path, state]) => (state ? stateAt(path, state) : [])),
]

/** The present as a plan sees it. What is not captured cannot be brought back and is in the way. */
export function stateIn(present: Present): PresentState {
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

const foldersIn = (present: Present): PresentFolders => ({
  mode: (path) => {
    const entry = present.captured(path)
    return entry?.kind === KIND.directory ? entry.mode : undefined
  },
  names: (path) => present.names(path),
})

/** Files, and folders that come or go with nothing in them. */
export function affectedBy({ wishes, folders }: Reversal): string[] {
  const paths = [...wishes.keys(), ...folders.keys()]
  const above = allFoldersAbove(paths)
  return [...new Set(paths)]
    .filter((path) => !above.has(path))
    .sort()
    .map(outPath)
}
