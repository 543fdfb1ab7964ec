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

/** Small objects are compressed in company: it saves space, and calls. */
const BLOCK_BYTES = 128 * 1024
/** Trees are mostly hashes, which company does not make much smaller, and are often read one by one. */
const TREES_BYTES = 64 * 1024
/**
 * In merged packs versions of one tree stand side by side. They differ in a row or two, so a block of many is hardly
 * larger than one of them. To read one, all of them are unpacked: about a millisecond.
 */
const MERGED_TREES_BYTES = 2 * 1024 * 1024
/** What a place for small objects begins with. */
const FIRST_BYTES = 8 * 1024
/** A collection needs as much extra space as one pack has; so packs stay small. */
const PACK_BYTES = 64 * 1024 * 1024

/** What the store has need not be written. */
interface Stored {
  readonly objects: StoredObjects
  /** Called with each object that is not written for that reason. */
  reused(hash: Uint8Array): void
}

/**
 * Appends objects to packs of its own, named `<writer>-<n>.twp`.
 *
 * Files are made when there is something to write. `onBlock` is called after a block's bytes are
 * in the file, in order, once per block. What `stored` knows is left out: asked for a whole block at once, that costs
 * a fraction of asking for each object.
 */
export class PackWriter {
  readonly #dir: string
  readonly #writer: string
  readonly #onBlock: (block: WrittenBlock) => void
  readonly #stored: Stored | undefined
  readonly #effort: Effort
  /** Contents, trees, and the rest: kept apart, so that each compresses well and is read without the others. */
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
    // A capture stores few trees: they share a block with its snapshot.
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

  /** Whether something waits to be written. */
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

  /** Writes what is left and lets go of the file. */
  close(): void {
    this.flush()
    this.#closeFile()
  }

  /** After the transaction that records the snapshots in the file: says there that they were recorded. */
  mark(boot: string): void {
    if (this.#file === undefined) return
    const bytes = encodeMark(boot)
    writeAll(this.#file.fd, bytes)
    this.#file.size += bytes.length
  }

  /** Lets go of the file: what is added from now on goes into another. */
  seal(): void {
    this.#closeFile()
  }

  /** Lets go of the file without writing what is left. */
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
  /** How many bytes it takes. */
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

  /** Most captures store little: what is made for one of them should be little, too. */
  #grow(needed: number): void {
    if (this.#buffer.length >= needed) return
    const larger = Buffer.allocUnsafe(Math.min(this.ctx, Math.max(FIRST_BYTES, 2 * needed)))
    larger.set(this.#buffer.subarray(0, this.#used))
    this.#buffer = larger
  }

  /** Everything in it; the payload is good until the next `add`. */
  take(): { objects: readonly Packable[]; payload: Uint8Array } {
    const taken = { objects: this.#objects, payload: this.#buffer.subarray(0, this.#used) }
    this.#objects = []
    this.#used = 0
    return taken
  }
}
