import { lazily } from '../base/lazily.ts'
import type { HashSet } from './hash-set.ts'
import type { ObjectIndex } from './object-index.ts'

/** After this many lookups, all hashes are loaded into memory, if there are few enough. */
const OFTEN = 256
const FEW = 2000

/**
 * Looks up which objects the store has, many at a time. It may miss objects that other processes store meanwhile; those
 * are stored twice, and the index points to one copy.
 */
export class StoredObjects {
  readonly #index: () => ObjectIndex
  readonly #few: () => HashSet | undefined
  #asked = 0

  constructor(index: () => ObjectIndex) {
    this.#index = index
    this.#few = lazily(() => index().allIfFew(FEW))
  }

  /** The keys of those that the store has. */
  among(hashes: readonly Uint8Array[]): ReadonlySet<string> {
    this.#asked += hashes.length
    const few = this.#asked > OFTEN ? this.#few() : undefined
    if (few?.size === 0) return NONE
    const maybe = few ? hashes.filter((hash) => few.has(hash)) : this.#index().learnt.maybe(hashes)
    return maybe.length === 0 ? NONE : this.#index().among(maybe)
  }
}

const NONE: ReadonlySet<string> = new Set()
