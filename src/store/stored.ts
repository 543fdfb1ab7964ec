import { lazily } from '../base/lazily.ts'
import { keyOf } from './hash.ts'
import type { ObjectIndex } from './object-index.ts'

/** So many objects are known by heart. */
const FEW = 2000

/**
 * Tells which objects the store has, many at a time. What others store meanwhile it may not know; that is then stored
 * twice, and found in one place.
 */
export class StoredObjects {
  readonly #index: () => ObjectIndex
  readonly #few: () => ReadonlySet<string> | undefined

  constructor(index: () => ObjectIndex) {
    this.#index = index
    this.#few = lazily(() => index().allIfFew(FEW))
  }

  /** Those that are there, as keys. */
  among(hashes: readonly Uint8Array[]): ReadonlySet<string> {
    const few = this.#few()
    const maybe = few ? hashes.filter((hash) => few.has(keyOf(hash))) : hashes
    return maybe.length === 0 ? NONE : this.#index().among(maybe)
  }
}

const NONE: ReadonlySet<string> = new Set()
