import type { ObjectKind } from './store.ts'

/** A block whose bytes are in its pack file, with what the index records of it. */
export interface WrittenBlock {
  readonly pack: string
  readonly offset: number
  readonly head: number
  readonly stored: number
  readonly raw: number
  readonly codec: number
  /** One row per object, as in the file. One buffer, so that it is cheap to transfer to another thread. */
  readonly directory: Uint8Array
}

/** Rows of the index about objects, blocks and packs. */

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
  /** The id of its newest block. */
  readonly last: number | null
}
