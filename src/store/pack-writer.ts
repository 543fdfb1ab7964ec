import { join } from 'node:path'
import { close, openAppendNew, writeAll } from '../host/files/fs.ts'
import { keyOf } from '../host/hash.ts'
import { point } from '../host/points.ts'
import type { WrittenBlock } from './index-rows.ts'
import {
  DIRECTORY_START,
  type Effort,
  encodeBlock,
  encodeMark,
  PACK_HEADER,
  type Packable,
  packHeader,
} from './pack-format.ts'
import { OBJECT, type ObjectKind } from './store.ts'
import type { StoredObjects } from './stored.ts'

/** Small objects are compressed together: this saves space and calls. */
const BLOCK_BYTES = 128 * 1024
/** Trees consist mostly of hashes, which hardly compress together, and are often read one by one. */
const TREES_BYTES = 64 * 1024
/**
 * In merged packs, versions of one tree are adjacent. They differ in a row or two, so a block of many is hardly larger
 * than one tree. Reading one unpacks them all, which takes about a millisecond.
 */
const MERGED_TREES_BYTES = 2 * 1024 * 1024
/** The initial buffer for small objects. */
const FIRST_BYTES = 8 * 1024
/** A collection needs the extra space of one pack, so packs stay small. */
const PACK_BYTES = 64 * 1024 * 1024

/** Looks up which objects the store already has; those are not written. */
interface Stored {
  readonly objects: StoredObjects
  /** Called with each object that is not written because the store has it. */
  reused(hash: Uint8Array): void
}

/**
 * Appends objects to packs of its own, named `<writer>-<n>.twp`.
 *
 * It creates a file when there is something to write. It calls `onBlock` once per block, in order, after the block's
 * bytes are in the file. It skips objects that `stored` has; it asks once per block, which costs a fraction of asking
 * per object.
 */
export class PackWriter {
  readonly #dir: string
  readonly #writer: string
  readonly #onBlock: (block: WrittenBlock) => void
  readonly #stored: Stored | undefined
  readonly #effort: Effort
  /**
   * Contents, trees and other objects are in separate blocks, so that each kind compresses well and is read without the
   * others.
   */
  readonly #contents = new Bin(BLOCK_BYTES)
  readonly #trees: Bin
  readonly #rest: Bin
  #file: { fd: number; name: string; size: number } | undefined
  #files = 0
  written = 0

  constructor(
    dir: string,
    writer: string,
    onBlock: (block: WrittenBlock) => void,
    { stored, effort = 'quick' }: { stored?: Stored; effort?: Effort } = {},
  ) {
    this.#dir = dir
    this.#writer = writer
    this.#onBlock = onBlock
    this.#stored = stored
    this.#effort = effort
    this.#trees = new Bin(effort === 'dense' ? MERGED_TREES_BYTES : TREES_BYTES)
    // A capture stores few trees, so they share a block with its snapshot.
    this.#rest = effort === 'dense' ? new Bin(BLOCK_BYTES) : this.#trees
  }

  /** Takes a copy of `bytes`. The object is in a file after `flush` at the latest. */
  add(hash: Uint8Array, kind: ObjectKind, bytes: Uint8Array): void {
    const bin = this.#binOf(kind)
    if (bytes.length >= bin.ctx) return this.#write([{ hash, kind, size: bytes.length }], bytes)
    if (!bin.fits(bytes.length)) this.#empty(bin)
    bin.add({ hash, kind, size: bytes.length }, bytes)
  }

  #binOf(kind: ObjectKind): Bin {
    if (kind === OBJECT.blob) return this.#contents
    return kind === OBJECT.tree ? this.#trees : this.#rest
  }

  get #bins(): readonly Bin[] {
    return [this.#contents, this.#trees, this.#rest]
  }

  /** Whether objects are waiting to be written. */
  get isPending(): boolean {
    return this.#bins.some((bin) => bin.isPending)
  }

  flush(): void {
    for (const bin of this.#bins) this.#empty(bin)
  }

  #empty(bin: Bin): void {
    const { objects, payload } = bin.take()
    if (objects.length > 0) this.#write(objects, payload)
  }

  #write(objects: readonly Packable[], payload: Uint8Array): void {
    const known = this.#stored?.objects.among(objects.map(({ hash }) => hash))
    if (!known || known.size === 0) return this.#writeBlock(objects, payload)
    const fresh: Packable[] = []
    const parts: Uint8Array[] = []
    let at = 0
    for (const object of objects) {
      if (known.has(keyOf(object.hash))) this.#stored?.reused(object.hash)
      else {
        fresh.push(object)
        parts.push(payload.subarray(at, at + object.size))
      }
      at += object.size
    }
    if (fresh.length > 0) this.#writeBlock(fresh, Buffer.concat(parts))
  }

  /** Writes what is pending and closes the file. */
  close(): void {
    this.flush()
    this.#closeFile()
  }

  /**
   * Call it after the transaction that records the snapshots in the file: it appends a mark that they were recorded.
   */
  mark(boot: string): void {
    if (this.#file === undefined) return
    const bytes = encodeMark(boot)
    writeAll(this.#file.fd, bytes)
    this.#file.size += bytes.length
  }

  /** Closes the file: objects added later go into a new one. */
  seal(): void {
    this.#closeFile()
  }

  /** Closes the file without writing what is pending. */
  abandon(): void {
    for (const bin of this.#bins) bin.take()
    this.#closeFile()
  }

  #writeBlock(objects: readonly Packable[], payload: Uint8Array): void {
    const { codec, head, bytes } = encodeBlock(objects, payload, this.#effort)
    const length = head.length + bytes.length
    const file = this.#ctx(length)
    const offset = file.size
    writeAll(file.fd, head)
    writeAll(file.fd, bytes)
    file.size += length
    this.written += length
    point('pack:block')
    this.#onBlock({
      pack: file.name,
      offset,
      head: head.length,
      stored: bytes.length,
      raw: payload.length,
      codec,
      directory: new Uint8Array(head.subarray(DIRECTORY_START)),
    })
  }

  #ctx(bytes: number) {
    if (this.#file && this.#file.size + bytes > PACK_BYTES) this.#closeFile()
    this.#file ??= this.#newFile()
    return this.#file
  }

  #newFile() {
    const name = `${this.#writer}-${this.#files++}.twp`
    const fd = openAppendNew(join(this.#dir, name))
    writeAll(fd, packHeader())
    this.written += PACK_HEADER
    return { fd, name, size: PACK_HEADER }
  }

  #closeFile(): void {
    if (this.#file) close(this.#file.fd)
    this.#file = undefined
  }
}

/** Small objects waiting to become a block. */
class Bin {
  /** Its capacity in bytes. */
  readonly ctx: number
  #buffer: Buffer = Buffer.alloc(0)
  #used = 0
  #objects: Packable[] = []

  constructor(ctx: number) {
    this.ctx = ctx
  }

  get isPending(): boolean {
    return this.#objects.length > 0
  }

  fits(bytes: number): boolean {
    return this.#used + bytes <= this.ctx
  }

  add(object: Packable, bytes: Uint8Array): void {
    this.#grow(this.#used + bytes.length)
    this.#buffer.set(bytes, this.#used)
    this.#used += bytes.length
    this.#objects.push(object)
  }

  /** Most captures store little, so the buffer starts small. */
  #grow(needed: number): void {
    if (this.#buffer.length >= needed) return
    const larger = Buffer.allocUnsafe(Math.min(this.ctx, Math.max(FIRST_BYTES, 2 * needed)))
    larger.set(this.#buffer.subarray(0, this.#used))
    this.#buffer = larger
  }

  /** Returns its contents and empties it; the payload is valid until the next `add`. */
  take(): { objects: readonly Packable[]; payload: Uint8Array } {
    const taken = { objects: this.#objects, payload: this.#buffer.subarray(0, this.#used) }
    this.#objects = []
    this.#used = 0
    return taken
  }
}
