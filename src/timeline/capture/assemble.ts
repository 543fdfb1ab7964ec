import { sha256 } from '../../host/hash.ts'
import type { Skipped } from '../../schema/cause.ts'
import { joinPath, nameOf, parentOf, type RelPath, ROOT } from '../../schema/path.ts'
import { SKIP_REASONS } from '../../schema/skip.ts'
import { HASH_BYTES } from '../../store/store.ts'
import { KIND } from '../../store/tree.ts'
import { isLeafAt, isStaleRow, rowOf, sameFolderRows, sameShape, withRows } from '../scan/encoded.ts'
import {
  decodeFolder,
  encodeFolder,
  type Folder,
  filterFolder,
  headOf,
  reasonAt,
  SKIPPED,
  treeOf,
} from '../scan/folder.ts'
import type { Folders } from '../scan/folders.ts'
import { isFirstLook } from '../scan/scan.ts'
import type { Scan } from '../scan/scan-result.ts'

/** The workspace as one scan saw it, with the hash of every tree. */
export interface Assembled {
  readonly tree: Uint8Array
  readonly files: number
  readonly bytes: number
  readonly skipped: readonly Skipped[]
  /** Every folder, encoded, for the next scan to start from. */
  readonly folders: Folders
  /** The folders with which the scan was compared. */
  readonly before: Folders
  /** The folders whose trees were remade, and those that are gone. */
  readonly remade: readonly RelPath[]
  /** Whether any folder's record differs from the last scan's. */
  readonly dirty: boolean
}

/** Stores a new tree. */
export type PutTree = (hash: Uint8Array, bytes: Uint8Array) => void

/**
 * Makes the trees of the folders that changed, from the deepest up; unchanged folders keep theirs. A parent changes
 * when a child's tree, mode or time changed.
 */
export function assemble(scan: Scan, putTree: PutTree): Assembled {
  const folders = scan.before.fork()
  const work = new DeepestFirst()
  const remade: RelPath[] = []
  for (const [path, bytes] of scan.changed) {
    folders.set(path, bytes)
    const known = scan.before.get(path)
    if (known && sameShape(known, bytes) && sameFolderRows(known, bytes)) work.refresh(path)
    else work.add(path)
  }
  const gone = lost(scan)
  folders.drop(gone)
  for (const path of gone) if (path !== '') work.add(parentOf(path))
  for (const [path, touched] of work) {
    const before = folders.get(path)
    remade.push(path)
    if (before === undefined) continue
    const made = remake(path, before, touched, folders, scan, putTree)
    if (made !== before) folders.set(path, made)
    const row = path === '' || work.isAdded(parentOf(path)) ? undefined : staleRow(path, made, folders)
    if (row !== undefined) work.touch(parentOf(path), row, made)
  }
  const root = folders.get(ROOT)
  return {
    tree: root ? headOf(root).tree : new Uint8Array(HASH_BYTES),
    ...folders.totals(),
    skipped: skippedOf(folders),
    folders,
    before: scan.before,
    remade,
    dirty: folders.isDirty,
  }
}

/**
 * The scan makes the trees of folders without subfolders, which are most of them, in its threads. `EarlyTrees` may have
 * made others.
 */
const isMade = (path: RelPath, folder: Uint8Array, scan: Scan): boolean =>
  scan.made.has(path) || (scan.changed.has(path) && isLeafAt(folder))

/** The folder with its tree made; the same record when the tree was made already. */
function remake(
  path: RelPath,
  before: Uint8Array,
  touched: ReadonlyMap<number, Uint8Array> | undefined,
  folders: Folders,
  scan: Scan,
  putTree: PutTree,
): Uint8Array {
  if (isMade(path, before, scan)) return before
  if (touched === undefined) {
    const folder = decodeFolder(before)
    return encodeFolder(makeTree(folder, childrenOf(path, folder, folders, scan), putTree))
  }
  const { folder, tree, hash } = withRows(before, touched)
  putTree(hash, tree)
  return folder
}

/**
 * Folders that no longer exist, or that their parent no longer lists: moved, excluded, or hidden behind a symlink that
 * replaced a parent. Everything below them is dropped, too.
 */
function lost(scan: Scan): Set<RelPath> {
  const paths = new Set([...scan.gone, ...scan.unreadable])
  const isListed = isFirstLook(scan) ? () => true : listings(scan)
  for (const [path, bytes] of scan.changed) {
    const before = scan.before.get(path)
    if (before === undefined) {
      if (!isListed(path)) paths.add(path)
      continue
    }
    if (sameShape(before, bytes)) continue
    const listed = foldersIn(decodeFolder(bytes))
    for (const name of foldersIn(decodeFolder(before))) if (!listed.has(name)) paths.add(joinPath(path, name))
  }
  return paths
}

/** Whether the parent of a new folder still lists it: a later scan of the parent may have found it gone. */
function listings(scan: Scan): (path: RelPath) => boolean {
  const listed = new Map<RelPath, ReadonlySet<string>>()
  return (path) => {
    if (path === '') return true
    const parent = parentOf(path)
    let names = listed.get(parent)
    if (names === undefined) {
      const folder = scan.changed.get(parent) ?? scan.before.get(parent)
      names = folder ? foldersIn(decodeFolder(folder)) : new Set()
      listed.set(parent, names)
    }
    return names.has(nameOf(path))
  }
}

const foldersIn = (folder: Folder): Set<string> =>
  new Set(folder.names.filter((_, i) => folder.kinds[i] === KIND.directory))

type Child = Uint8Array | 'unreadable' | 'gone' | undefined

/**
 * The folder with its tree's hash. Rows of subfolders are filled in from their records; subfolders that are gone are
 * left out.
 */
export function makeTree(folder: Folder, children: readonly Child[], putTree: PutTree): Folder {
  const next = children.includes('gone') ? filterFolder(folder, (i) => children[i] !== 'gone') : copyFolder(folder)
  // A listed folder was not found: another process is moving things. The listing cannot be trusted, so the next scan
  // lists again.
  if (next.names.length < folder.names.length) next.ctimeMs = Number.NaN
  children
    .filter((child) => child !== 'gone')
    .forEach((child, i) => {
      if (child === 'unreadable') setUnreadable(next, i)
      else if (child) setChild(next, i, child)
    })
  const bytes = treeOf(next)
  next.tree = sha256(bytes)
  putTree(next.tree, bytes)
  return next
}

/** The records of the subfolders, row by row; undefined for rows that are no folders. */
function childrenOf(path: RelPath, folder: Folder, folders: Folders, scan: Scan): Child[] {
  return folder.names.map((name, i) => {
    if (folder.kinds[i] !== KIND.directory) return undefined
    const child = joinPath(path, name)
    return folders.get(child) ?? (scan.unreadable.has(child) ? 'unreadable' : 'gone')
  })
}

/** Copies only the columns that `makeTree` changes. */
const copyFolder = (folder: Folder): Folder =>
  folder.kinds.includes(KIND.directory)
    ? {
        ...folder,
        kinds: folder.kinds.slice(),
        modes: folder.modes.slice(),
        sizes: folder.sizes.slice(),
        mtimes: folder.mtimes.slice(),
        hashes: folder.hashes.slice(),
        sigC: folder.sigC.slice(),
      }
    : { ...folder }

function setChild(folder: Folder, i: number, child: Uint8Array): void {
  const head = headOf(child)
  folder.modes[i] = head.mode
  folder.mtimes[i] = head.mtime
  folder.sizes[i] = 0
  folder.hashes.set(head.tree, HASH_BYTES * i)
}

/** A folder that exists but cannot be listed: its contents are unknown, and no act touches it. */
function setUnreadable(folder: Folder, i: number): void {
  folder.kinds[i] = SKIPPED
  folder.modes[i] = SKIP_REASONS.indexOf('unreadable')
  folder.sigC[i] = Number.NaN
  // The next scan lists the parent again, and with it tries this folder again.
  folder.ctimeMs = Number.NaN
}

/** The folder's row in its parent, if the row no longer matches the folder. */
function staleRow(path: RelPath, made: Uint8Array, folders: Folders): number | undefined {
  const parent = folders.get(parentOf(path))
  const i = parent === undefined ? -1 : rowOf(parent, nameOf(path))
  return parent && i !== -1 && isStaleRow(parent, i, made) ? i : undefined
}

/** Every entry that could not be captured. */
function skippedOf(folders: Folders): Skipped[] {
  const skipped: Skipped[] = []
  for (const [path, bytes] of folders.skipped()) {
    const folder = decodeFolder(bytes)
    folder.names.forEach((name, i) => {
      if (folder.kinds[i] === SKIPPED) skipped.push({ path: joinPath(path, name), reason: reasonAt(folder, i) })
    })
  }
  return skipped
}

/** The rows of a folder to fill in, with the records to fill them from; undefined: all rows of subfolders. */
type Touched = Map<number, Uint8Array> | undefined

/** A queue of folders, the deepest first. During the iteration only shallower folders may be added. */
class DeepestFirst {
  readonly #levels: Map<RelPath, Touched>[] = []

  add(path: RelPath): void {
    this.#level(path).set(path, undefined)
  }

  /** As `add`, for a folder whose rows are right except for those that `touch` adds later. */
  refresh(path: RelPath): void {
    this.#level(path).set(path, new Map())
  }

  touch(path: RelPath, row: number, child: Uint8Array): void {
    const level = this.#level(path)
    if (!level.has(path)) level.set(path, new Map([[row, child]]))
    else level.get(path)?.set(row, child)
  }

  /** Whether all rows of the folder will be filled in. */
  isAdded(path: RelPath): boolean {
    const level = this.#level(path)
    return level.has(path) && level.get(path) === undefined
  }

  *[Symbol.iterator](): Generator<[RelPath, Touched]> {
    for (let depth = this.#levels.length - 1; depth >= 0; depth--) yield* this.#levels[depth] ?? []
  }

  #level(path: RelPath): Map<RelPath, Touched> {
    const depth = depthOf(path)
    return (this.#levels[depth] ??= new Map())
  }
}

function depthOf(path: RelPath): number {
  if (path === '') return 0
  let depth = 1
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) depth++
  return depth
}
