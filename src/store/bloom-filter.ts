import { wordAt } from '../base/words.ts'

/** Bits per hash: about one in four hundred absent hashes passes as a false positive. */
const BITS_EACH = 16
const LEAST = 1024

/**
 * A Bloom filter over hashes. It rules out most hashes that are not in the set, with a few bits of memory per member. A
 * hash that passes may or may not be in the set. Hashes cannot be removed.
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

  /** It holds more hashes than it was sized for, so it lets too many absent ones pass. */
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

/** A hash is already uniformly random, so its 32-bit words serve as bit positions. */
const WORDS = 4
