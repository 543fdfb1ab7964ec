import { join } from 'node:path'
import type { Database } from '../host/database.ts'
import { beginSync, syncDir, syncDirGently, syncFile, syncGently } from '../host/files/durable.ts'
import { errorCode, freeBytes, removeFile } from '../host/files/fs.ts'
import { makeDirs } from '../host/files/make-dirs.ts'
import { sha256 } from '../host/hash.ts'
import { point } from '../host/points.ts'
import { identity } from '../host/processes/process.ts'
import { HashSet } from './hash-set.ts'
import type { UnsyncedPack, WrittenBlock } from './index-rows.ts'
import { ObjectIndex } from './object-index.ts'
import { ObjectReader } from './object-reader.ts'
import { packNames } from './pack-scan.ts'
import { PackWriter } from './pack-writer.ts'
import type { ObjectKind } from './store.ts'
import { StoredObjects } from './stored.ts'

/** Objects on disk: packs in one folder, their index in the database. */
export class ObjectStore {
  readonly dir: string
  readonly index: ObjectIndex
  readonly reader: ObjectReader
  readonly #newName: () => string
  /** The name under which all batches of a process write that makes one after the other. */
  #standing: string | undefined
  #batches = 0

  constructor(dir: string, db: Database, newName: () => string) {
    this.dir = dir
    makeDirs(dir, 0o700)
    this.index = new ObjectIndex(db)
    this.reader = new ObjectReader(dir, this.index)
    this.#newName = newName
  }

  /** A batch of objects on their way into the store. */
  begin(): Batch {
    const batch = this.beginQuietly()
    batch.announce()
    return batch
  }

  /** As `begin`, for what may turn out to store nothing: whoever puts something inside a transaction announces it before. */
  beginQuietly(): Batch {
    const standing = this.#standing
    return standing === undefined
      ? new Batch(this, this.#newName())
      : new Batch(this, `${standing}-${this.#batches++}`, { announced: true })
  }

  /** Announces one writer for all batches to come, instead of one for each. */
  settleIn(): void {
    this.#standing = this.#newName()
    this.index.enter(this.#standing)
  }

  /** When it returns, everything published so far survives the machine's death. Does nothing when all of it does already. */
  sync(): void {
    const packs = this.index.unsynced()
    if (packs.length === 0) return
    for (const pack of packs) this.#syncPack(pack.name)
    syncDir(this.dir)
    point('store:synced')
    this.index.db.writeDurably(() => this.index.markSyncedAsListed(packs))
    this.index.settle(SOME_ROWS)
  }

  /** Begins in the background what `synced` waits for. */
  beginSync(): Syncing {
    const packs = this.index.unsynced()
    const done = this.#toDisk(packs)
    // Whoever waits for it is told; nobody may.
    done.catch(() => {})
    return { packs, done }
  }

  /**
   * When it returns, the bytes of everything published so far are on the disk. What it returns says so in the index: with
   * it a durable transaction does what `sync` does.
   */
  async synced({ packs, done }: Syncing): Promise<() => void> {
    await done
    const begun = new Set(packs.map(({ id, last }) => `${id}:${last}`))
    const all = this.index.unsynced()
    await this.#toDisk(all.filter(({ id, last }) => !begun.has(`${id}:${last}`)))
    point('store:synced')
    return () => this.index.markSyncedAsListed(all)
  }

  async #toDisk(packs: readonly UnsyncedPack[]): Promise<void> {
    if (packs.length === 0) return
    await Promise.all([syncDirGently(this.dir), ...packs.map(({ name }) => syncGently(join(this.dir, name)))])
  }

  /** As `sync`, without holding anybody up while the disk works. */
  async syncGently(): Promise<void> {
    const packs = this.index.unsynced()
    if (packs.length === 0) return
    await Promise.all(packs.map(({ name }) => syncGently(join(this.dir, name))))
    syncDir(this.dir)
    // What follows then waits for little.
    await this.index.db.syncLog()
    point('store:synced')
    this.index.db.writeDurably(() => this.index.markSyncedAsListed(packs))
  }

  /** Whether the disk has hardly any room, not even for a long log of the records. */
  get isShortOfSpace(): boolean {
    return freeBytes(this.dir) < SHORT
  }

  /** When there is time: makes the next capture and the next start cheaper, and holds nothing open that is not needed. */
  async tidy(): Promise<void> {
    this.index.settle(FEW_ROWS)
    this.index.db.checkpoint()
    this.reader.closeFiles()
    await this.index.learnt.learn()
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
    if (this.#standing !== undefined) this.index.leave(this.#standing)
    this.reader.close()
  }
}

/** Packs on their way to the disk. */
export interface Syncing {
  readonly packs: readonly UnsyncedPack[]
  readonly done: Promise<void>
}

const SHORT = 32 * 1024 * 1024
/** So few new rows of the index do no harm where they are. */
const FEW_ROWS = 500
/** Rows of the index that a short process leaves where they are. */
const SOME_ROWS = 4000
/** Less than this is on the disk before it is worth asking. */
const MUCH = 4 * 1024 * 1024

/**
 * Objects written by one act. `put` may be called at any time; `publish` makes all that was put
 * findable; until then nobody sees them, and if the process dies they are leftovers to be swept.
 */
export class Batch {
  readonly writer: string
  readonly #store: ObjectStore
  readonly #packs: PackWriter
  readonly #fresh = new HashSet()
  #blocks: WrittenBlock[] = []
  /** How many bytes threads have written to each of their packs. */
  readonly #adopted = new Map<string, number>()
  #announced = false
  /** How many transactions had been committed when it last published something. */
  #publishedIn: number | undefined
  /** Its files are under the name of a writer that stays announced. */
  readonly #isStanding: boolean
  stored = 0
  /** What was put and found to be there already; known after `flush`. */
  readonly reused: Uint8Array[] = []

  constructor(store: ObjectStore, writer: string, { announced = false } = {}) {
    this.#store = store
    this.#isStanding = announced
    this.writer = writer
    this.#packs = new PackWriter(store.dir, writer, (block) => this.#take(block), {
      stored: { objects: new StoredObjects(() => store.index), reused: (hash) => this.reused.push(hash) },
    })
  }

  /** Stores `bytes` unless they are there; storing twice is the same as storing once. */
  put(kind: ObjectKind, bytes: Uint8Array): Buffer {
    const hash = sha256(bytes)
    this.putAs(hash, kind, bytes)
    return hash
  }

  /**
   * Says that this writer is at work. Before its first file, and not inside a transaction: a collection
   * must see the writer before it can see a file of it.
   */
  announce(): void {
    if (this.#announced || this.#isStanding) return
    this.#store.index.enter(this.writer)
    this.#announced = true
  }

  /**
   * As `announce`, under a name of its own in any case: threads go on writing to packs of which some blocks are already
   * published, and such a pack must be left alone.
   */
  announceThreads(): void {
    if (this.#announced) return
    this.#store.index.enter(this.writer)
    this.#announced = true
  }

  putAs(hash: Uint8Array, kind: ObjectKind, bytes: Uint8Array): void {
    if (!this.#fresh.add(hash)) return
    this.announce()
    this.#sealPublished()
    this.#packs.add(hash, kind, bytes)
  }

  /** Others may merge a pack of a standing writer once its rows are committed: nothing is added to it from then on. */
  #sealPublished(): void {
    if (!this.#isStanding || this.#publishedIn === undefined) return
    if (this.#publishedIn === this.#store.index.db.commits) return
    this.#publishedIn = undefined
    this.#packs.seal()
  }

  /** Stores `bytes` although there is an object of that name: what is stored under it is damaged. */
  putAnew(hash: Uint8Array, kind: ObjectKind, bytes: Uint8Array): void {
    this.announce()
    // Until it is published again there is no row: a scan that relies on it must notice if this process dies before.
    this.#store.index.raiseEpoch()
    this.#store.index.drop(hash)
    this.#fresh.add(hash)
    this.#sealPublished()
    this.#packs.add(hash, kind, bytes)
  }

  /** Blocks that worker threads wrote under this writer's name. */
  adopt(blocks: readonly WrittenBlock[]): void {
    for (const block of blocks) {
      this.#take(block)
      this.#adopted.set(block.pack, (this.#adopted.get(block.pack) ?? 0) + block.stored)
    }
  }

  /** Whether anything was put or adopted that is not findable yet. */
  get isPending(): boolean {
    return this.#blocks.length > 0 || this.#packs.isPending
  }

  #take(block: WrittenBlock): void {
    this.#blocks.push(block)
    this.stored += block.head + block.stored
  }

  /** Gets everything put so far into its file: then it is known what it takes, and what was there already. */
  flush(): void {
    this.#packs.flush()
  }

  /** Makes everything put or adopted so far findable. */
  publish(): void {
    if (!this.isPending) return
    this.flush()
    const blocks = this.#blocks
    this.#blocks = []
    this.#publishedIn = this.#store.index.db.commits
    this.#store.index.publish(blocks, this.writer)
    point('store:published')
  }

  /** After the transaction that recorded snapshots of this batch: its pack tells that they were. */
  mark(): void {
    this.#packs.mark(identity().boot)
  }

  /** Where objects of this batch go; threads have packs of their own, under names `writer-N`. */
  get packs(): PackWriter {
    this.#sealPublished()
    return this.#packs
  }

  /** Lets the disk begin with what was written so far, if that is much. */
  beginSync(): void {
    for (const [pack, bytes] of this.#adopted) if (bytes > MUCH) beginSync(join(this.#store.dir, pack))
  }

  /** Lets go of the files. What was not published is left to be swept. */
  end(): void {
    this.#packs.abandon()
    if (this.#announced) this.#store.index.leave(this.writer)
  }

  /** As `end`, after a failure: takes everything back that was written, so that a full disk is as full as before. */
  giveUp(): void {
    this.#packs.abandon()
    const unpublished = packNames(this.#store.dir).filter((name) => name.startsWith(`${this.writer}-`))
    const published = new Set(this.#store.index.packs().map(({ name }) => name))
    for (const name of unpublished) if (!published.has(name)) removeFile(join(this.#store.dir, name))
    for (const name of this.#store.index.forgetWriter(this.writer)) removeFile(join(this.#store.dir, name))
    if (this.#announced) this.#store.index.leave(this.writer)
  }
}
