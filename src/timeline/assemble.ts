import type { Skipped } from '../schema/cause.ts'
import { joinPath, parentOf, type RelPath } from '../schema/path.ts'
import { SKIP_REASONS } from '../schema/skip.ts'
import { sha256 } from '../store/hash.ts'
import { HASH_BYTES } from '../store/store.ts'
import { encodeTreeColumns, KIND } from '../store/tree.ts'
import {
  decodeFolder,
  encodeFolder,
  type Folder,
  filterFolder,
  hasSkipped,
  headOf,
  reasonAt,
  SKIPPED,
} from './folder.ts'
import type { Scan } from './scan.ts'
import { encodeScanIndex } from './scan-index.ts'

/** The workspace as one scan saw it, with the hash of every tree. */
export interface Assembled {
  readonly tree: Uint8Array
  readonly files: number
  readonly bytes: number
  readonly skipped: readonly Skipped[]
  /** Every folder, encoded, for the next scan. */
  readonly folders: Map<RelPath, Uint8Array>
  /** Whether any folder's record differs from the last scan's. */
  readonly dirty: boolean
}

/** Where new trees go. */
export type PutTree = (hash: Uint8Array, bytes: Uint8Array) => void

/**
 * Makes the trees of the folders that changed, from the deepest up; unchanged ones keep theirs.
 * A parent changes when a child's tree, mode or time did.
 */
export function assemble(scan: Scan, putTree: PutTree): Assembled {
  const folders = new Map<RelPath, Uint8Array>()
  scan.last?.paths.forEach((path, i) => {
    if (!scan.gone.has(path) && !scan.unreadable.has(path)) folders.set(path, scan.last?.folderAt(i) as Uint8Array)
  })
  const work = new DeepestFirst()
  for (const [path, bytes] of scan.changed) {
    folders.set(path, bytes)
    work.add(path)
  }
  for (const path of [...scan.gone, ...scan.unreadable]) if (path !== '') work.add(parentOf(path))
  const dirty = work.size > 0
  for (let path = work.next(); path !== undefined; path = work.next()) {
    const bytes = folders.get(path)
    if (bytes === undefined) continue
    const made = makeTree(path, decodeFolder(bytes), folders, scan, putTree)
    folders.set(path, encodeFolder(made))
    if (path !== '' && parentDiffers(path, made, folders)) work.add(parentOf(path))
  }
  dropUnreached(folders, scan)
  return { ...totals(folders), skipped: skippedOf(folders), folders, dirty }
}

function makeTree(
  path: RelPath,
  folder: Folder,
  folders: Map<RelPath, Uint8Array>,
  scan: Scan,
  putTree: PutTree,
): Folder {
  const next = filterFolder(
    folder,
    (i) => folder.kinds[i] !== KIND.directory || isThere(path, folder, i, folders, scan),
  )
  next.names.forEach((name, i) => {
    if (next.kinds[i] !== KIND.directory) return
    const child = folders.get(joinPath(path, name))
    if (child) setChild(next, i, child)
    else setUnreadable(next, i)
  })
  const captured = filterFolder(next, (i) => next.kinds[i] !== SKIPPED)
  const bytes = encodeTreeColumns(captured)
  next.tree = sha256(bytes)
  putTree(next.tree, bytes)
  return next
}

const isThere = (path: RelPath, folder: Folder, i: number, folders: Map<RelPath, Uint8Array>, scan: Scan): boolean => {
  const child = joinPath(path, folder.names[i] ?? '')
  return folders.has(child) || scan.unreadable.has(child)
}

function setChild(folder: Folder, i: number, child: Uint8Array): void {
  const head = headOf(child)
  folder.modes[i] = head.mode
  folder.mtimes[i] = head.mtime
  folder.sizes[i] = 0
  folder.hashes.set(head.tree, HASH_BYTES * i)
}

/** A folder that cannot be listed: it is there, nobody knows what is in it, and nobody will touch it. */
function setUnreadable(folder: Folder, i: number): void {
  folder.kinds[i] = SKIPPED
  folder.modes[i] = SKIP_REASONS.indexOf('unreadable')
  folder.sigC[i] = Number.NaN
  // Without trust in its listing the parent is looked at again next time, and with it this folder.
  folder.ctimeMs = Number.NaN
}

function parentDiffers(path: RelPath, made: Folder, folders: Map<RelPath, Uint8Array>): boolean {
  const bytes = folders.get(parentOf(path))
  if (bytes === undefined) return false
  const parent = decodeFolder(bytes)
  const i = parent.names.indexOf(path.slice(path.lastIndexOf('/') + 1))
  if (i === -1) return false
  const hash = parent.hashes.subarray(HASH_BYTES * i, HASH_BYTES * (i + 1))
  return parent.modes[i] !== made.mode || parent.mtimes[i] !== made.mtime || Buffer.compare(hash, made.tree) !== 0
}

/** Folders whose parent no longer lists them were moved or excluded: nothing may remember them. */
function dropUnreached(folders: Map<RelPath, Uint8Array>, scan: Scan): void {
  if (scan.gone.size === 0 && scan.changed.size === 0) return
  const listed = new Map<RelPath, Set<string>>()
  for (const path of [...folders.keys()].sort()) {
    if (path === '') continue
    const parent = parentOf(path)
    if (!folders.has(parent)) folders.delete(path)
    else if (!namesOf(parent, folders, listed, scan)?.has(path.slice(path.lastIndexOf('/') + 1))) folders.delete(path)
  }
}

/** The folders that a changed folder lists; undefined stands for "as before", which needs no check. */
function namesOf(
  parent: RelPath,
  folders: Map<RelPath, Uint8Array>,
  listed: Map<RelPath, Set<string>>,
  scan: Scan,
): { has(name: string): boolean } | undefined {
  if (!scan.changed.has(parent)) return { has: () => true }
  let names = listed.get(parent)
  if (names === undefined) {
    const folder = decodeFolder(folders.get(parent) as Uint8Array)
    names = new Set(folder.names.filter((_, i) => folder.kinds[i] === KIND.directory))
    listed.set(parent, names)
  }
  return names
}

function totals(folders: Map<RelPath, Uint8Array>): { tree: Uint8Array; files: number; bytes: number } {
  let files = 0
  let bytes = 0
  for (const folder of folders.values()) {
    const head = headOf(folder)
    files += head.files
    bytes += head.bytes
  }
  const root = folders.get('')
  return { tree: root ? headOf(root).tree : new Uint8Array(HASH_BYTES), files, bytes }
}

/** Every entry that could not be captured. */
function skippedOf(folders: Map<RelPath, Uint8Array>): Skipped[] {
  const skipped: Skipped[] = []
  for (const [path, bytes] of folders) {
    if (!hasSkipped(bytes)) continue
    const folder = decodeFolder(bytes)
    folder.names.forEach((name, i) => {
      if (folder.kinds[i] === SKIPPED) skipped.push({ path: joinPath(path, name), reason: reasonAt(folder, i) })
    })
  }
  return skipped
}

/** The next scan's starting point. */
export function encodeAssembled(assembled: Assembled, rules: string, epoch: number): Uint8Array {
  const sorted = [...assembled.folders].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return encodeScanIndex(rules, epoch, sorted)
}

/** Folders to be done, always the deepest of those left. */
class DeepestFirst {
  readonly #levels: Set<RelPath>[] = []
  size = 0

  add(path: RelPath): void {
    const depth = path === '' ? 0 : path.split('/').length
    const level = (this.#levels[depth] ??= new Set())
    if (!level.has(path)) this.size++
    level.add(path)
  }

  next(): RelPath | undefined {
    for (let depth = this.#levels.length - 1; depth >= 0; depth--) {
      const path = this.#levels[depth]?.values().next().value
      if (path === undefined) continue
      this.#levels[depth]?.delete(path)
      this.size--
      return path
    }
    return undefined
  }
}
