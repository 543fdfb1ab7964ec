import { foldersAbove, type RelPath } from '../../schema/path.ts'
import { KIND } from '../../store/tree.ts'
import type { CaptureContext } from '../../timeline/scan/context.ts'
import { decodeFolder, type Folder, hashAt } from '../../timeline/scan/folder.ts'
import type { Folders } from '../../timeline/scan/folders.ts'
import { scan } from '../../timeline/scan/scan.ts'
import type { ScanIndex } from '../../timeline/scan/scan-index.ts'
import type { Scan } from '../../timeline/scan/scan-result.ts'
import { scanBasics } from '../../timeline/scan/scan-view.ts'
import type { Workspace } from '../../timeline/workspace/workspace.ts'
import type { AuditStart } from './watched-state.ts'
import type { WatchedWorkspace } from './watched-workspace.ts'

/**
 * Scans everything, as if nothing were watched, and returns the folders in which something changed that no event
 * reported. Captures go on meanwhile. An audit records nothing. If it finds changes, the next capture scans everything,
 * and every capture after it scans these folders as a whole.
 */
export async function audit(ctx: CaptureContext, workspace: Workspace, watched: WatchedWorkspace): Promise<RelPath[]> {
  const { index } = ctx.store
  const epoch = index.epoch()
  const start = await watched.beginAudit(workspace, { epoch, index })
  if (start === undefined) return []
  let seen: Scan | undefined
  try {
    seen = await scan({
      ...scanBasics(ctx, workspace, epoch, undefined),
      onBlocks: () => {},
      progress: () => {},
      threads: true,
      start: { last: start.last },
    })
  } finally {
    // Also when the scan failed: otherwise the list of reported changes would go on growing.
    if (!(await watched.endAudit(start))) seen = undefined
  }
  if (seen === undefined) return []
  const drifted = [...unreported(start, seen)].filter((path) => !watched.isAlwaysLookedAt(path))
  watched.drift(drifted)
  return drifted
}

/** The folders in which a name differs whose change was not reported. */
function* unreported({ state, last, reported }: AuditStart, seen: Scan): Generator<RelPath> {
  const isMoved = (path: RelPath): boolean =>
    reported.moved.has(path) || foldersAbove(path).some((folder) => reported.moved.has(folder))
  for (const path of new Set([...seen.changed.keys(), ...differing(state.folders, last)])) {
    const before = state.folders.get(path)
    const after = seen.changed.get(path) ?? last.folder(path)
    // A folder that was created or deleted counts as a name in its parent.
    if (before === undefined || after === undefined || seen.gone.has(path) || seen.unreadable.has(path)) continue
    const names = reported.dirty.get(path)
    if (!isMoved(path) && differingNames(before, after).some((name) => !names?.has(name))) yield path
  }
}

/** The folders whose state in memory differs from the file, such as after a scan by another process. */
function* differing(folders: Folders, last: ScanIndex): Generator<RelPath> {
  if (folders.isOf(last)) return
  for (const [path, folder] of folders.all()) {
    const other = last.folder(path)
    if (other === undefined || Buffer.compare(other, folder) !== 0) yield path
  }
}

function differingNames(before: Uint8Array, after: Uint8Array): string[] {
  const [a, b] = [rowsOf(decodeFolder(before)), rowsOf(decodeFolder(after))]
  return [...new Set([...a.keys(), ...b.keys()])].filter((name) => a.get(name) !== b.get(name))
}

/** For a subfolder only its kind: the subfolder's own rows are compared by themselves. */
const rowsOf = (folder: Folder): Map<string, string> =>
  new Map(
    folder.names.map((name, i) => [
      name,
      folder.kinds[i] === KIND.directory
        ? 'folder'
        : `${folder.kinds[i]} ${folder.modes[i]} ${folder.mtimes[i]} ${Buffer.from(hashAt(folder, i)).toString('hex')}`,
    ]),
  )
