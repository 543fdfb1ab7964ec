import { Fault } from '../../base/fault.ts'
import { nameFromBytes } from '../../base/quote.ts'
import { TEMPORARY } from '../../config/rules.ts'
import {
  chmod,
  close,
  errorCode,
  fchmod,
  hardLink,
  lstat,
  makeDir,
  makeLink,
  modeIn,
  openNew,
  removeDir,
  removeFile,
  rename,
  setTime,
  setTimeBehind,
  setTimeOf,
  stat,
} from '../../host/files/fs.ts'
import { chmodFile, type OpenFolders } from '../../host/files/open-folders.ts'
import { finishRemovals, removeGently } from '../../host/files/removals.ts'
import { point } from '../../host/points.ts'
import { joinPath, parentOf, type RelPath } from '../../schema/path.ts'
import type { ObjectReader } from '../../store/object-reader.ts'
import { KIND } from '../../store/tree.ts'
import { ASIDE } from '../workspace/own-folders.ts'
import { changed, type ExpectedFile, isAsExpected, isUntouched, refusalOf, type WriteRefusal } from './put-checks.ts'

/**
 * Replaces and removes single files without losing any bytes.
 *
 * A file appears under its name whole or not at all. The file it replaces is checked just before, and once more after
 * it has been moved aside: if another process changed it in that moment, it is moved back and the path is reported.
 * Every check and every change goes through folders that were opened without following symlinks.
 */

/** The wanted state of a path. */
export interface TargetFile {
  readonly path: RelPath
  readonly kind: number
  readonly mode: number
  readonly mtime: number
  readonly hash: Uint8Array
  /** What was there when the path was captured; undefined: nothing. */
  readonly expect: ExpectedFile | undefined
}

/** Prefixes of temporary names: for new files before they get their name, and for files that were moved aside. */
export const COMING = 'in'
export const KEPT = 'out'

export interface FileReplacerOptions {
  /** Unique to this replacer: temporary files that it leaves when its process dies are recognised by it. */
  readonly tag: string
  readonly umask: number
  readonly reader?: ObjectReader | undefined
}

export class FileReplacer {
  readonly #folders: OpenFolders
  readonly #options: FileReplacerOptions
  #count = 0
  /**
   * Folders into which files cannot be moved from the aside folder: on another file system, or on the same one mounted
   * twice.
   */
  readonly #apart = new Map<RelPath, boolean>()

  /** The caller closes `folders`. */
  constructor(folders: OpenFolders, options: FileReplacerOptions) {
    this.#folders = folders
    this.#options = options
  }

  /** Writes a file or symlink to its path. */
  put(wanted: TargetFile): WriteRefusal | undefined {
    return this.#carefully(wanted.path, () => this.#besideIfApart(wanted.path, () => this.#put(wanted)))
  }

  /** Removes a file or symlink. */
  remove(path: RelPath, expect: ExpectedFile): WriteRefusal | undefined {
    return this.#carefully(path, () => this.#besideIfApart(path, () => this.#remove(path, expect)))
  }

  /** Sets the mode and time of a file that already has the right content. */
  touch(wanted: TargetFile): WriteRefusal | undefined {
    return this.#carefully(wanted.path, () => {
      const at = this.#folders.child(wanted.path)
      if (!wanted.expect || !isAsExpected(at, wanted.expect)) return changed(wanted.path)
      if (wanted.kind !== KIND.symlink) setMode(at, wanted.mode)
      setTime(at, wanted.mtime)
      return undefined
    })
  }

  /** Writes a file directly under its name, in a folder that no other process uses. */
  create(wanted: TargetFile): WriteRefusal | undefined {
    return this.#carefully(wanted.path, () => {
      this.#write(this.#folders.child(wanted.path), wanted)
      return undefined
    })
  }

  /** Creates a folder unless it exists. */
  makeFolder(path: RelPath): WriteRefusal | undefined {
    return this.#carefully(path, () => {
      const at = this.#folders.child(path)
      if (!lstat(at)?.isDirectory()) makeDir(at, 0o700)
      return undefined
    })
  }

  /** Removes a folder unless it is already gone; a folder that is not empty is refused. */
  removeFolder(path: RelPath): WriteRefusal | undefined {
    return this.#carefully(path, () => {
      const at = this.#folders.child(path)
      this.#folders.forget(path)
      if (lstat(at) !== undefined) removeDir(at)
      return undefined
    })
  }

  /** Sets a folder's mode so that Timewarp may change it. */
  unlock(path: RelPath, mode: number): WriteRefusal | undefined {
    return this.#carefully(path, () => {
      chmod(this.#folders.folder(path), mode)
      return undefined
    })
  }

  /**
   * Sets a folder's time, and its mode last: a folder that is to be read-only must be writable while its time is set.
   */
  settleFolder(path: RelPath, entry: { readonly mode: number; readonly mtime: number }): WriteRefusal | undefined {
    return this.#carefully(path, () => {
      if (!lstat(this.#folders.child(path))?.isDirectory()) return undefined
      const at = this.#folders.folder(path)
      setTimeBehind(at, entry.mtime)
      if (((stat(at)?.mode ?? 0) & 0o7777) !== entry.mode) chmod(at, entry.mode)
      return undefined
    })
  }

  #put(wanted: TargetFile): WriteRefusal | undefined {
    const at = this.#folders.child(wanted.path)
    const temp = this.#temp(wanted.path, COMING)
    this.#write(temp, wanted)
    point('restore:written')
    const refusal = this.#place(temp, at, wanted)
    point('restore:placed')
    return refusal
  }

  /** On a failure, the temporary file is removed. */
  #place(temp: string, at: string, { path, expect }: TargetFile): WriteRefusal | undefined {
    try {
      return expect ? this.#swap(temp, at, path, expect) : this.#appear(temp, at, path)
    } catch (error) {
      if (lstat(temp) !== undefined) removeFile(temp)
      throw error
    }
  }

  /** Gives the file its name only if nothing else has it by now. */
  #appear(temp: string, at: string, path: RelPath): WriteRefusal | undefined {
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

  #swap(temp: string, at: string, path: RelPath, expect: ExpectedFile): WriteRefusal | undefined {
    if (!isAsExpected(at, expect)) {
      removeFile(temp)
      return changed(path)
    }
    const kept = this.#temp(path, KEPT)
    const linked = tryLink(at, kept)
    try {
      rename(temp, at)
    } catch (error) {
      if (linked) removeFile(kept)
      throw error
    }
    if (!linked) return undefined
    if (isUntouched(kept, expect)) {
      removeGently(kept)
      return undefined
    }
    rename(kept, at)
    return changed(path)
  }

  #remove(path: RelPath, expect: ExpectedFile): WriteRefusal | undefined {
    const at = this.#folders.child(path)
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

  /** Removals may be deferred. On a full disk, finishing them may free enough space to try the write again. */
  #write(at: string, wanted: TargetFile): void {
    try {
      this.#tryWrite(at, wanted)
    } catch (error) {
      if (errorCode(error) !== 'ENOSPC' || !finishRemovals()) throw error
      this.#tryWrite(at, wanted)
    }
  }

  #tryWrite(at: string, wanted: TargetFile): void {
    if (wanted.kind === KIND.symlink) {
      makeLink(nameFromBytes(this.#contentOf(wanted.hash)), at)
      setTime(at, wanted.mtime)
      return
    }
    const fd = openNew(at, wanted.mode | 0o600)
    try {
      this.#options.reader?.copyTo(fd, wanted.hash)
      if ((wanted.mode | 0o600) !== wanted.mode || (wanted.mode & this.#options.umask) !== 0 || wanted.mode > 0o777)
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
    if (this.#options.reader === undefined) throw new Fault('INTERNAL', { problem: 'no reader' })
    return this.#options.reader.get(hash)
  }

  /** A temporary name in the aside folder, or beside the target where files cannot be moved from there. */
  #temp(path: RelPath, kind: string): string {
    const name = `${kind}-${this.#options.tag}-${this.#count++}`
    const folder = parentOf(path)
    return this.#folders.child(this.#isApart(folder) ? joinPath(folder, TEMPORARY + name) : joinPath(ASIDE, name))
  }

  #isApart(folder: RelPath): boolean {
    let apart = this.#apart.get(folder)
    if (apart === undefined) {
      apart = this.#folders.idOf(folder).dev !== this.#folders.idOf(ASIDE).dev
      this.#apart.set(folder, apart)
    }
    return apart
  }

  /**
   * A file system that is mounted twice has the same device number, and yet files cannot be moved across: only a failed
   * rename shows it.
   */
  #besideIfApart(path: RelPath, act: () => WriteRefusal | undefined): WriteRefusal | undefined {
    try {
      return act()
    } catch (error) {
      if (errorCode(error) !== 'EXDEV' || this.#isApart(parentOf(path))) throw error
      this.#apart.set(parentOf(path), true)
      return act()
    }
  }

  #carefully(path: RelPath, act: () => WriteRefusal | undefined): WriteRefusal | undefined {
    this.#folders.rest()
    try {
      return act()
    } catch (error) {
      return refusalOf(path, withPath(error, this.#folders.plain(path)))
    }
  }
}

/** The same error, about the path in the workspace instead of the opened folder's. */
const withPath = (error: unknown, path: string): unknown =>
  errorCode(error) === undefined || error instanceof Fault ? error : Object.assign(error as Error, { path })

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
  const found = lstat(at)
  if (found?.isFile() && modeIn(found) !== mode) chmodFile(at, mode)
}
