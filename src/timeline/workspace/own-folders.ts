import { Fault } from '../../base/fault.ts'
import { translateError } from '../../host/faults.ts'
import { writeWhole } from '../../host/files/durable.ts'
import { errorCode, lstat, makeDir, rename } from '../../host/files/fs.ts'
import { type FolderId, OpenFolders } from '../../host/files/open-folders.ts'
import { point } from '../../host/points.ts'
import { joinPath, type RelPath, ROOT } from '../../schema/path.ts'

/** Timewarp's own folders in a workspace: outside every capture and every restore. Nothing is written through a link there. */
export const OWN = joinPath(ROOT, '.timewarp')
/** On the workspace's own disk, for files on their way in and out. */
export const ASIDE = joinPath(OWN, 'aside')
/** What a restore could not account for, for people to look at. */
export const RESCUED = joinPath(OWN, 'rescued')

/**
 * Opens the folders of a workspace for an act. `known` is what the folder was when it was looked at: if another is at its
 * path now, nothing may be done to that.
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

/** What a folder that is no longer where it was, or never was one, is to whoever asked for the act. */
export function asReplaced(error: unknown): unknown {
  const { code, path } = error as NodeJS.ErrnoException
  return code === 'ENOTDIR' && path !== undefined ? new Fault('ROOT_REPLACED', { root: path }, { cause: error }) : error
}

/** Runs an act in the folders of a workspace. */
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

/** Writes a file of our own, as `writeWhole` does. */
export function writeOwn(root: string, name: string, bytes: Uint8Array | string, mode?: number): void {
  inFolders(root, (folders) => {
    makeReal(folders, OWN)
    point('own:made')
    writeWhole(folders.child(joinPath(OWN, name)), bytes, mode)
  })
}

/** Makes a folder of our own unless it is there. Whatever else has its name gets another: it may be somebody's. */
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

/** A name beside `at` that nothing has. */
export function freeName(at: string): string {
  for (let n = 1; ; n++) {
    const name = `${at}.found-${n}`
    if (lstat(name) === undefined) return name
  }
}
