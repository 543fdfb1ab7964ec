import { lazily } from '../base/lazily.ts'
import type { HashSet } from './hash-set.ts'
import type { ObjectIndex } from './object-index.ts'

/** Whoever asks for more than so many learns by heart what there is, if that is not much. */
const OFTEN = 256
const FEW = 2000

/**
 * Tells which objects the store has, many at a time. What others store meanwhile it may not know; that is then stored
 * twice, and found in one place.
 */
export class StoredObjects {
  readonly #index: () => ObjectIndex
  readonly #few: () => HashSet | undefined
  #asked = 0

  constructor(index: () => ObjectIndex) {
    this.#index = index
    this.#few = lazily(() => index().allIfFew(FEW))
  }

  /** Those that are there, as keys. */
  among(hashes: readonly Uint8Array[]): ReadonlySet<string> {
    this.#asked += hashes.length
    const few = this.#asked > OFTEN ? this.#few() : undefined
    if (few?.size === 0) return NONE
    const maybe = few ? hashes.filter((hash) => few.has(hash)) : this.#index().learnt.maybe(hashes)
    return maybe.length === 0 ? NONE : this.#index().among(maybe)
  }
}

const NONE: ReadonlySet<string> = new Set()
