import { isFault } from '../../base/fault.ts'
import { keyOf } from '../../host/hash.ts'
import type { RelPath } from '../../schema/path.ts'
import type { ObjectReader } from '../../store/object-reader.ts'
import { decodeTree, type Entry } from '../../store/tree.ts'
import { treeOfEncoded } from '../scan/encoded.ts'
import { headOf } from '../scan/folder.ts'
import type { Folders } from '../scan/folders.ts'

const KEPT = 4096

/** Reads trees and caches the last ones read: neighbouring snapshots share most of their trees. */
export class Trees {
  readonly #reader: ObjectReader
  readonly #kept = new Map<string, readonly Entry[]>()
  #lent: readonly Folders[] = []
  #remade: readonly RelPath[] = []
  #fresh: ReadonlyMap<string, Uint8Array> | undefined

  constructor(reader: ObjectReader) {
    this.#reader = reader
  }

  readonly read = (hash: Uint8Array, path?: RelPath): readonly Entry[] => {
    const key = keyOf(hash)
    const known = this.#kept.get(key)
    if (known) return known
    const entries = decodeTree(this.#treeAt(hash, path) ?? this.#lentTree(key) ?? this.#storedTree(hash, key))
    if (this.#kept.size >= KEPT) this.#kept.delete(this.#kept.keys().next().value as string)
    this.#kept.set(key, entries)
    return entries
  }

  /**
   * Lends the folders of a state and of the one before it, so that their trees are made from memory. The store may not
   * have the trees of `remade` folders yet, and need not be read for the others.
   */
  lend(folders: Folders, before: Folders, remade: readonly RelPath[] = []): void {
    this.#lent = [folders, before]
    this.#remade = remade
    this.#fresh = undefined
  }

  /** The tree of the lent folder at that path, if it has this hash. */
  #treeAt(hash: Uint8Array, path: RelPath | undefined): Buffer | undefined {
    if (path === undefined) return undefined
    for (const folders of this.#lent) {
      const bytes = folders.get(path)
      if (bytes && Buffer.compare(headOf(bytes).tree, hash) === 0) return treeOfEncoded(bytes)
    }
    return undefined
  }

  /** Reads a tree from the store; if the store does not have it, from a lent folder that an earlier scan changed. */
  #storedTree(hash: Uint8Array, key: string): Buffer {
    try {
      return Buffer.from(this.#reader.get(hash))
    } catch (error) {
      const lent = isFault(error, 'OBJECT_MISSING') ? this.#index(this.#changed()).get(key) : undefined
      if (lent === undefined) throw error
      return treeOfEncoded(lent)
    }
  }

  #changed(): RelPath[] {
    return [...(this.#lent[0]?.changed() ?? [])].map(([path]) => path)
  }

  #lentTree(key: string): Buffer | undefined {
    // A daemon's folders differ from its index in many places; only the few that this scan remade are indexed by hash.
    this.#fresh ??= this.#index(this.#remade)
    const bytes = this.#fresh.get(key)
    return bytes && treeOfEncoded(bytes)
  }

  #index(paths: readonly RelPath[]): Map<string, Uint8Array> {
    const index = new Map<string, Uint8Array>()
    for (const path of paths)
      for (const folders of this.#lent.toReversed()) {
        const bytes = folders.get(path)
        if (bytes) index.set(treeKey(bytes), bytes)
      }
    return index
  }
}

const treeKey = (folder: Uint8Array): string => keyOf(headOf(folder).tree)
