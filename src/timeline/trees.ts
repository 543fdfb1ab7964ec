import { keyOf } from '../store/hash.ts'
import type { ObjectReader } from '../store/object-reader.ts'
import { decodeTree, type Entry } from '../store/tree.ts'
import { treeOfEncoded } from './encoded.ts'
import { headOf } from './folder.ts'
import type { Folders } from './folders.ts'

const KEPT = 4096

/** Reads trees, remembering those read lately: neighbouring snapshots share most of them. */
export class Trees {
  readonly #reader: ObjectReader
  readonly #kept = new Map<string, readonly Entry[]>()
  #lent: readonly Folders[] = []
  #fresh: ReadonlyMap<string, Uint8Array> | undefined

  constructor(reader: ObjectReader) {
    this.#reader = reader
  }

  readonly read = (hash: Uint8Array): readonly Entry[] => {
    const key = keyOf(hash)
    const known = this.#kept.get(key)
    if (known) return known
    const entries = decodeTree(this.#lentTree(key) ?? Buffer.from(this.#reader.get(hash)))
    if (this.#kept.size >= KEPT) this.#kept.delete(this.#kept.keys().next().value as string)
    this.#kept.set(key, entries)
    return entries
  }

  /**
   * Lends the trees of the folders in which a state differs from the one before it, and of those they were:
   * the store may not have the first yet, and need not be asked for the others.
   */
  lend(folders: Folders, before: Folders): void {
    this.#lent = [folders, before]
    this.#fresh = undefined
  }

  #lentTree(key: string): Buffer | undefined {
    this.#fresh ??= this.#index()
    const bytes = this.#fresh.get(key)
    return bytes && treeOfEncoded(bytes)
  }

  #index(): Map<string, Uint8Array> {
    const [folders, before] = this.#lent
    const index = new Map<string, Uint8Array>()
    for (const [path, bytes] of folders?.changed() ?? []) {
      const was = before?.get(path)
      if (was) index.set(treeKey(was), was)
      index.set(treeKey(bytes), bytes)
    }
    return index
  }
}

const treeKey = (folder: Uint8Array): string => keyOf(headOf(folder).tree)
