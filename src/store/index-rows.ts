import type { ObjectKind } from './store.ts'

/** A block that is in its file. What the index needs to know of it. */
export interface WrittenBlock {
  readonly pack: string
  readonly offset: number
  readonly head: number
  readonly stored: number
  readonly raw: number
  readonly codec: number
  /** One row per object, as in the file; one piece of memory, so that it is cheap to hand to another thread. */
  readonly directory: Uint8Array
}

/** What the index says of objects, blocks and packs. */

export interface ListedObject {
  readonly hash: Uint8Array
  readonly kind: ObjectKind
  readonly size: number
  readonly start: number
  readonly offset: number
}

export interface BlockRow {
  readonly id: number
  readonly pack: number
  readonly offset: number
  readonly head: number
  readonly stored: number
  readonly raw: number
  readonly codec: number
}

export interface PackRow {
  readonly id: number
  readonly name: string
  readonly writer: string
  readonly synced: number
  readonly boot: string
}

export interface UnsyncedPack extends PackRow {
  /** The last of its blocks. */
  readonly last: number | null
}
