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
 * Puts single files in place and takes them away, so that nobody's bytes are lost.
 *
 * A file appears under its name whole or not at all. Whatever it replaces is looked at just before,
 * and once more after it has been moved out of the way: if somebody changed it in that very moment
 * it goes back, and the path is reported. Every look and every act goes through folders that were opened without
 * following a link.
 */

/** What is to be at a path. */
export interface TargetFile {
  readonly path: RelPath
  readonly kind: number
  readonly mode: number
  readonly mtime: number
  readonly hash: Uint8Array
  /** What was there when it was captured; undefined: nothing. */
  readonly expect: ExpectedFile | undefined
}

/** How files on their way in, and files moved out of the way, are named while they are neither here nor there. */
export const COMING = 'in'
export const KEPT = 'out'

export interface FileReplacerOptions {
  /** Unique to this hand: what it leaves lying about when it dies is known by it. */
  readonly tag: string
  readonly umask: number
  readonly reader?: ObjectReader | undefined
}

export class FileReplacer {
  readonly #folders: OpenFolders
  readonly #options: FileReplacerOptions
  #count = 0
  /** Folders that files cannot be moved into from the folder aside: another disk, or the same one mounted twice. */
  readonly #apart = new Map<RelPath, boolean>()

  /** Whoever made the folders closes them. */
  constructor(folders: OpenFolders, options: FileReplacerOptions) {
    this.#folders = folders
    this.#options = options
  }

  /** Brings a file or symlink to its path. */
  put(wanted: TargetFile): WriteRefusal | undefined {
    return this.#carefully(wanted.path, () => this.#besideIfApart(wanted.path, () => this.#put(wanted)))
  }

  /** Takes a file or symlink away. */
  remove(path: RelPath, expect: ExpectedFile): WriteRefusal | undefined {
    return this.#carefully(path, () => this.#besideIfApart(path, () => this.#remove(path, expect)))
  }

  /** Gives a file that has the right content its mode and time. */
  touch(wanted: TargetFile): WriteRefusal | undefined {
    return this.#carefully(wanted.path, () => {
      const at = this.#folders.child(wanted.path)
      if (!wanted.expect || !isAsExpected(at, wanted.expect)) return changed(wanted.path)
      if (wanted.kind !== KIND.symlink) setMode(at, wanted.mode)
      setTime(at, wanted.mtime)
      return undefined
    })
  }

  /** Writes into a folder that nobody else uses: straight to the name. */
  create(wanted: TargetFile): WriteRefusal | undefined {
    return this.#carefully(wanted.path, () => {
      this.#write(this.#folders.child(wanted.path), wanted)
      return undefined
    })
  }

  /** A folder that is there already is as good. */
  makeFolder(path: RelPath): WriteRefusal | undefined {
    return this.#carefully(path, () => {
      const at = this.#folders.child(path)
      if (!lstat(at)?.isDirectory()) makeDir(at, 0o700)
      return undefined
    })
  }

  /** A folder that is gone already is as good; one that is not empty is refused. */
  removeFolder(path: RelPath): WriteRefusal | undefined {
    return this.#carefully(path, () => {
      const at = this.#folders.child(path)
      this.#folders.forget(path)
      if (lstat(at) !== undefined) removeDir(at)
      return undefined
    })
  }

  /** Lets us into a folder. */
  unlock(path: RelPath, mode: number): WriteRefusal | undefined {
    return this.#carefully(path, () => {
      chmod(this.#folders.folder(path), mode)
      return undefined
    })
  }

  /** The mode last: a folder that is to be read-only must still be ours while its time is set. */
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

  /** Whatever fails, nothing stays on its way. */
  #place(temp: string, at: string, { path, expect }: TargetFile): WriteRefusal | undefined {
    try {
      return expect ? this.#swap(temp, at, path, expect) : this.#appear(temp, at, path)
    } catch (error) {
      if (lstat(temp) !== undefined) removeFile(temp)
      throw error
    }
  }

  /** Under the new name only if nothing has come there meanwhile. */
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

  /** On a full disk what was removed a moment ago may be all the room there is. */
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

  /** In the folder aside, or beside the target where files cannot be moved from there. */
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

  /** What is mounted twice has the same device, and yet nothing can be moved across: only trying tells. */
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

/** The same error about a path that people know. */
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
