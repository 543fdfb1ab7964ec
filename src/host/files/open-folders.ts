import * as fs from 'node:fs'
import { lazily } from '../../base/lazily.ts'
import { foldersAbove, nameOf, parentOf, type RelPath } from '../../schema/path.ts'
import { close, errorCode, fsPath, fstat, lstat, readLink } from './fs.ts'
import { nameDescriptor, plainNames } from './plain-names.ts'

/** Which folder it is, whatever it is called. */
export interface FolderId {
  readonly dev: number
  readonly ino: number
}

interface OpenFolder {
  readonly fd: number
  /** Asked for when it is needed: most folders are opened once and used at once. */
  readonly id: () => FolderId
}

/** Linux only. Opens a folder as a place, which needs no right to read it. */
const O_PATH = 0x20_0000
const AS_PLACE = O_PATH | (fs.constants.O_NOFOLLOW ?? 0)
const AS_FOLDER = AS_PLACE | (fs.constants.O_DIRECTORY ?? 0)

/** Descriptors may be few, and every thread that writes has folders of its own. */
const KEPT_OPEN = 24

/**
 * The folders of a tree, each opened from the one above it without following a link. What is done to a name that `child` gives
 * is done inside the very folder that was opened, also when somebody puts a link in the place of a folder meanwhile.
 *
 * On Linux such a name is `/proc/self/fd/N/name`. On other systems, and where /proc is missing, it is the plain path, given
 * after a look at every folder on the way: a link that is put there between this look and the act is followed.
 *
 * A name is good until the next `rest` or `close`. Folders that are no longer where they were are refused with ENOTDIR.
 */
export class OpenFolders {
  readonly root: string
  readonly id: FolderId
  readonly #top: OpenFolder | undefined
  /** What the system calls the root; undefined where it does not say. */
  readonly #place: string | undefined
  /** The least lately used first. */
  readonly #open = new Map<RelPath, OpenFolder>()
  /** Without descriptors: what was found at each path. */
  readonly #seen = new Map<RelPath, FolderId>()

  /** The root itself may not be a link either. */
  constructor(root: string) {
    this.root = plainNames(root)
    this.#top = openTop(root, this.root)
    this.id = this.#top?.id() ?? folderAt(root, root)
    this.#place = this.#top && placeOf(this.#top)
  }

  /** How the system finds what is at a path, which need not exist; the folder it lies in must. */
  child(path: RelPath): string {
    return `${this.folder(parentOf(path))}/${checkedName(path)}`
  }

  /** How the system finds a folder. Links to it are to be followed: it may itself be called by one. */
  folder(path: RelPath): string {
    if (this.#top === undefined) return this.#lookedAt(path)
    return callOf(path === '' ? this.#top : this.#opened(path))
  }

  /** Which folder is at a path. */
  idOf(path: RelPath): FolderId {
    if (path === '') return this.id
    return this.#top === undefined ? folderAt(this.#lookedAt(path), path) : this.#opened(path).id()
  }

  /** The path as people write it, for messages. */
  plain(path: RelPath): string {
    return path === '' ? this.root : `${this.root}/${path}`
  }

  /** To be called between two acts: names given before it are no longer good. */
  rest(): void {
    for (const [path, { fd }] of this.#open) {
      if (this.#open.size <= KEPT_OPEN) return
      this.#open.delete(path)
      close(fd)
    }
  }

  /** The folder at this path is about to go: another may come in its place. */
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

  /** Nothing is written into a folder that has been moved away, as far as a look can tell. */
  #checkStillThere(path: RelPath, known: OpenFolder): void {
    const above = parentOf(path) === '' ? this.#top : this.#open.get(parentOf(path))
    const now = lstatShort(above ? `${callOf(above)}/${nameOf(path)}` : this.plain(path))
    if (now === 'unknown') return
    const { dev, ino } = known.id()
    if (now?.ino !== ino || now.dev !== dev) throw notAFolder(this.plain(path))
  }

  /**
   * In one step, as links on the way are followed; then the system is asked where the folder lies that was opened. Undefined
   * unless that is this very path below the root.
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

  /** Name by name from the nearest folder above that is open. */
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
      // On the way down a deep path nothing is kept that would only push out others.
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

  /** The plain path, every folder on the way being a real one, and the one that was found there first. */
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

/** Undefined for any reason: whoever goes name by name finds out which. */
function openedOrNot(at: string, plain: string): OpenFolder | undefined {
  try {
    return openFolder(at, plain)
  } catch {
    return undefined
  }
}

/** Where an open folder lies now, free of links. Undefined where that cannot be told, as of a very long path. */
function placeOf(folder: OpenFolder): string | undefined {
  try {
    return readLink(callOf(folder))
  } catch {
    return undefined
  }
}

const canCallByDescriptor = lazily(() => process.platform === 'linux' && fs.existsSync('/proc/self/fd'))

/** Undefined where folders cannot be called by their descriptors. */
function openTop(root: string, plain: string): OpenFolder | undefined {
  if (!canCallByDescriptor()) return undefined
  const top = openFolder(root, plain)
  const seen = fs.statSync(callOf(top), { throwIfNoEntry: false })
  const { dev, ino } = top.id()
  if (seen?.ino === ino && seen.dev === dev) return top
  close(top.fd)
  return undefined
}

/** The last name of a path. One that leads elsewhere is refused here, too, whoever made the path. */
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

/** The same error about a path that people know. */
function renamed(error: unknown, path: string): unknown {
  if (errorCode(error) === 'ELOOP') return notAFolder(path)
  return error instanceof Error ? Object.assign(error, { path }) : error
}

/** Changes the mode of a file, not of what a link there leads to. */
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
