import type { SnapshotRecord } from '../../records/snapshot-record.ts'
import type { Snapshots } from '../../records/snapshots.ts'
import { nameOf, type RelPath } from '../../schema/path.ts'
import { compareTrees, type ReadTree, sameContent } from '../../store/compare-trees.ts'
import { type Entry, KIND } from '../../store/tree.ts'
import { likeness } from './blame.ts'
import { fileVersions, type Version } from './file-history.ts'

export interface LineageContext {
  readonly snapshots: Snapshots
  readonly read: ReadTree
  readonly content: (entry: Entry) => Uint8Array
  readonly workspace: string
}

/** One version of a file, under the name it had then. */
export interface Ancestor {
  readonly path: RelPath
  readonly snapshot: SnapshotRecord
  /** Undefined where the file was deleted. */
  readonly entry: Entry | undefined
}

/**
 * The versions that led to `path` as of the snapshot with the number `upTo`, the oldest first. Renames are followed.
 */
export function lineage(ctx: LineageContext, path: RelPath, upTo: number): Ancestor[] {
  const versions = fileVersions(ctx.snapshots, ctx.read, ctx.workspace, path, Number.POSITIVE_INFINITY)
  const steps: Ancestor[] = []
  for (const version of versions.filter(({ snapshot }) => snapshot.seq <= upTo)) {
    steps.push({ path, snapshot: version.snapshot, entry: version.entry })
    const source = version.status === 'added' ? renamedFrom(ctx, path, version) : undefined
    if (source !== undefined) return [...lineage(ctx, source, version.snapshot.seq - 1), ...steps.reverse()]
  }
  return steps.reverse()
}

/** At most this many files deleted in one snapshot are compared line by line. */
const COMPARED = 100
const ALIKE = 0.5

/** The file that was deleted in the snapshot that created this one, if the two are similar. */
function renamedFrom(ctx: LineageContext, path: RelPath, { snapshot, entry }: Version): RelPath | undefined {
  if (entry === undefined || entry.size === 0) return undefined
  const gone = goneIn(ctx, snapshot).filter(({ old }) => old.kind === entry.kind)
  const sameName = (other: { path: RelPath }): number => Number(nameOf(other.path) === nameOf(path))
  const ordered = gone.toSorted((a, b) => sameName(b) - sameName(a))
  return (ordered.find(({ old }) => sameContent(old, entry)) ?? mostAlike(ctx, ordered, entry))?.path
}

interface Gone {
  readonly path: RelPath
  readonly old: Entry
}

function goneIn({ snapshots, read }: LineageContext, snapshot: SnapshotRecord): Gone[] {
  const base = snapshots.baseOf(snapshot)
  if (base === undefined) return []
  return [...compareTrees(read, base.tree, snapshot.tree)].flatMap(({ path, old, new: now }) =>
    old && old.kind !== KIND.directory && now === undefined ? [{ path, old }] : [],
  )
}

function mostAlike({ content }: LineageContext, gone: readonly Gone[], entry: Entry): Gone | undefined {
  const near = gone.filter(
    ({ old }) => Math.min(old.size, entry.size) >= ALIKE * Math.max(old.size, entry.size) && entry.kind === KIND.file,
  )
  if (near.length === 0) return undefined
  const bytes = content(entry)
  const scored = near.slice(0, COMPARED).map((one) => ({ one, score: likeness(content(one.old), bytes) }))
  const best = scored.reduce((a, b) => (b.score > a.score ? b : a))
  return best.score >= ALIKE ? best.one : undefined
}
