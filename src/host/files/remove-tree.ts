import { joinPath, type RelPath } from '../../schema/path.ts'
import { errorCode, lstat, readNames, removeDir, removeFile } from './fs.ts'
import type { OpenFolders } from './open-folders.ts'

/** Removes whatever is at a path, a folder with all it holds; nothing there is fine. A link goes, not what it leads to. */
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

/** How the system finds what is at a path; undefined when the folder above it is none, or not there. */
export function childOr(folders: OpenFolders, path: RelPath): string | undefined {
  try {
    return folders.child(path)
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined
    throw error
  }
}
