import { join } from 'node:path'
import type { Database } from '../host/database.ts'
import { syncDir, syncFile } from '../host/durable.ts'
import { errorCode, makeDirs } from '../host/fs.ts'
import { point } from '../host/points.ts'
import { keyOf, sha256 } from './hash.ts'
import { ObjectIndex } from './object-index.ts'
import { ObjectReader } from './object-reader.ts'
import { PackWriter, type WrittenBlock } from './pack-writer.ts'
import type { ObjectKind } from './store.ts'

/** Objects on disk: packs in one folder, their index in the database. */
export class ObjectStore {
  readonly dir: string
  readonly index: ObjectIndex
  readonly reader: ObjectReader
  readonly #newName: () => string

  constructor(dir: string, db: Database, newName: () => string) {
    this.dir = dir
    makeDirs(dir, 0o700)
    this.index = new ObjectIndex(db)
    this.reader = new ObjectReader(dir, this.index)
    this.#newName = newName
  }

  /** A batch of objects on their way into the store. */
  begin(): Batch {
    return new Batch(this, this.#newName())
  }

  /** When it returns, everything published so far survives the machine's death. Does nothing when all of it does already. */
  sync(): void {
    const packs = this.index.unsynced()
    if (packs.length === 0) return
    for (const pack of packs) this.#syncPack(pack.name)
    syncDir(this.dir)
    point('store:synced')
    this.index.db.writeDurably(() => this.index.markSynced(packs.map((pack) => pack.id)))
  }

  /** A collection may have merged the pack away meanwhile; what it became was synced then. */
  #syncPack(name: string): void {
    try {
      syncFile(join(this.dir, name))
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error
    }
  }

  close(): void {
    this.reader.close()
  }
}

/**
 * Objects written by one act. `put` may be called at any time; `publish` makes all that was put
 * findable; until then nobody sees them, and if the process dies they are leftovers to be swept.
 */
export class Batch {
  readonly writer: string
  readonly #store: ObjectStore
  readonly #packs: PackWriter
  readonly #fresh = new Set<string>()
  #blocks: WrittenBlock[] = []
  #entered = false
  stored = 0

  constructor(store: ObjectStore, writer: string) {
    this.#store = store
    this.writer = writer
    this.#packs = new PackWriter(store.dir, writer, (block) => this.#blocks.push(block))
  }

  /** Announces the writer; must come before its first file exists. Worker threads write under names `writer-N`. */
  enter(): void {
    if (!this.#entered) this.#store.index.enter(this.writer)
    this.#entered = true
  }

  /** Stores `bytes` unless they are there; storing twice is the same as storing once. */
  put(kind: ObjectKind, bytes: Uint8Array): Buffer {
    const hash = sha256(bytes)
    this.putAs(hash, kind, bytes)
    return hash
  }

  putAs(hash: Uint8Array, kind: ObjectKind, bytes: Uint8Array): void {
    const key = keyOf(hash)
    if (this.#fresh.has(key) || this.#store.index.has(hash)) return
    this.enter()
    this.#fresh.add(key)
    this.#packs.add(hash, kind, bytes)
  }

  /** Blocks that worker threads wrote under this writer's name. */
  adopt(blocks: readonly WrittenBlock[]): void {
    this.#blocks.push(...blocks)
  }

  /** Makes everything put or adopted so far findable. */
  publish(): void {
    this.#packs.flush()
    const blocks = this.#blocks
    this.#blocks = []
    for (const block of blocks) this.stored += block.head + block.stored
    this.#store.index.publish(blocks, this.writer)
    point('store:published')
  }

  /** Lets go of the files. What was not published is left to be swept. */
  end(): void {
    this.#packs.close()
    if (this.#entered) this.#store.index.leave(this.writer)
    this.#entered = false
  }
}
