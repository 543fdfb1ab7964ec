import { keyOf } from '../store/hash.ts'
import type { ObjectReader } from '../store/object-reader.ts'
import { decodeTree, type Entry } from '../store/tree.ts'

const KEPT = 4096

/** Reads trees, remembering those read lately: neighbouring snapshots share most of them. */
export class Trees {
  readonly #reader: ObjectReader
  readonly #kept = new Map<string, readonly Entry[]>()
  /** Trees made but not yet published. */
  readonly #fresh = new Map<string, Buffer>()

  constructor(reader: ObjectReader) {
    this.#reader = reader
  }

  readonly read = (hash: Uint8Array): readonly Entry[] => {
    const key = keyOf(hash)
    const known = this.#kept.get(key)
    if (known) return known
    const entries = decodeTree(this.#fresh.get(key) ?? Buffer.from(this.#reader.get(hash)))
    if (this.#kept.size >= KEPT) this.#kept.delete(this.#kept.keys().next().value as string)
    this.#kept.set(key, entries)
    return entries
  }

  /** Lends a tree that is not in the store yet. */
  lend(hash: Uint8Array, bytes: Buffer): void {
    this.#fresh.set(keyOf(hash), bytes)
  }
}
