import { point } from '../../host/points.ts'
import { isWithin, type RelPath } from '../../schema/path.ts'
import type { Workspace } from '../workspace/workspace.ts'
import type { CaptureContext } from './context.ts'
import { indexFile } from './index-file.ts'
import type { Rescan, WatchView } from './live-view.ts'
import { type ScanOptions, type SomeFolders, scan } from './scan.ts'
import type { Scan } from './scan-result.ts'

/** The options that every scan of a workspace shares; without `store`, nothing is stored. */
export const scanBasics = (
  ctx: CaptureContext,
  workspace: Workspace,
  epoch: number,
  store: { objects: string; writer: string } | undefined,
): Pick<ScanOptions, 'setup' | 'indexFile' | 'objects' | 'epoch'> => ({
  setup: {
    root: workspace.root,
    rules: workspace.rules,
    maxBytes: workspace.config.max_file_bytes,
    store: store && { db: ctx.records.db.path, ...store },
  },
  indexFile: indexFile(ctx.home, workspace.id),
  objects: ctx.store.index,
  epoch,
})

/** The maximum number of scans of folders in which events keep arriving. */
const LOOKS = 4

/**
 * Scans what a view says has to be scanned.
 *
 * Files that have just changed are read at once. Afterwards the watch reports whether anything happened in those
 * folders meanwhile: if not, the bytes read are those that were there. If events keep arriving, the last scan is a
 * patient one. If the watches cannot be trusted, the result is `lost`.
 */
export async function scanView(
  view: WatchView | undefined,
  only: SomeFolders | undefined,
  options: Omit<ScanOptions, 'only'>,
): Promise<Scan | 'lost'> {
  if (view === undefined) return scan({ ...options, ...(only ? { only } : {}) })
  const onFresh = (paths: readonly RelPath[]): void => view.watch(paths)
  const { folders } = view
  if (folders.of === 'all') return scan({ ...options, onFresh, threads: true, start: { last: folders.last } })
  const lookAt = (paths: readonly RelPath[], impatient: boolean): Promise<Scan> =>
    scan({
      ...options,
      onFresh,
      impatient,
      only: { folders: paths, since: folders.since, names: folders.names, isStored: true },
    })
  const seen = await lookAt(folders.paths, true)
  for (let looks = 2; looks <= LOOKS; looks++) {
    point('capture:looked')
    const again = await view.again(seen)
    if (again === 'lost') return again
    if (again.folders.length === 0) break
    forget(seen, again)
    add(seen, await lookAt(again.folders, looks < LOOKS))
  }
  return seen
}

/** Removes the results of folders that are scanned again. */
function forget(seen: Scan, { folders, moved }: Rescan): void {
  const paths = new Set(folders)
  if (moved.length > 0)
    for (const path of [...seen.changed.keys(), ...seen.gone])
      if (moved.some((folder) => isWithin(path, folder))) paths.add(path)
  for (const path of paths) {
    seen.changed.delete(path)
    seen.gone.delete(path)
    seen.unreadable.delete(path)
    seen.linked.delete(path)
  }
}

function add(seen: Scan, later: Scan): void {
  for (const [path, bytes] of later.changed) seen.changed.set(path, bytes)
  for (const path of later.gone) seen.gone.add(path)
  for (const path of later.unreadable) seen.unreadable.add(path)
  for (const [path, inodes] of later.linked) seen.linked.set(path, inodes)
  seen.reused.push(...later.reused)
}
