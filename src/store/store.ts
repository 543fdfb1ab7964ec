/**
 * The store: content-addressed bytes.
 *
 * - An *object* is a run of bytes named by its SHA-256. It never changes once written.
 * - A *block* is a sequence of objects, compressed together.
 * - A *pack* is a file of blocks, written by one process and then sealed. Packs are
 *   self-describing: the index can be rebuilt from them alone.
 * - The *index* (tables `packs`, `blocks`, `objects`) records where each object is. A row is inserted
 *   only after the bytes it points to are in the file; readers rely on that.
 *
 * docs/format.md has the invariants, and the order of writes that follows from them.
 */

/** What an object is; recorded beside it, so that packs alone suffice to rebuild everything. */
export const OBJECT = {
  /** The content of a file, or the target of a symlink. */
  blob: 0,
  /** A large file as the list of its chunks; nevertheless named by the hash of the whole content. */
  list: 1,
  tree: 2,
  snapshot: 3,
  /** A later fact about something recorded: a pin, a label, a removal. */
  note: 4,
} as const
export type ObjectKind = (typeof OBJECT)[keyof typeof OBJECT]

export const HASH_BYTES = 32

/** Where an object is. */
export interface ObjectLocation {
  readonly pack: string
  readonly offset: number
  readonly head: number
  readonly stored: number
  readonly raw: number
  readonly codec: number
  readonly start: number
  readonly size: number
  readonly kind: ObjectKind
}
