import { TEMPORARY } from '../../config/rules.ts'
import { errorCode, lstat, moveFile, readNames, removeFile } from '../../host/files/fs.ts'
import type { OpenFolders } from '../../host/files/open-folders.ts'
import { joinPath, type RelPath } from '../../schema/path.ts'
import type { ObjectStore } from '../../store/object-store.ts'
import { takeFile, takeLink } from '../scan/read-stable.ts'
import { ASIDE, freeName, makeOwn, RESCUED } from '../workspace/own-folders.ts'
import { COMING, KEPT } from './file-replacer.ts'

/**
 * Removes Timewarp's temporary files from the aside folder. The folder itself stays, and so do other files in it.
 *
 * New files that never got their name are in the store. Files that were moved aside should be, too. If the bytes of one
 * are not, another process wrote to it in that moment, and it is moved to where people can find it. Returns the paths
 * of those.
 */
export function sweepAside(store: ObjectStore, folders: OpenFolders): string[] {
  return sweepOne(store, folders, ASIDE, (name) => (isOurs(name) ? name : undefined))
}

/** The same for temporary files beside their targets, used where files cannot be moved from the aside folder. */
export function sweepFolders(
  store: ObjectStore,
  folders: OpenFolders,
  paths: Iterable<RelPath>,
  tag: string,
): string[] {
  const ourName = (name: string): string | undefined =>
    name.startsWith(TEMPORARY) && name.includes(tag) ? name.slice(TEMPORARY.length) : undefined
  return [...paths].flatMap((path) => sweepOne(store, folders, path, ourName))
}

const isOurs = (name: string): boolean => name.startsWith(`${COMING}-`) || name.startsWith(`${KEPT}-`)

function sweepOne(
  store: ObjectStore,
  folders: OpenFolders,
  path: RelPath,
  ourName: (name: string) => string | undefined,
): string[] {
  folders.rest()
  return namesIn(folders, path).flatMap((name) => {
    const ours = ourName(name)
    return ours === undefined ? [] : (settle(store, folders, joinPath(path, name), ours) ?? [])
  })
}

/** Empty when the folder does not exist or cannot be read. */
function namesIn(folders: OpenFolders, path: RelPath): string[] {
  try {
    return readNames(folders.folder(path))
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(errorCode(error) ?? '')) return []
    throw error
  }
}

/** Removes or rescues one temporary file. Folders are never Timewarp's, and stay. */
function settle(store: ObjectStore, folders: OpenFolders, path: RelPath, name: string): string | undefined {
  const at = folders.child(path)
  if (lstat(at)?.isDirectory() !== false) return undefined
  if (name.startsWith(`${KEPT}-`) && !isStored(store, at)) return rescue(folders, at, name)
  removeFile(at)
  return undefined
}

function isStored(store: ObjectStore, at: string): boolean {
  const nowhere = { take: () => {} }
  const link = lstat(at)?.isSymbolicLink()
  const taken = link ? takeLink(at, nowhere) : takeFile(at, Number.MAX_SAFE_INTEGER, nowhere)
  return typeof taken === 'object' && 'hash' in taken && store.reader.unreadable([taken.hash]).size === 0
}

function rescue(folders: OpenFolders, at: string, name: string): string {
  makeOwn(folders, RESCUED)
  const path = joinPath(RESCUED, name)
  const to = folders.child(path)
  moveFile(at, lstat(to) === undefined ? to : freeName(to))
  return folders.plain(path)
}
