import type { SnapshotRecord } from '../../records/snapshot-record.ts'
import type { Snapshots } from '../../records/snapshots.ts'
import type { RelPath } from '../../schema/path.ts'
import { findEntry, type ReadTree, sameContent } from '../../store/compare-trees.ts'
import { type Entry, KIND } from '../../store/tree.ts'

export interface Version {
  readonly snapshot: SnapshotRecord
  readonly entry: Entry | undefined
  readonly status: 'added' | 'modified' | 'deleted'
}

/**
 * The versions of one file, the newest first: the snapshots in which its content or mode was created, changed or
 * deleted. Snapshots whose changes are listed are found by index; the others are few and large, and their trees are
 * read.
 */
export function fileVersions(
  snapshots: Snapshots,
  read: ReadTree,
  workspace: string,
  path: RelPath,
  limit: number,
): Version[] {
  const versions: Version[] = []
  const touching = candidates(snapshots, workspace, path)
  for (const snapshot of touching) {
    if (versions.length >= limit) break
    const version = versionIn(snapshots, read, snapshot, path)
    if (version) versions.push(version)
  }
  return versions
}

function candidates(snapshots: Snapshots, workspace: string, path: RelPath): SnapshotRecord[] {
  const listed = snapshots.changing(workspace, path)
  const unlisted = snapshots.unlisted(workspace).map(({ id }) => id)
  return [...new Set([...listed, ...unlisted])]
    .flatMap((id) => snapshots.get(id) ?? [])
    .filter((snapshot) => snapshot.content)
    .sort((a, b) => b.seq - a.seq)
}

function versionIn(snapshots: Snapshots, read: ReadTree, snapshot: SnapshotRecord, path: RelPath): Version | undefined {
  const entry = asFile(findEntry(read, snapshot.tree, path))
  const base = snapshots.baseOf(snapshot)
  const before = base && asFile(findEntry(read, base.tree, path))
  if (entry === undefined) return before === undefined ? undefined : { snapshot, entry, status: 'deleted' }
  if (before === undefined) return { snapshot, entry, status: 'added' }
  return sameContent(before, entry) && before.mode === entry.mode ? undefined : { snapshot, entry, status: 'modified' }
}

const asFile = (entry: Entry | undefined): Entry | undefined =>
  entry && entry.kind !== KIND.directory ? entry : undefined
