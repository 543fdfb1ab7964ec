import type { Call } from '../../app/handler.ts'
import { Fault, isFault } from '../../base/fault.ts'
import { outPath } from '../../base/quote.ts'
import type { Did, DidFolder, Doing, State } from '../../edits/file-change.ts'
import type { PresentFolders } from '../../edits/reverse-folders.ts'
import type { PresentState, Reversal } from '../../edits/reverse-plan.ts'
import type { SnapshotRecord } from '../../records/snapshots.ts'
import { allFoldersAbove, type RelPath } from '../../schema/path.ts'
import { compareTrees } from '../../store/compare-trees.ts'
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
  only?: readonly RelPath[],
): Doing {
  const base = snapshot.base === null ? undefined : call.house.records.snapshots.get(snapshot.base)
  if (base && !base.content) throw new Fault('SNAPSHOT_DROPPED', { id: base.id })
  const { id, did, folders } = doingBetween(call, base, snapshot, paths)
  const isWanted = ({ path }: { path: RelPath }): boolean =>
    !stays.get(id)?.includes(path) && (only === undefined || only.includes(path))
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
  const read = (path: RelPath, entry: Entry | undefined): State | undefined =>
    stateOf(path, entry, () => reader.get((entry as Entry).hash))
  const did: Did[] = []
  const folders: DidFolder[] = []
  const isLeftOut = from ? leftOutSince(call.house.records.snapshots, from, to) : () => false
  for (const difference of compareTrees(new Trees(reader).read, from?.tree, to.tree, paths)) {
    if (isLeftOut(difference)) continue
    const { path, old: a, new: b } = difference
    const [before, after] = [read(path, a), read(path, b)]
    if (before || after) did.push({ path, before, after })
    const [was, is] = [folderMode(a), folderMode(b)]
    if (was !== is) folders.push({ path, before: was, after: is })
  }
  return { id: to.id, did, folders }
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
  const isBarred = (path: RelPath): boolean => {
    try {
      present.entry(path)
      return false
    } catch (error) {
      if (isFault(error, 'PATH_EXCLUDED')) return true
      throw error
    }
  }
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
