import { wordAt } from '../base/words.ts'

/** So many bits for each hash: of what is not there, one in four hundred passes all the same. */
const BITS_EACH = 16
const LEAST = 1024

/**
 * Says of most hashes that are not in a large set that they are not, from a few bits of memory for each that is.
 * What passes may be there. Nothing is ever taken out.
 */
export class BloomFilter {
  readonly #bits: Uint8Array
  readonly #mask: number
  readonly #ctx: number
  #size = 0

  constructor(ctx: number) {
    const bits = 2 ** Math.ceil(Math.log2(Math.max(LEAST, ctx) * BITS_EACH))
    this.#bits = new Uint8Array(bits / 8)
    this.#mask = bits - 1
    this.#ctx = bits / BITS_EACH
  }

  /** Holds more than it was made for: too much passes. */
  get isFull(): boolean {
    return this.#size > this.#ctx
  }

  add(hash: Uint8Array): void {
    this.#size++
    for (let word = 0; word < WORDS; word++) {
      const bit = wordAt(hash, 4 * word) & this.#mask
      this.#bits[bit >>> 3] = (this.#bits[bit >>> 3] ?? 0) | (1 << (bit & 7))
    }
  }

  passes(hash: Uint8Array): boolean {
    for (let word = 0; word < WORDS; word++) {
      const bit = wordAt(hash, 4 * word) & this.#mask
      if (((this.#bits[bit >>> 3] ?? 0) & (1 << (bit & 7))) === 0) return false
    }
    return true
  }
}

/** A hash is as good as chance: its words are the places of its bits. */
const WORDS = 4
