import { join } from 'node:path'
import { type Listing, lstat, readFolder, type Stat } from '../host/files/fs.ts'
import { sha256, toHex } from '../host/hash.ts'
import { type GitFolders, isLeftOut } from './git-folders.ts'

/**
 * Detects from file times alone whether anything in git's folders may have changed. It reads no contents and runs no
 * program, so frequent calls cost next to nothing.
 */
export interface Signature {
  readonly text: string
  /** False when a file changed so recently that the next change might have the same time. */
  readonly isSure: boolean
}

/**
 * In a folder of refs or reflogs with more names than this, only the folder's own time is compared: git changes a ref
 * by renaming a new file.
 */
const MANY = 64
/** The resolution of the kernel's clock; file systems that store whole seconds are coarser. */
const TICK_MS = 20
const COARSE_TICK_MS = 2000

export function gitSignature(place: GitFolders, now: number): Signature {
  const lines: string[] = [place.gitDir]
  let isSure = true
  const add = (path: string, stat: Stat): void => {
    const tick = stat.ctimeMs % 1000 === 0 ? COARSE_TICK_MS : TICK_MS
    if (Math.abs(now - stat.ctimeMs) < tick) isSure = false
    lines.push(`${path} ${stat.mode} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs} ${stat.ino}`)
  }
  for (const { path, dir } of place.repositories) walk(dir, '', (at, stat) => add(`${path}:${at}`, stat))
  return { text: toHex(sha256(Buffer.from(JSON.stringify(lines)))), isSure }
}

function walk(dir: string, path: string, add: (path: string, stat: Stat) => void): void {
  const { names, isFile } = listed(path === '' ? dir : join(dir, path))
  const isMany = names.length > MANY && /^(refs|logs)(\/|$)/.test(path)
  for (const name of names) {
    const at = path === '' ? name : `${path}/${name}`
    if (isLeftOut(at) || (isMany && isFile(name))) continue
    const stat = lstat(join(dir, at))
    // A folder's own time changes with every lock that git takes in it; it means something only for refs.
    if (stat && (!stat.isDirectory() || /^refs(\/|$)/.test(at))) add(at, stat)
    if (stat?.isDirectory()) walk(dir, at, add)
  }
}

function listed(dir: string): Listing {
  try {
    return readFolder(dir)
  } catch {
    return { names: [], isFile: () => false }
  }
}
