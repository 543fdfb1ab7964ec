import { dirname } from 'node:path'
import { errorCode, makeDir, stat } from './fs.ts'

/**
 * Creates a folder and the missing ones above it; an existing folder is fine.
 *
 * Does not use Node's `recursive`, which never returns on a file system that allows no new folders and reports ENOENT
 * for that, as /proc does. Here that is EPERM.
 */
export function makeDirs(path: string, mode = 0o777): void {
  const missing: string[] = []
  for (let at = path; !isMade(at, mode); at = dirname(at)) missing.push(at)
  for (const at of missing.reverse())
    if (!isMade(at, mode))
      throw Object.assign(new Error(`EPERM: no folder can be made, ${at}`), { code: 'EPERM', path: at })
}

/** Whether it is a folder now; false when the folder above it is missing. */
function isMade(at: string, mode: number): boolean {
  try {
    makeDir(at, mode)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST' && stat(at)?.isDirectory()) return true
    if (errorCode(error) === 'ENOENT' && dirname(at) !== at) return false
    throw error
  }
}
