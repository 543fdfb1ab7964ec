import { Fault } from '../../base/fault.ts'
import { translateError } from '../../host/faults.ts'
import { writeWhole } from '../../host/files/durable.ts'
import { errorCode, lstat, makeDir, rename } from '../../host/files/fs.ts'
import { type FolderId, OpenFolders } from '../../host/files/open-folders.ts'
import { point } from '../../host/points.ts'
import { joinPath, type RelPath, ROOT } from '../../schema/path.ts'

/**
 * Timewarp's own folders in a workspace. Captures and restores leave them out, and nothing in them is written through a
 * symlink.
 */
export const OWN = joinPath(ROOT, '.timewarp')
/** Holds files while a restore moves them; it is on the workspace's own file system, so that they can be renamed. */
export const ASIDE = joinPath(OWN, 'aside')
/** Holds files that a restore could not account for, for a person to examine. */
export const RESCUED = joinPath(OWN, 'rescued')

/**
 * Opens the folders of a workspace for an act. `known` identifies the root folder as it was scanned: if another folder
 * is at its path now, the act is refused.
 */
export function openFolders(root: string, known: Partial<FolderId> = {}): OpenFolders {
  const folders = openedOr(root)
  const { dev, ino } = folders.id
  if ((known.ino ?? ino) === ino && (known.dev ?? dev) === dev) return folders
  folders.close()
  throw new Fault('ROOT_REPLACED', { root })
}

function openedOr(root: string): OpenFolders {
  try {
    return new OpenFolders(root)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') throw new Fault('ROOT_MISSING', { root }, { cause: error })
    if (errorCode(error) === 'ENOTDIR' || errorCode(error) === 'ELOOP')
      throw new Fault('ROOT_REPLACED', { root }, { cause: error })
    throw translateError(error, root)
  }
}

/** Turns the error about a folder that was replaced, or never was a folder, into a fault for the caller. */
export function asReplaced(error: unknown): unknown {
  const { code, path } = error as NodeJS.ErrnoException
  return code === 'ENOTDIR' && path !== undefined ? new Fault('ROOT_REPLACED', { root: path }, { cause: error }) : error
}

/** Runs `act` with the opened folders of a workspace, and closes them. */
export function inFolders<T>(root: string, act: (folders: OpenFolders) => T): T {
  const folders = openFolders(root)
  try {
    return act(folders)
  } catch (error) {
    throw asReplaced(error)
  } finally {
    folders.close()
  }
}

/** Writes one of Timewarp's own files, as `writeWhole` does. */
export function writeOwn(root: string, name: string, bytes: Uint8Array | string, mode?: number): void {
  inFolders(root, (folders) => {
    makeReal(folders, OWN)
    point('own:made')
    writeWhole(folders.child(joinPath(OWN, name)), bytes, mode)
  })
}

/**
 * Creates one of Timewarp's own folders unless it exists. Anything else with its name is renamed, since it may be a
 * person's file; only another `.timewarp` is refused.
 */
export function makeOwn(folders: OpenFolders, path: RelPath): void {
  makeReal(folders, OWN)
  makeReal(folders, path)
}

function makeReal(folders: OpenFolders, path: RelPath): void {
  const at = folders.child(path)
  const found = lstat(at)
  if (found?.isDirectory()) return
  if (found && path === OWN)
    throw new Fault('WORKSPACE_REFUSED', { root: folders.root, why: 'its .timewarp is not a folder of its own' })
  if (found) rename(at, freeName(at))
  makeDir(at, 0o700)
}

/** An unused name beside `at`. */
export function freeName(at: string): string {
  for (let n = 1; ; n++) {
    const name = `${at}.found-${n}`
    if (lstat(name) === undefined) return name
  }
}
