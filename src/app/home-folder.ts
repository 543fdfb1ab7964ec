import { join } from 'node:path'
import { Fault } from '../base/fault.ts'
import { translateError } from '../host/faults.ts'
import { chmod, close, errorCode, lstat, openAppendNew, type Stat, stat } from '../host/files/fs.ts'
import { makeDirs } from '../host/files/make-dirs.ts'
import { isWritable } from '../host/files/writable.ts'

/** The permissions of group and others. */
const OTHERS = 0o077

/**
 * Creates the store's folder, or makes it private: it holds every file of every workspace, secrets among them. A folder
 * of another user, or one that stays readable for others, is refused before anything is written to it.
 */
export function makeHome(home: string): void {
  try {
    makeDirs(home, 0o700)
    makePrivate(home)
    makeDirs(join(home, 'cache'), 0o700)
  } catch (error) {
    const code = errorCode(error)
    if (code === 'EEXIST' || code === 'ENOTDIR') throw bad(home, 'it is not a folder')
    throw translateError(error, home)
  }
}

const bad = (path: string, problem: string): Fault => new Fault('HOME_BAD', { path, problem })

/** If `home` is a symlink, the folder it leads to counts. */
function makePrivate(home: string): void {
  const found = stat(home)
  if (!found?.isDirectory()) throw bad(home, 'it is not a folder')
  const own = process.getuid?.()
  // A read-only store can still be read and restored from.
  if (own === undefined || !isWritable(home)) return
  if (found.uid !== own) throw bad(home, 'it belongs to another user')
  if (isPrivate(found)) return
  try {
    chmod(home, 0o700)
  } catch {
    throw bad(home, 'others can look into it, and that cannot be changed')
  }
  const now = stat(home)
  if (now && !isPrivate(now)) throw bad(home, 'others can look into it, and that cannot be changed')
}

const isPrivate = ({ mode }: Stat): boolean => (mode & OTHERS) === 0

/** Makes the database file private before it is opened: SQLite gives its WAL and shm files the same permissions. */
export function makePrivateDatabase(path: string): void {
  const found = lstat(path)
  if (found === undefined) return createPrivate(path)
  if (isPrivate(found)) return
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    const stat = lstat(file)
    if (stat?.isFile() && !isPrivate(stat)) closeToOthers(file)
  }
}

/** Another process may create the file first; then that process has made it private. */
function createPrivate(path: string): void {
  try {
    close(openAppendNew(path))
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw translateError(error, path)
  }
}

/** The folder above is private already: if the mode cannot be changed, other users still cannot reach the file. */
function closeToOthers(file: string): void {
  try {
    chmod(file, 0o600)
  } catch (error) {
    if (!['EPERM', 'EACCES', 'EROFS', 'ENOENT'].includes(errorCode(error) ?? '')) throw translateError(error, file)
  }
}
