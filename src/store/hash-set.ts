import { wordAt } from '../base/words.ts'
import { HASH_BYTES } from './store.ts'

const FIRST = 128

/**
 * A set of hashes. A `Set` of strings costs several times as much for a hundred thousand hashes: V8 allocates, hashes
 * and interns every string.
 */
export class HashSet {
  /** A hash table of positions in `#hashes`, plus one; 0 means free. The first slot comes from the hash itself. */
  #table = new Int32Array(2 * FIRST)
  #hashes = new Uint8Array(FIRST * HASH_BYTES)
  #size = 0

  /** Returns whether the hash was new. */
  add(hash: Uint8Array): boolean {
    const at = this.#find(hash)
    if (this.#table[at] !== 0) return false
    if (this.#size * HASH_BYTES === this.#hashes.length) {
      this.#grow()
      return this.add(hash)
    }
    this.#hashes.set(hash, this.#size * HASH_BYTES)
    this.#table[at] = ++this.#size
    return true
  }

  has(hash: Uint8Array): boolean {
    return this.#table[this.#find(hash)] !== 0
  }

  get size(): number {
    return this.#size
  }

  /** The slot that holds the hash, or the free slot where it belongs. */
  #find(hash: Uint8Array): number {
    const mask = this.#table.length - 1
    for (let at = wordAt(hash, 0) & mask; ; at = (at + 1) & mask) {
      const place = this.#table[at] as number
      if (place === 0 || this.#isAt(hash, (place - 1) * HASH_BYTES)) return at
    }
  }

  #isAt(hash: Uint8Array, from: number): boolean {
    for (let i = 0; i < HASH_BYTES; i++) if (hash[i] !== this.#hashes[from + i]) return false
    return true
  }

  #grow(): void {
    const hashes = new Uint8Array(2 * this.#hashes.length)
    hashes.set(this.#hashes)
    this.#hashes = hashes
    this.#table = new Int32Array(2 * this.#table.length)
    for (let place = 1; place <= this.#size; place++) {
      const from = (place - 1) * HASH_BYTES
      this.#table[this.#find(hashes.subarray(from, from + HASH_BYTES))] = place
    }
  }
}
