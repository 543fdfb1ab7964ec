import { LayeredMap } from '../../base/layered-map.ts'
import { foldersAbove, type RelPath, ROOT } from '../../schema/path.ts'
import { bytesOf, filesOf, hasSkipped } from './encoded.ts'
import { headOf, inodesOf } from './folder.ts'
import type { ScanIndex } from './scan-index.ts'

/**
 * All folders of a workspace, encoded: those of the last scan, overlaid with the records that differ. `fork` costs what
 * was changed since the last fork, not all that differs, and not what exists.
 */
export class Folders {
  readonly #last: ScanIndex | undefined
  #over = new LayeredMap<RelPath, Uint8Array | undefined>()
  #files: number
  #bytes: number
  /** Folders with entries that could not be captured; undefined until they are first asked for. */
  #skipped: Set<RelPath> | undefined

  constructor(last: ScanIndex | undefined) {
    this.#last = last
    this.#files = last?.files ?? 0
    this.#bytes = last?.bytes ?? 0
    if (!last?.hasSkipped) this.#skipped = new Set()
  }

  /** A copy that can be changed without changing this one. */
  fork(): Folders {
    const copy = new Folders(this.#last)
    copy.#over = this.#over.fork()
    copy.#files = this.#files
    copy.#bytes = this.#bytes
    copy.#skipped = this.#skipped && new Set(this.#skipped)
    return copy
  }

  get(path: RelPath): Uint8Array | undefined {
    return this.#over.has(path) ? this.#over.get(path) : this.#last?.folder(path)
  }

  has(path: RelPath): boolean {
    return this.get(path) !== undefined
  }

  /** The hash of the workspace's root tree; undefined when no folder is known. */
  get tree(): Uint8Array | undefined {
    const root = this.get(ROOT)
    return root && headOf(root).tree
  }

  set(path: RelPath, folder: Uint8Array): void {
    this.#put(path, folder)
  }

  #put(path: RelPath, folder: Uint8Array | undefined): void {
    const before = this.get(path)
    this.#over.set(path, folder)
    this.#count(before, -1)
    this.#count(folder, 1)
    if (folder && hasSkipped(folder)) this.#skipped?.add(path)
    else this.#skipped?.delete(path)
  }

  #count(folder: Uint8Array | undefined, sign: 1 | -1): void {
    if (folder === undefined) return
    this.#files += sign * filesOf(folder)
    this.#bytes += sign * bytesOf(folder)
  }

  /** Removes these folders and everything below them. */
  drop(paths: ReadonlySet<RelPath>): void {
    // Sorted, so that a folder precedes those below it and its descendants are searched for once.
    const dropped = new Set<RelPath>()
    for (const path of [...paths].sort())
      if (!dropped.has(path))
        for (const each of [path, ...(this.#last?.below(path) ?? [])]) {
          this.#put(each, undefined)
          dropped.add(each)
        }
    if (paths.size > 0)
      // A copy: the loop changes the map.
      for (const other of Array.from(this.#over.keys()))
        if (foldersAbove(other).some((folder) => paths.has(folder))) this.#put(other, undefined)
  }

  /** All folders below this one, at any depth. */
  below(path: RelPath): RelPath[] {
    const prefix = path === '' ? '' : `${path}/`
    const own = [...this.#over.keys()].filter((other) => other !== path && other.startsWith(prefix))
    const known =
      path === '' ? (this.#last?.paths.filter((other) => other !== '') ?? []) : (this.#last?.below(path) ?? [])
    return [...new Set([...known, ...own])].filter((other) => this.has(other))
  }

  /** The folders that hold any of these inodes. Reads every record. */
  holding(inodes: ReadonlySet<number>): RelPath[] {
    const found: RelPath[] = []
    for (const [path, bytes] of this.all()) if (inodesOf(bytes).some((ino) => inodes.has(ino))) found.push(path)
    return found
  }

  /** The number of records that differ from the last scan's; every further scan carries them along. */
  get burden(): number {
    return this.#over.size
  }

  /** Every folder, sorted by path. */
  *all(): Generator<readonly [RelPath, Uint8Array]> {
    const fresh = [...this.changed()].flatMap(([path]) => (this.#last?.folder(path) ? [] : [path])).sort()
    let next = 0
    for (const [i, path] of (this.#last?.paths ?? []).entries()) {
      for (; next < fresh.length && (fresh[next] ?? ROOT) < path; next++) yield this.#entry(fresh[next] ?? ROOT)
      const folder = this.#over.has(path) ? this.#over.get(path) : this.#last?.folderAt(i)
      if (folder) yield [path, folder]
    }
    for (; next < fresh.length; next++) yield this.#entry(fresh[next] ?? ROOT)
  }

  #entry(path: RelPath): readonly [RelPath, Uint8Array] {
    return [path, this.#over.get(path) as Uint8Array]
  }

  /** The records that differ from those of `last`, by position; undefined when folders were created or deleted. */
  patchOf(last: ScanIndex): Map<number, Uint8Array> | undefined {
    if (last !== this.#last) return undefined
    const changed = new Map<number, Uint8Array>()
    for (const [path, folder] of this.#over.entries()) {
      const i = last.position(path)
      if (i === undefined || folder === undefined) return undefined
      changed.set(i, folder)
    }
    return changed
  }

  /** The folders whose records differ from the last scan's. */
  *changed(): Generator<readonly [RelPath, Uint8Array]> {
    for (const [path, folder] of this.#over.entries()) if (folder) yield [path, folder]
  }

  /** The number of files and their total size. */
  totals(): { files: number; bytes: number } {
    return { files: this.#files, bytes: this.#bytes }
  }

  /** Folders with entries that could not be captured, sorted by path. */
  skipped(): readonly (readonly [RelPath, Uint8Array])[] {
    this.#skipped ??= new Set([...this.all()].flatMap(([path, folder]) => (hasSkipped(folder) ? [path] : [])))
    return [...this.#skipped].sort().map((path) => [path, this.get(path) as Uint8Array])
  }

  /** Whether the records are exactly those of this scan. */
  isOf(last: ScanIndex): boolean {
    return last === this.#last && this.#over.size === 0
  }

  get isDirty(): boolean {
    return this.#over.size > 0
  }
}
