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
  /** The writer name that all batches of this process share after `settleIn`. */
  #standing: string | undefined
  #batches = 0

  constructor(dir: string, db: Database, newName: () => string) {
    this.dir = dir
    makeDirs(dir, 0o700)
    this.index = new ObjectIndex(db)
    this.reader = new ObjectReader(dir, this.index)
    this.#newName = newName
  }

  /** A new batch, registered as a live writer. */
  begin(): Batch {
    const batch = this.beginQuietly()
    batch.announce()
    return batch
  }

  /**
   * As `begin`, for a batch that may store nothing: it is registered with its first `put`. A caller that first puts
   * inside a transaction must call `announce` before that transaction.
   */
  beginQuietly(): Batch {
    const standing = this.#standing
    return standing === undefined
      ? new Batch(this, this.#newName())
      : new Batch(this, `${standing}-${this.#batches++}`, { announced: true })
  }

  /** Registers one writer for all later batches of this process, instead of one per batch. */
  settleIn(): void {
    this.#standing = this.#newName()
    this.index.enter(this.#standing)
  }

  /**
   * When it returns, everything published so far survives a power loss. Does nothing when everything is already synced.
   */
  sync(): void {
    const packs = this.index.unsynced()
    if (packs.length === 0) return
    for (const pack of packs) this.#syncPack(pack.name)
    syncDir(this.dir)
    point('store:synced')
    this.index.db.writeDurably(() => this.index.markSyncedAsListed(packs))
    this.index.settle(SOME_ROWS)
  }

  /** Starts in the background what `synced` waits for. */
  beginSync(): Syncing {
    const packs = this.index.unsynced()
    const done = this.#toDisk(packs)
    // A caller that awaits `done` gets the error; without one it must not become an unhandled rejection.
    done.catch(() => {})
    return { packs, done }
  }

  /**
   * When it resolves, the bytes of everything published so far are on the disk. It returns a function that marks them
   * as synced in the index; called in a durable transaction, it completes what `sync` does.
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

  /** As `sync`, but does not block the thread while the disk works. */
  async syncGently(): Promise<void> {
    const packs = this.index.unsynced()
    if (packs.length === 0) return
    await Promise.all(packs.map(({ name }) => syncGently(join(this.dir, name))))
    syncDir(this.dir)
    // The durable write below then has little left to wait for.
    await this.index.db.syncLog()
    point('store:synced')
    this.index.db.writeDurably(() => this.index.markSyncedAsListed(packs))
  }

  /** Whether the disk has too little space even for a long database log. */
  get isShortOfSpace(): boolean {
    return freeBytes(this.dir) < SHORT
  }

  /** For idle time: makes the next capture and the next start cheaper, and closes files that are not needed. */
  async tidy(): Promise<void> {
    this.index.settle(FEW_ROWS)
    this.index.db.checkpoint()
    this.reader.closeFiles()
    await this.index.learnt.learn()
  }

  /** A collection may have merged the pack away meanwhile; then the merged pack is already synced. */
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

/** A sync of packs under way. */
export interface Syncing {
  readonly packs: readonly UnsyncedPack[]
  readonly done: Promise<void>
}

const SHORT = 32 * 1024 * 1024
/** The small table may keep this many rows when the process is idle. */
const FEW_ROWS = 500
/** The small table may keep this many rows when a short-lived process ends. */
const SOME_ROWS = 4000
/** Below this size, starting the sync early gains nothing. */
const MUCH = 4 * 1024 * 1024

/**
 * Objects written by one operation. `put` may be called at any time; `publish` inserts the rows of everything put so
 * far. Until then no reader finds the objects, and if the process dies, a collection removes them as leftovers.
 */
export class Batch {
  readonly writer: string
  readonly #store: ObjectStore
  readonly #packs: PackWriter
  readonly #fresh = new HashSet()
  #blocks: WrittenBlock[] = []
  /** Bytes that worker threads have written, per pack. */
  readonly #adopted = new Map<string, number>()
  #announced = false
  /** The database's commit count at the last `publish`. */
  #publishedIn: number | undefined
  /** Its packs belong to a writer that stays registered across batches; see `settleIn`. */
  readonly #isStanding: boolean
  stored = 0
  /** Objects that were put and that the store already had; complete after `flush`. */
  readonly reused: Uint8Array[] = []

  constructor(store: ObjectStore, writer: string, { announced = false } = {}) {
    this.#store = store
    this.#isStanding = announced
    this.writer = writer
    this.#packs = new PackWriter(store.dir, writer, (block) => this.#take(block), {
      stored: { objects: new StoredObjects(() => store.index), reused: (hash) => this.reused.push(hash) },
    })
  }

  /** Stores `bytes` unless the store has them. Storing twice is the same as storing once. */
  put(kind: ObjectKind, bytes: Uint8Array): Buffer {
    const hash = sha256(bytes)
    this.putAs(hash, kind, bytes)
    return hash
  }

  /**
   * Registers this writer as live. Must happen before its first file, and outside a transaction: a collection must see
   * the writer before it can see one of its files.
   */
  announce(): void {
    if (this.#announced || this.#isStanding) return
    this.#store.index.enter(this.writer)
    this.#announced = true
  }

  /**
   * As `announce`, but always under the batch's own name: threads keep writing to packs of which some blocks are
   * already published, and no merge may touch such a pack.
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

  /**
   * Another process may merge a pack of a standing writer once its rows are committed, so nothing may be added to that
   * pack afterwards.
   */
  #sealPublished(): void {
    if (!this.#isStanding || this.#publishedIn === undefined) return
    if (this.#publishedIn === this.#store.index.db.commits) return
    this.#publishedIn = undefined
    this.#packs.seal()
  }

  /** Stores `bytes` although the index has an object of that hash: the stored one is damaged. */
  putAnew(hash: Uint8Array, kind: ObjectKind, bytes: Uint8Array): void {
    this.announce()
    // Until the next publish the object has no row. If this process dies before that, scans that rely on the object
    // notice by the epoch.
    this.#store.index.raiseEpoch()
    this.#store.index.drop(hash)
    this.#fresh.add(hash)
    this.#sealPublished()
    this.#packs.add(hash, kind, bytes)
  }

  /** Takes over blocks that worker threads wrote under this writer's name. */
  adopt(blocks: readonly WrittenBlock[]): void {
    for (const block of blocks) {
      this.#take(block)
      this.#adopted.set(block.pack, (this.#adopted.get(block.pack) ?? 0) + block.stored)
    }
  }

  /** Whether anything put or adopted is not published yet. */
  get isPending(): boolean {
    return this.#blocks.length > 0 || this.#packs.isPending
  }

  #take(block: WrittenBlock): void {
    this.#blocks.push(block)
    this.stored += block.head + block.stored
  }

  /** Writes everything put so far to its file. Afterwards `stored` and `reused` are complete. */
  flush(): void {
    this.#packs.flush()
  }

  /** Inserts the rows of everything put or adopted so far. */
  publish(): void {
    if (!this.isPending) return
    this.flush()
    const blocks = this.#blocks
    this.#blocks = []
    this.#publishedIn = this.#store.index.db.commits
    this.#store.index.publish(blocks, this.writer)
    point('store:published')
  }

  /**
   * Call it after the transaction that recorded the snapshots of this batch: it writes to the pack that they were
   * recorded.
   */
  mark(): void {
    this.#packs.mark(identity().boot)
  }

  /** The pack writer of this batch. Threads have their own packs, named `writer-N`. */
  get packs(): PackWriter {
    this.#sealPublished()
    return this.#packs
  }

  /** Starts the sync of large packs that threads have written, so that a later sync waits less. */
  beginSync(): void {
    for (const [pack, bytes] of this.#adopted) if (bytes > MUCH) beginSync(join(this.#store.dir, pack))
  }

  /** Closes the files. A collection removes what was not published. */
  end(): void {
    this.#packs.abandon()
    if (this.#announced) this.#store.index.leave(this.writer)
  }

  /**
   * As `end`, after a failure: removes every file of this batch, published or not, so that a full disk has as much
   * space as before.
   */
  giveUp(): void {
    this.#packs.abandon()
    const unpublished = packNames(this.#store.dir).filter((name) => name.startsWith(`${this.writer}-`))
    const published = new Set(this.#store.index.packs().map(({ name }) => name))
    for (const name of unpublished) if (!published.has(name)) removeFile(join(this.#store.dir, name))
    for (const name of this.#store.index.forgetWriter(this.writer)) removeFile(join(this.#store.dir, name))
    if (this.#announced) this.#store.index.leave(this.writer)
  }
}
