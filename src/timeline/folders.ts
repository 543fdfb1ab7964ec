import { foldersAbove, type RelPath } from '../schema/path.ts'
import { headOf, inodesOf } from './folder.ts'
import type { ScanIndex } from './scan-index.ts'

/**
 * All folders of a workspace, encoded: those of the last scan, with what differs laid over them.
 * Costs what differs, not what exists.
 */
export class Folders {
  readonly #last: ScanIndex | undefined
  readonly #over = new Map<RelPath, Uint8Array | undefined>()

  constructor(last: ScanIndex | undefined) {
    this.#last = last
  }

  /** The same folders, to be changed without changing these. */
  fork(): Folders {
    const copy = new Folders(this.#last)
    for (const [path, folder] of this.#over) copy.#over.set(path, folder)
    return copy
  }

  get(path: RelPath): Uint8Array | undefined {
    return this.#over.has(path) ? this.#over.get(path) : this.#last?.folder(path)
  }

  has(path: RelPath): boolean {
    return this.get(path) !== undefined
  }

  set(path: RelPath, folder: Uint8Array): void {
    this.#over.set(path, folder)
  }

  /** Takes these folders and everything below them out. */
  drop(paths: ReadonlySet<RelPath>): void {
    for (const path of paths) {
      this.#over.set(path, undefined)
      for (const below of this.#last?.below(path) ?? []) this.#over.set(below, undefined)
    }
    if (paths.size > 0)
      for (const other of this.#over.keys())
        if (foldersAbove(other).some((folder) => paths.has(folder))) this.#over.set(other, undefined)
  }

  /** The folders below this one. */
  below(path: RelPath): RelPath[] {
    const prefix = path === '' ? '' : `${path}/`
    const own = [...this.#over.keys()].filter((other) => other !== path && other.startsWith(prefix))
    const known =
      path === '' ? (this.#last?.paths.filter((other) => other !== '') ?? []) : (this.#last?.below(path) ?? [])
    return [...new Set([...known, ...own])].filter((other) => this.has(other))
  }

  /** The folders that hold any of these inodes. Looks at all of them. */
  holding(inodes: ReadonlySet<number>): RelPath[] {
    const found: RelPath[] = []
    for (const [path, bytes] of this.all()) if (inodesOf(bytes).some((ino) => inodes.has(ino))) found.push(path)
    return found
  }

  /** How many records differ from the last scan's: what each further look has to carry along. */
  get burden(): number {
    return this.#over.size
  }

  /** Every folder, sorted by path. */
  *all(): Generator<readonly [RelPath, Uint8Array]> {
    const fresh = [...this.#over.keys()].filter((path) => this.#over.get(path) && !this.#last?.folder(path)).sort()
    let next = 0
    for (const [i, path] of (this.#last?.paths ?? []).entries()) {
      for (; next < fresh.length && (fresh[next] as RelPath) < path; next++) yield this.#entry(fresh[next] as RelPath)
      const folder = this.#over.has(path) ? this.#over.get(path) : this.#last?.folderAt(i)
      if (folder) yield [path, folder]
    }
    for (; next < fresh.length; next++) yield this.#entry(fresh[next] as RelPath)
  }

  #entry(path: RelPath): readonly [RelPath, Uint8Array] {
    return [path, this.#over.get(path) as Uint8Array]
  }

  /** Records that differ from this scan's, by position; undefined when folders came or went. */
  patchOf(last: ScanIndex): Map<number, Uint8Array> | undefined {
    if (last !== this.#last) return undefined
    const changed = new Map<number, Uint8Array>()
    for (const [path, folder] of this.#over) {
      const i = last.position(path)
      if (i === undefined || folder === undefined) return undefined
      changed.set(i, folder)
    }
    return changed
  }

  /** Folders that are not as the last scan left them. */
  *changed(): Generator<readonly [RelPath, Uint8Array]> {
    for (const [path, folder] of this.#over) if (folder) yield [path, folder]
  }

  /** How many files there are, and their bytes. */
  totals(): { files: number; bytes: number } {
    let { files, bytes } = this.#last ?? { files: 0, bytes: 0 }
    for (const [path, folder] of this.#over) {
      const [before, after] = [this.#last?.folder(path), folder]
      const was = before && headOf(before)
      const is = after && headOf(after)
      files += (is?.files ?? 0) - (was?.files ?? 0)
      bytes += (is?.bytes ?? 0) - (was?.bytes ?? 0)
    }
    return { files, bytes }
  }

  /** Whether any folder may hold entries that could not be captured; if not, none of the last scan's does. */
  get lastHasSkipped(): boolean {
    return this.#last?.hasSkipped ?? false
  }

  get isDirty(): boolean {
    return this.#over.size > 0
  }
}
