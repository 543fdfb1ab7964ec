import type { AppliedFile, ReadStored, StoredFile } from './applied-file.ts'
import type { Patch } from './patch.ts'

/** The state of the files while a patch is applied, part by part; nothing is written. */
export class Overlay {
  readonly #read: ReadStored
  readonly #results = new Map<string, AppliedFile>()
  /** Paths that the patch deletes or renames: other files may take their place, even earlier in the patch. */
  readonly #leaving: ReadonlySet<string>
  readonly #left = new Set<string>()

  constructor({ files }: Patch, read: ReadStored) {
    this.#read = read
    const leaving = files.filter(({ change }) => change === 'deleted' || change === 'renamed')
    this.#leaving = new Set(leaving.map(({ old }) => old.path ?? ''))
  }

  current(path: string): StoredFile | undefined {
    const result = this.#results.get(path)
    if (result) return result.after
    return this.#left.has(path) ? undefined : this.#read(path)
  }

  isTaken(path: string): boolean {
    if (this.#results.get(path)?.after) return true
    return !this.#leaving.has(path) && this.current(path) !== undefined
  }

  /** The source of a rename or copy: the file before the patch, if there is one. */
  origin(path: string, change: 'renamed' | 'copied'): StoredFile | undefined {
    const earlier = change === 'renamed' ? this.#sequelTo(path) : undefined
    return earlier?.after ?? this.#read(path) ?? this.current(path)
  }

  modify(path: string, after: StoredFile): void {
    const earlier = this.#results.get(path) ?? { path, before: this.#read(path) }
    this.#results.set(path, { ...earlier, after })
  }

  add(path: string, after: StoredFile): void {
    const earlier = this.#results.get(path) ?? { path, before: undefined }
    this.#results.set(path, { ...earlier, after })
  }

  remove(path: string): void {
    const earlier = this.#results.get(path)
    this.#results.delete(path)
    const [origin, before] = earlier ? [earlier.from ?? path, earlier.before] : [path, this.#read(path)]
    if (before) this.#results.set(origin, { path: origin, before, after: undefined })
  }

  rename(from: string, to: string, after: StoredFile): void {
    const earlier = this.#sequelTo(from)
    this.#left.add(from)
    if (!earlier) {
      this.#results.set(to, { path: to, from, before: this.#read(from), after })
      return
    }
    this.#results.delete(from)
    const origin = earlier.from ?? (earlier.before ? from : undefined)
    this.#results.set(to, { path: to, ...(origin && { from: origin }), before: earlier.before, after })
  }

  /**
   * What an earlier part of the patch made at `path`, if a later rename continues from there: the text is then two
   * patches in one. A single patch may put another file at `path`; that is not the source of the rename.
   */
  #sequelTo(path: string): AppliedFile | undefined {
    const earlier = this.#results.get(path)
    if (!earlier?.after) return undefined
    const isChanged = earlier.before !== undefined && earlier.from === undefined
    return isChanged || this.#read(path) === undefined ? earlier : undefined
  }

  files(): AppliedFile[] {
    return [...this.#results.values()]
  }
}
