import ignore from 'ignore'
import type { SnapshotFilter } from '../../records/snapshot-filter.ts'
import type { SnapshotRecord } from '../../records/snapshot-record.ts'
import type { Snapshots } from '../../records/snapshots.ts'
import type { RelPath } from '../../schema/path.ts'
import { compareTrees, isChange, type ReadTree } from '../../store/compare-trees.ts'

export interface ListRequest extends SnapshotFilter {
  readonly limit: number
  /** Only snapshots that changed a path matching this. */
  readonly glob?: string
}

export interface Page {
  readonly snapshots: readonly SnapshotRecord[]
  readonly total: number
  /** Where the next page begins; undefined on the last page. */
  readonly next: number | undefined
}

/** One page of snapshots, the newest first. */
export function listSnapshots(snapshots: Snapshots, read: ReadTree, request: ListRequest): Page {
  const { before, limit, glob, ...rest } = request
  const filter = glob === undefined ? rest : { ...rest, changing: matching(snapshots, read, rest.workspace, glob) }
  const rows = snapshots.list({ ...filter, ...(before === undefined ? {} : { before }) }, limit + 1)
  return page(rows, limit, snapshots.total(filter))
}

/**
 * Each path is matched once, however often it changed. Snapshots with too many changes to be listed are matched by
 * their trees.
 */
function matching(snapshots: Snapshots, read: ReadTree, workspace: string, glob: string) {
  const matches = globMatcher(glob)
  const isMeant = (snapshot: SnapshotRecord): boolean =>
    pathsOf(snapshots, read, snapshot, Number.POSITIVE_INFINITY).some(matches)
  return {
    paths: snapshots.changedPaths().filter(matches),
    seqs: snapshots
      .unlisted(workspace)
      .filter(isMeant)
      .map(({ seq }) => seq),
  }
}

function page(rows: readonly SnapshotRecord[], limit: number, total: number): Page {
  const shown = rows.slice(0, limit)
  return { snapshots: shown, total, next: rows.length > limit ? shown.at(-1)?.seq : undefined }
}

/** Globs as in gitignore: `*.ts` anywhere, `src/**`, a folder with all it holds. */
export function globMatcher(glob: string): (path: RelPath) => boolean {
  const matcher = ignore({ allowRelativePaths: true, ignorecase: false }).add(glob)
  return (path) => path !== '' && matcher.ignores(path)
}

/** The paths a snapshot changed against its base. */
export function pathsOf(snapshots: Snapshots, read: ReadTree, snapshot: SnapshotRecord, limit: number): RelPath[] {
  const most = Number.isFinite(limit) ? limit : -1
  if (snapshot.listed) return snapshots.changesOf(snapshot.seq, most).map(({ path }) => path)
  if (!snapshot.content) return []
  const paths: RelPath[] = []
  for (const difference of compareTrees(read, snapshots.baseOf(snapshot)?.tree, snapshot.tree)) {
    if (paths.length >= limit) break
    if (isChange(difference)) paths.push(difference.path)
  }
  return paths
}
