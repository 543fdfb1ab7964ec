import { join } from 'node:path'
import { lstat, makeDirs, moveFile, readNames, removeAll } from '../host/fs.ts'
import type { RelPath } from '../schema/path.ts'
import type { ObjectStore } from '../store/object-store.ts'
import { KEPT } from './put-file.ts'
import { takeFile, takeLink } from './read-stable.ts'
import { TEMPORARY } from './rules.ts'

/**
 * Clears the folder in which files stand while a restore moves them; it stays itself.
 *
 * What was on its way in is in the store. What was moved out of the way should be, too; if its
 * bytes are not, somebody wrote to it in that moment, and it is kept where people can find it.
 */
export function sweepAside(store: ObjectStore, root: string, aside: string): string[] {
  if (!lstat(aside)?.isDirectory()) return []
  return readNames(aside).flatMap((name) => settle(store, root, join(aside, name), name) ?? [])
}

/** The same for files that stand beside their targets, because those are on another disk than the workspace. */
export function sweepFolders(store: ObjectStore, root: string, folders: Iterable<RelPath>, tag: string): string[] {
  return [...folders].flatMap((folder) => {
    const dir = folder === '' ? root : `${root}/${folder}`
    if (!lstat(dir)?.isDirectory()) return []
    const names = readNames(dir).filter((name) => name.startsWith(TEMPORARY) && name.includes(tag))
    return names.flatMap((name) => settle(store, root, `${dir}/${name}`, name.slice(TEMPORARY.length)) ?? [])
  })
}

function settle(store: ObjectStore, root: string, at: string, name: string): string | undefined {
  if (name.startsWith(`${KEPT}-`) && !isStored(store, at)) return rescue(root, at, name)
  removeAll(at)
  return undefined
}

function isStored(store: ObjectStore, at: string): boolean {
  const nowhere = { take: () => {} }
  const link = lstat(at)?.isSymbolicLink()
  const taken = link ? takeLink(at, nowhere) : takeFile(at, Number.MAX_SAFE_INTEGER, nowhere)
  return typeof taken === 'object' && 'hash' in taken && store.index.has(taken.hash)
}

function rescue(root: string, at: string, name: string): string {
  const folder = join(root, '.timewarp', 'rescued')
  makeDirs(folder, 0o700)
  const to = join(folder, name)
  moveFile(at, to)
  return to
}
