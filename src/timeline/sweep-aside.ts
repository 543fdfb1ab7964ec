import { join } from 'node:path'
import { lstat, makeDirs, readNames, removeAll, removeDir, rename } from '../host/fs.ts'
import type { ObjectStore } from '../store/object-store.ts'
import { KEPT } from './put-file.ts'
import { takeFile, takeLink } from './read-stable.ts'

/**
 * Clears the folder in which files stand while a restore moves them.
 *
 * What was on its way in is in the store. What was moved out of the way should be, too; if its
 * bytes are not, somebody wrote to it in that moment, and it is kept where people can find it.
 */
export function sweepAside(store: ObjectStore, root: string, aside: string): string[] {
  if (!lstat(aside)?.isDirectory()) return []
  const rescued: string[] = []
  for (const name of readNames(aside)) {
    const at = join(aside, name)
    if (name.startsWith(`${KEPT}-`) && !isStored(store, at)) rescued.push(rescue(root, at, name))
    else removeAll(at)
  }
  removeDir(aside)
  return rescued
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
  rename(at, to)
  return to
}
