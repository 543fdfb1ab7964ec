import type { RelPath } from '../schema/path.ts'
import { KIND } from '../store/tree.ts'
import { decodeFolder, type Folder, hashAt } from '../timeline/folder.ts'
import type { CaptureRoom } from '../timeline/publish.ts'
import { scan } from '../timeline/scan.ts'
import { scanBasics } from '../timeline/scan-view.ts'
import type { Workspace } from '../timeline/workspace.ts'
import type { Watched } from './watched.ts'

/**
 * Looks at everything, as if nobody watched, and returns the folders in which something changed that was
 * never told. Nothing is recorded: what is found is looked at by the next capture, and by every one after it.
 */
export async function audit(room: CaptureRoom, workspace: Workspace, watched: Watched): Promise<RelPath[]> {
  const compared = await watched.compare(() =>
    scan({
      ...scanBasics(room, workspace, room.store.index.epoch(), undefined),
      onBlocks: () => {},
      progress: () => {},
      threads: true,
    }),
  )
  if (compared === undefined) return []
  const { seen, told } = compared
  // A folder nobody knew is told of by the one it is in.
  const isDrift = ([path, after]: [RelPath, Uint8Array]): boolean => {
    const before = seen.before.get(path)
    return before !== undefined && !told.has(path) && differs(before, after)
  }
  const drifted = [...seen.changed].filter(isDrift).map(([path]) => path)
  watched.drift(drifted)
  return drifted
}

/** Whether files differ; folders tell of themselves. */
function differs(before: Uint8Array, after: Uint8Array): boolean {
  const [a, b] = [rowsOf(decodeFolder(before)), rowsOf(decodeFolder(after))]
  return a.length !== b.length || a.some((row, i) => row !== b[i])
}

const rowsOf = (folder: Folder): string[] =>
  folder.names.map((name, i) =>
    folder.kinds[i] === KIND.directory
      ? `${name}/`
      : `${name}\0${folder.kinds[i]}\0${folder.modes[i]}\0${folder.mtimes[i]}\0${Buffer.from(hashAt(folder, i)).toString('hex')}`,
  )
