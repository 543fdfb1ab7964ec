/**
 * The store: bytes by the hash of their bytes.
 *
 * - An *object* is a run of bytes named by its SHA-256. It never changes once written.
 * - A *block* is some objects side by side, compressed together.
 * - A *pack* is a file of blocks, written by one process and then sealed. Packs describe
 *   themselves: the index can be made again from them alone.
 * - The *index* (tables `packs`, `blocks`, `objects`) says where each object is. A row is made
 *   only after the bytes it points to are in the file; readers rely on that.
 *
 * What must hold at any moment, and the order of writing that follows from it, is in docs/format.md.
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
