import type { SqlValue } from '../host/database.ts'
import { listDirectory } from './pack-format.ts'
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

/** One row per object of a block. */
export function* objectRows({ directory }: WrittenBlock, block: number): Generator<SqlValue[]> {
  for (const { hash, size, kind, start } of listDirectory(directory)) yield [hash, block, start, size, kind]
}

/**
 * Orders rows by the first two bytes of their hash, so that rows on the same index page are inserted together. A
 * counting sort: a comparison sort takes longer.
 */
export function inIndexOrder(rows: readonly SqlValue[][]): SqlValue[][] {
  const beginning = ([hash]: readonly SqlValue[]): number =>
    (((hash as Uint8Array)[0] as number) << 8) | ((hash as Uint8Array)[1] as number)
  const next = new Uint32Array(0x10001)
  for (const row of rows) (next[beginning(row) + 1] as number)++
  for (let i = 1; i < next.length; i++) next[i] = (next[i] as number) + (next[i - 1] as number)
  const ordered: SqlValue[][] = [...rows]
  for (const row of rows) ordered[(next[beginning(row)] as number)++] = row
  return ordered
}
