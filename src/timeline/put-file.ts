import { Fault } from '../base/fault.ts'
import { nameFromBytes } from '../base/quote.ts'
import {
  chmod,
  close,
  errorCode,
  fchmod,
  hardLink,
  lstat,
  makeLink,
  openNew,
  removeFile,
  removeGently,
  rename,
  type Stat,
  setTime,
  setTimeOf,
} from '../host/fs.ts'
import { point } from '../host/points.ts'
import { parentOf, type RelPath } from '../schema/path.ts'
import type { ObjectReader } from '../store/object-reader.ts'
import { KIND } from '../store/tree.ts'
import { takeFile, takeLink } from './read-stable.ts'
import { TEMPORARY } from './rules.ts'

/**
 * Puts single files in place and takes them away, so that nobody's bytes are lost.
 *
 * A file appears under its name whole or not at all. Whatever it replaces is looked at just before,
 * and once more after it has been moved out of the way: if somebody changed it in that very moment
 * it goes back, and the path is reported.
 */

/** What is to be at a path. */
export interface Wanted {
  readonly path: RelPath
  readonly kind: number
  readonly mode: number
  readonly mtime: number
  readonly hash: Uint8Array
  /** What was there when it was captured; undefined: nothing. */
  readonly expect: Expected | undefined
}

/** A signature from the scan, and the hash to compare with when times cannot be trusted. */
export interface Expected {
  readonly kind: number
  readonly size: number
  readonly sigM: number
  readonly sigC: number
  readonly ino: number
  readonly hash: Uint8Array
}

export interface Refusal {
  readonly path: RelPath
  readonly why: 'changed' | 'denied' | 'damaged' | 'blocked'
  readonly reason: string
}

/** How files on their way in, and files moved out of the way, are named while they are neither here nor there. */
const COMING = 'in'
export const KEPT = 'out'

export class Hand {
  readonly #root: string
  readonly #aside: string
  readonly #reader: ObjectReader | undefined
  readonly #umask: number
  readonly #tag: string
  #count = 0

  /** `aside` is a folder on the same disk as the root, for files on their way in and out; `tag` is unique to this hand. */
  constructor(root: string, aside: string, tag: string, umask: number, reader?: ObjectReader) {
    this.#root = root
    this.#aside = aside
    this.#tag = tag
    this.#umask = umask
    this.#reader = reader
  }

  /** Brings a file or symlink to its path. */
  put(wanted: Wanted): Refusal | undefined {
    return this.#carefully(wanted.path, () => this.#put(wanted))
  }

  /** Takes a file or symlink away. */
  remove(path: RelPath, expect: Expected): Refusal | undefined {
    return this.#carefully(path, () => this.#remove(path, expect))
  }

  /** Gives a file that has the right content its mode and time. */
  touch(wanted: Wanted): Refusal | undefined {
    return this.#carefully(wanted.path, () => {
      const at = this.#absolute(wanted.path)
      if (!wanted.expect || !isAsExpected(at, wanted.expect)) return changed(wanted.path)
      if (wanted.kind !== KIND.symlink) setMode(at, wanted.mode)
      setTime(at, wanted.mtime)
      return undefined
    })
  }

  /** Writes into a folder that nobody else uses: straight to the name. */
  create(wanted: Wanted): Refusal | undefined {
    return this.#carefully(wanted.path, () => {
      this.#write(this.#absolute(wanted.path), wanted)
      return undefined
    })
  }

  #put(wanted: Wanted): Refusal | undefined {
    const at = this.#absolute(wanted.path)
    const temp = this.#writeAside(wanted)
    point('restore:written')
    const refusal = wanted.expect
      ? this.#swap(temp, at, wanted.path, wanted.expect)
      : this.#appear(temp, at, wanted.path)
    point('restore:placed')
    return refusal
  }

  /** Under the new name only if nothing has come there meanwhile. */
  #appear(temp: string, at: string, path: RelPath): Refusal | undefined {
    try {
      hardLink(temp, at)
      removeFile(temp)
      return undefined
    } catch (error) {
      if (errorCode(error) === 'EEXIST') {
        removeFile(temp)
        return changed(path)
      }
      if (!cannotLink(error)) throw error
    }
    if (lstat(at) === undefined) rename(temp, at)
    else {
      removeFile(temp)
      return changed(path)
    }
    return undefined
  }

  #swap(temp: string, at: string, path: RelPath, expect: Expected): Refusal | undefined {
    if (!isAsExpected(at, expect)) {
      removeFile(temp)
      return changed(path)
    }
    const kept = this.#temp(path, KEPT)
    const linked = tryLink(at, kept)
    rename(temp, at)
    if (!linked) return undefined
    if (isUntouched(kept, expect)) {
      removeGently(kept)
      return undefined
    }
    rename(kept, at)
    return changed(path)
  }

  #remove(path: RelPath, expect: Expected): Refusal | undefined {
    const at = this.#absolute(path)
    if (lstat(at) === undefined) return undefined
    if (!isAsExpected(at, expect)) return changed(path)
    const kept = this.#temp(path, KEPT)
    rename(at, kept)
    point('restore:aside')
    if (isUntouched(kept, expect)) {
      removeGently(kept)
      return undefined
    }
    hardLink(kept, at)
    removeFile(kept)
    return changed(path)
  }

  /** Beside the target when the target is on another disk than the workspace's own folder. */
  #writeAside(wanted: Wanted): string {
    const temp = this.#temp(wanted.path, COMING)
    this.#write(temp, wanted)
    return temp
  }

  #write(at: string, wanted: Wanted): void {
    if (wanted.kind === KIND.symlink) {
      makeLink(nameFromBytes(this.#contentOf(wanted.hash)), at)
      setTime(at, wanted.mtime)
      return
    }
    const fd = openNew(at, wanted.mode | 0o600)
    try {
      this.#reader?.copyTo(fd, wanted.hash)
      if ((wanted.mode | 0o600) !== wanted.mode || (wanted.mode & this.#umask) !== 0 || wanted.mode > 0o777)
        fchmod(fd, wanted.mode)
      setTimeOf(fd, wanted.mtime)
    } catch (error) {
      close(fd)
      removeFile(at)
      throw error
    }
    close(fd)
  }

  #contentOf(hash: Uint8Array): Uint8Array {
    if (this.#reader === undefined) throw new Fault('INTERNAL', { problem: 'no reader' })
    return this.#reader.get(hash)
  }

  #absolute(path: RelPath): string {
    return `${this.#root}/${path}`
  }

  #temp(path: RelPath, kind: string): string {
    const n = this.#count++
    if (this.#sameDisk(path)) return `${this.#aside}/${kind}-${this.#tag}-${n}`
    const folder = parentOf(path)
    return `${this.#root}/${folder === '' ? '' : `${folder}/`}${TEMPORARY}${kind}-${this.#tag}-${n}`
  }

  readonly #disks = new Map<RelPath, boolean>()
  #asideDev: number | undefined

  #sameDisk(path: RelPath): boolean {
    const folder = parentOf(path)
    let same = this.#disks.get(folder)
    if (same === undefined) {
      this.#asideDev ??= lstat(this.#aside)?.dev
      same = lstat(folder === '' ? this.#root : this.#absolute(folder))?.dev === this.#asideDev
      this.#disks.set(folder, same)
    }
    return same
  }

  readonly #folders = new Map<RelPath, { dev: number; ino: number }>()

  /**
   * Whether the folder is really the one in the workspace: no symlink on the way, and the same as a
   * moment ago. Nothing is ever written or removed through a symlink.
   */
  #isReal(folder: RelPath): boolean {
    if (folder === '') return true
    const stat = lstat(this.#absolute(folder))
    if (!stat?.isDirectory()) return false
    const known = this.#folders.get(folder)
    if (known) return known.dev === stat.dev && known.ino === stat.ino
    if (!this.#isReal(parentOf(folder))) return false
    this.#folders.set(folder, { dev: stat.dev, ino: stat.ino })
    return true
  }

  /** Does something to a folder, given where it is; refused when the way to it is not what it was. */
  folder(path: RelPath, act: (at: string) => void): Refusal | undefined {
    return this.#carefully(path, () => {
      act(this.#absolute(path))
      return undefined
    })
  }

  #carefully(path: RelPath, act: () => Refusal | undefined): Refusal | undefined {
    try {
      if (!this.#isReal(parentOf(path))) return { path, why: 'changed', reason: 'its folder changed meanwhile' }
      return act()
    } catch (error) {
      return refusalOf(path, error)
    }
  }
}

/** What the system or the store refuses about one path; a full disk is about all of them and is thrown on. */
function refusalOf(path: RelPath, error: unknown): Refusal {
  if (error instanceof Fault && (error.code === 'OBJECT_DAMAGED' || error.code === 'OBJECT_MISSING'))
    return { path, why: 'damaged', reason: error.message }
  const code = errorCode(error)
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return { path, why: 'denied', reason: 'permission denied' }
  if (code === 'ENOTDIR' || code === 'ENOENT' || code === 'EISDIR' || code === 'ELOOP' || code === 'EEXIST')
    return { path, why: 'changed', reason: 'its folder changed meanwhile' }
  if (code === 'ENOTEMPTY') return { path, why: 'blocked', reason: 'it holds something that is not captured' }
  throw error
}

const changed = (path: RelPath): Refusal => ({ path, why: 'changed', reason: 'somebody changed it meanwhile' })

const cannotLink = (error: unknown): boolean =>
  ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'EXDEV', 'ENOSYS', 'EACCES'].includes(errorCode(error) ?? '')

function tryLink(from: string, to: string): boolean {
  try {
    hardLink(from, to)
    return true
  } catch (error) {
    if (cannotLink(error)) return false
    throw error
  }
}

function setMode(at: string, mode: number): void {
  const stat = lstat(at)
  if (stat && !stat.isSymbolicLink() && (stat.mode & 0o7777) !== mode) chmod(at, mode)
}

/** Whether the path still holds what was captured. */
function isAsExpected(at: string, expect: Expected): boolean {
  const stat = lstat(at)
  if (stat === undefined || kindOf(stat) !== expect.kind || stat.size !== expect.size) return false
  const isUnwritten = stat.mtimeMs === expect.sigM && stat.ino === expect.ino
  if (isUnwritten && stat.ctimeMs === expect.sigC) return true
  // Another name of the same file may have been dealt with a moment ago, or only its times have changed.
  return hasContent(at, expect, isUnwritten ? expect : undefined)
}

/** `known`: its times say that nobody has begun to write to it, but are too young to be believed alone. */
function hasContent(at: string, expect: Expected, known?: Expected): boolean {
  const nowhere = { take: () => {} }
  const taken =
    expect.kind === KIND.symlink ? takeLink(at, nowhere) : takeFile(at, Number.MAX_SAFE_INTEGER, nowhere, true, known)
  return typeof taken === 'object' && 'hash' in taken && Buffer.compare(taken.hash, expect.hash) === 0
}

/** Whether a file moved aside was not written to in the moment before. Moving it has set its change time. */
function isUntouched(kept: string, expect: Expected): boolean {
  const stat = lstat(kept)
  if (stat === undefined || stat.size !== expect.size) return false
  return (stat.ino === expect.ino && stat.mtimeMs === expect.sigM) || hasContent(kept, expect)
}

const kindOf = (stat: Stat): number =>
  stat.isFile() ? KIND.file : stat.isSymbolicLink() ? KIND.symlink : stat.isDirectory() ? KIND.directory : -1
