import { joinPath, type RelPath } from '../../schema/path.ts'
import { errorCode, lstat, readNames, removeDir, removeFile } from './fs.ts'
import type { OpenFolders } from './open-folders.ts'

/**
 * Removes whatever is at a path, folders recursively; does nothing when nothing is there. Removes a link, not its
 * target.
 */
export function removeTree(folders: OpenFolders, path: RelPath): void {
  const at = childOr(folders, path)
  const found = at === undefined ? undefined : lstat(at)
  if (at === undefined || found === undefined) return
  if (!found.isDirectory()) return removeFile(at)
  for (const name of readNames(folders.folder(path))) removeTree(folders, joinPath(path, name))
  folders.forget(path)
  folders.rest()
  removeDir(folders.child(path))
}

/** A name for system calls on `path`; undefined when its parent does not exist or is not a folder. */
export function childOr(folders: OpenFolders, path: RelPath): string | undefined {
  try {
    return folders.child(path)
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined
    throw error
  }
}
