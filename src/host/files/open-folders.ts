import * as fs from 'node:fs'
import { lazily } from '../../base/lazily.ts'
import { foldersAbove, nameOf, parentOf, type RelPath } from '../../schema/path.ts'
import { close, errorCode, fsPath, fstat, lstat, readLink } from './fs.ts'
import { nameDescriptor, plainNames } from './plain-names.ts'

/** Identifies a folder independently of its path. */
export interface FolderId {
  readonly dev: number
  readonly ino: number
}

interface OpenFolder {
  readonly fd: number
  /** Read on demand: most folders are opened and used only once. */
  readonly id: () => FolderId
}

/** Linux only. Opens a folder as a location, which needs no permission to read it. */
const O_PATH = 0x20_0000
const AS_PLACE = O_PATH | (fs.constants.O_NOFOLLOW ?? 0)
const AS_FOLDER = AS_PLACE | (fs.constants.O_DIRECTORY ?? 0)

/** Descriptors may be scarce, and every writing thread has its own folders. */
const KEPT_OPEN = 24

/**
 * The folders of a tree, each opened from its parent without following a link. An operation on a name from `child`
 * happens inside the very folder that was opened, even if another process replaces a folder by a link meanwhile.
 *
 * On Linux such a name is `/proc/self/fd/N/name`. On other systems, and without /proc, it is the plain path, returned
 * after a check of every folder on the way: a link that is created between the check and the operation is followed.
 *
 * A name is valid until the next `rest` or `close`. Folders that have been moved or replaced are refused with ENOTDIR.
 */
export class OpenFolders {
  readonly root: string
  readonly id: FolderId
  readonly #top: OpenFolder | undefined
  /** The system's path of the root; undefined where it is not available. */
  readonly #place: string | undefined
  /** The least recently used first. */
  readonly #open = new Map<RelPath, OpenFolder>()
  /** Without descriptors: the folder first seen at each path. */
  readonly #seen = new Map<RelPath, FolderId>()

  /** Throws when the root itself is a link. */
  constructor(root: string) {
    this.root = plainNames(root)
    this.#top = openTop(root, this.root)
    this.id = this.#top?.id() ?? folderAt(root, root)
    this.#place = this.#top && placeOf(this.#top)
  }

  /** A name for system calls on `path`. The path need not exist, but its parent folder must. */
  child(path: RelPath): string {
    return `${this.folder(parentOf(path))}/${checkedName(path)}`
  }

  /** A name for system calls on a folder. Callers must let links be followed: the name may itself be a link. */
  folder(path: RelPath): string {
    if (this.#top === undefined) return this.#lookedAt(path)
    return callOf(path === '' ? this.#top : this.#opened(path))
  }

  /** The identity of the folder at a path. */
  idOf(path: RelPath): FolderId {
    if (path === '') return this.id
    return this.#top === undefined ? folderAt(this.#lookedAt(path), path) : this.#opened(path).id()
  }

  /** The plain path, for messages. */
  plain(path: RelPath): string {
    return path === '' ? this.root : `${this.root}/${path}`
  }

  /** Call it between two operations: names returned before are no longer valid. */
  rest(): void {
    for (const [path, { fd }] of this.#open) {
      if (this.#open.size <= KEPT_OPEN) return
      this.#open.delete(path)
      close(fd)
    }
  }

  /** Call it before the folder at this path is deleted: another may be created in its place. */
  forget(path: RelPath): void {
    const known = this.#open.get(path)
    if (known) close(known.fd)
    this.#open.delete(path)
    this.#seen.delete(path)
  }

  close(): void {
    for (const { fd } of this.#open.values()) close(fd)
    this.#open.clear()
    if (this.#top) close(this.#top.fd)
  }

  #opened(path: RelPath): OpenFolder {
    const known = this.#open.get(path)
    if (known === undefined) return this.#openAtOnce(path) ?? this.#openFrom(path)
    this.#checkStillThere(path, known)
    this.#open.delete(path)
    this.#open.set(path, known)
    return known
  }

  /**
   * Throws when the folder is no longer at its path, so that nothing is written into a folder that was moved away.
   * Skipped where the path is too long to check.
   */
  #checkStillThere(path: RelPath, known: OpenFolder): void {
    const above = parentOf(path) === '' ? this.#top : this.#open.get(parentOf(path))
    const now = lstatShort(above ? `${callOf(above)}/${nameOf(path)}` : this.plain(path))
    if (now === 'unknown') return
    const { dev, ino } = known.id()
    if (now?.ino !== ino || now.dev !== dev) throw notAFolder(this.plain(path))
  }

  /**
   * Opens the path in one call, which follows links on the way; then asks the system where the opened folder is.
   * Undefined unless that is exactly this path below the root.
   */
  #openAtOnce(path: RelPath): OpenFolder | undefined {
    if (this.#place === undefined) return undefined
    const folder = openedOrNot(`${callOf(this.#top as OpenFolder)}/${path}`, this.plain(path))
    if (folder === undefined) return undefined
    if (placeOf(folder) !== `${this.#place}/${path}`) {
      close(folder.fd)
      return undefined
    }
    this.#open.set(path, folder)
    return folder
  }

  /** Opens name by name, from the nearest ancestor that is open. */
  #openFrom(path: RelPath): OpenFolder {
    const way = [...foldersAbove(path), path]
    const nearest = way.findLast((folder) => this.#open.has(folder))
    let current = nearest === undefined ? (this.#top as OpenFolder) : this.#opened(nearest)
    let isKept = true
    for (const next of nearest === undefined ? way : way.slice(way.indexOf(nearest) + 1)) {
      const above = current
      try {
        current = this.#openIn(above, next)
      } finally {
        if (!isKept) close(above.fd)
      }
      // On the way down a deep path, keep no folder open that would only evict others.
      isKept = next === path || this.#open.size < KEPT_OPEN
      if (isKept) this.#open.set(next, current)
    }
    return current
  }

  #openIn(above: OpenFolder, path: RelPath): OpenFolder {
    const at = `${callOf(above)}/${checkedName(path)}`
    try {
      return openFolder(at, this.plain(path))
    } catch (error) {
      throw renamed(error, this.plain(path))
    }
  }

  /** The plain path, after a check that every folder on the way is a real folder and the one first seen there. */
  #lookedAt(path: RelPath): string {
    for (let at = path; at !== ''; at = parentOf(at)) {
      checkedName(at)
      const [now, known] = [folderAt(this.plain(at), at), this.#seen.get(at)]
      if (known && (known.ino !== now.ino || known.dev !== now.dev)) throw notAFolder(this.plain(at))
      this.#seen.set(at, { dev: now.dev, ino: now.ino })
    }
    return this.plain(path)
  }
}

const callOf = ({ fd }: OpenFolder): string => `/proc/self/fd/${fd}`

function openFolder(at: string, plain: string): OpenFolder {
  const fd = fs.openSync(fsPath(at), AS_FOLDER)
  nameDescriptor(fd, plain)
  return { fd, id: lazily(() => fstat(fd)) }
}

/** Undefined after any error: opening name by name will report which. */
function openedOrNot(at: string, plain: string): OpenFolder | undefined {
  try {
    return openFolder(at, plain)
  } catch {
    return undefined
  }
}

/**
 * The current path of an open folder, without links. Undefined where it is not available, for example for a very long
 * path.
 */
function placeOf(folder: OpenFolder): string | undefined {
  try {
    return readLink(callOf(folder))
  } catch {
    return undefined
  }
}

const canCallByDescriptor = lazily(() => process.platform === 'linux' && fs.existsSync('/proc/self/fd'))

/** Undefined where folders cannot be addressed by descriptor. */
function openTop(root: string, plain: string): OpenFolder | undefined {
  if (!canCallByDescriptor()) return undefined
  const top = openFolder(root, plain)
  const seen = fs.statSync(callOf(top), { throwIfNoEntry: false })
  const { dev, ino } = top.id()
  if (seen?.ino === ino && seen.dev === dev) return top
  close(top.fd)
  return undefined
}

/** The last name of a path. Refuses a name that leads elsewhere, even though paths are checked when they are made. */
function checkedName(path: RelPath): string {
  const name = nameOf(path)
  if (name === '' || name === '.' || name === '..' || name.includes('\0')) throw notAFolder(path)
  return name
}

function folderAt(at: string, path: string): FolderId {
  const found = lstat(at)
  if (!found?.isDirectory()) throw notAFolder(path)
  return found
}

function lstatShort(at: string): FolderId | 'unknown' | undefined {
  try {
    return lstat(at)
  } catch (error) {
    if (errorCode(error) === 'ENAMETOOLONG') return 'unknown'
    throw error
  }
}

const notAFolder = (path: string): Error =>
  Object.assign(new Error(`ENOTDIR: not a folder of its own, ${path}`), { code: 'ENOTDIR', path })

/** The same error, but about the plain path. */
function renamed(error: unknown, path: string): unknown {
  if (errorCode(error) === 'ELOOP') return notAFolder(path)
  return error instanceof Error ? Object.assign(error, { path }) : error
}

/** Changes the mode of a file, and does not follow a link. */
export function chmodFile(at: string, mode: number): void {
  if (!canCallByDescriptor()) {
    if (lstat(at)?.isFile()) fs.chmodSync(fsPath(at), mode)
    return
  }
  const fd = fs.openSync(fsPath(at), AS_PLACE)
  try {
    if (fstat(fd).isFile()) fs.chmodSync(`/proc/self/fd/${fd}`, mode)
  } finally {
    close(fd)
  }
}
