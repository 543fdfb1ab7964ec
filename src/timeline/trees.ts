import { keyOf } from '../store/hash.ts'
import type { ObjectReader } from '../store/object-reader.ts'
import { decodeTree, type Entry } from '../store/tree.ts'
import { decodeFolder, headOf, treeOf } from './folder.ts'
import type { Folders } from './folders.ts'

const KEPT = 4096

/** Reads trees, remembering those read lately: neighbouring snapshots share most of them. */
export class Trees {
  readonly #reader: ObjectReader
  readonly #kept = new Map<string, readonly Entry[]>()
  #lent: Folders | undefined
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

  /** Lends the trees of folders that the store may not have yet. */
  lend(folders: Folders): void {
    this.#lent = folders
    this.#fresh = undefined
  }

  #lentTree(key: string): Buffer | undefined {
    this.#fresh ??= new Map(this.#lent ? Array.from(this.#lent.changed(), ([, bytes]) => [treeKey(bytes), bytes]) : [])
    const bytes = this.#fresh.get(key)
    return bytes && treeOf(decodeFolder(bytes))
  }
}

const treeKey = (folder: Uint8Array): string => keyOf(headOf(folder).tree)
