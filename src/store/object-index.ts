import { type Database, migrate, type SqlValue } from '../host/database.ts'
import { giveBack } from '../host/faults.ts'
import { keyOf } from '../host/hash.ts'
import { type Identity, identity, isAlive } from '../host/processes/process.ts'
import { HashSet } from './hash-set.ts'
import { IndexFilter } from './index-filter.ts'
import {
  type BlockRow,
  inIndexOrder,
  type ListedObject,
  objectRows,
  type PackRow,
  type UnsyncedPack,
  type WrittenBlock,
} from './index-rows.ts'
import { INDEX_TABLES } from './index-tables.ts'
import { listDirectory } from './pack-format.ts'
import type { ObjectKind, ObjectLocation } from './store.ts'

/**
 * The tables with the rows of objects. Hashes are scattered: a hundred new rows touch a hundred pages of a large table,
 * and all those pages are written. So the rows of a small capture go into the small table `young`, and are moved into
 * `settled` later.
 */
const TABLES = ['young', 'settled'] as const
/** This many rows at once touch most pages of the large table anyway. */
const MANY_ROWS = 1000
/** The most rows that the small table should hold. */
const GROWN = 16_000
/** The largest step of the epoch: two histories are unlikely to arrive at one value, and a double stays exact. */
const EPOCH_LEAP = 1_000_000
/** Hashes per lookup statement. */
const AT_ONCE = 32

const PLACE = `SELECT p.name AS pack, b.offset, b.head, b.stored, b.raw, b.codec, o.start, o.size, o.kind
  FROM objects o JOIN blocks b ON b.id = o.block JOIN packs p ON p.id = b.pack`

const AMONG = `SELECT hash FROM objects WHERE hash IN (${Array.from({ length: AT_ONCE }, () => '?').join(', ')})`
/** Rows that are in the large table are not inserted into the small one. */
const UNSETTLED = ') AS fresh WHERE NOT EXISTS (SELECT 1 FROM settled WHERE hash = fresh.column1)'

/** The tables that record where objects are. Every method is one statement or one transaction. */
export class ObjectIndex {
  readonly db: Database
  readonly learnt: IndexFilter

  constructor(db: Database, options: { migrate: boolean } = { migrate: true }) {
    this.db = db
    this.learnt = new IndexFilter(db, TABLES)
    if (options.migrate) migrate(db, 'store', INDEX_TABLES)
  }

  find(hash: Uint8Array): ObjectLocation | undefined {
    return this.db.get<ObjectLocation>(`${PLACE} WHERE o.hash = ?`, hash)
  }

  has(hash: Uint8Array): boolean {
    return this.db.get('SELECT 1 FROM objects WHERE hash = ?', hash) !== undefined
  }

  /** All objects, or undefined when there are more than `most`. */
  allIfFew(most: number): HashSet | undefined {
    if (this.db.get('SELECT 1 FROM objects LIMIT 1 OFFSET ?', most)) return undefined
    const all = new HashSet()
    for (const { hash } of this.db.all<{ hash: Uint8Array }>('SELECT hash FROM objects')) all.add(hash)
    return all
  }

  /** The keys of those hashes that are in the index. */
  among(hashes: readonly Uint8Array[]): Set<string> {
    const found = new Set<string>()
    for (let at = 0; at < hashes.length; at += AT_ONCE) {
      const some = Array.from({ length: AT_ONCE }, (_, i) => hashes[Math.min(at + i, hashes.length - 1)] as Uint8Array)
      for (const { hash } of this.db.all<{ hash: Uint8Array }>(AMONG, ...some)) found.add(keyOf(hash))
    }
    return found
  }

  /** Returns how many rows were deleted. */
  drop(hash: Uint8Array): number {
    return this.#dropWhere('hash = ?', hash)
  }

  /** Deletes a block's row and the rows of its objects. */
  dropBlock(id: number): void {
    this.db.write(() => {
      this.#dropWhere('block = ?', id)
      this.db.run('DELETE FROM blocks WHERE id = ?', id)
    })
  }

  #dropWhere(where: string, value: SqlValue): number {
    let rows = 0
    for (const table of TABLES) rows += this.db.run(`DELETE FROM ${table} WHERE ${where}`, value)
    return rows
  }

  /** Deletes all rows. */
  clear(): void {
    for (const table of [...TABLES, 'blocks', 'packs']) this.db.run(`DELETE FROM ${table}`)
  }

  /** Moves the rows of the small table into the large one, if there are more than `most`. Slow when there are many. */
  settle(most: number): void {
    this.#added = 0
    const grown = this.db.get('SELECT 1 FROM young LIMIT 1 OFFSET ?', most)
    if (grown === undefined) return
    this.db.write(() => {
      this.db.run('INSERT OR IGNORE INTO settled SELECT hash, block, start, size, kind FROM young ORDER BY hash')
      this.db.run('DELETE FROM young')
    })
  }

  /** Rows inserted into the small table since the last `settle`. */
  #added = 0

  /** Rises each time objects are removed. An object that was in the store under an older epoch may be gone. */
  epoch(): number {
    return this.db.get<{ value: number }>("SELECT value FROM facts WHERE key = 'epoch'")?.value ?? 0
  }

  /**
   * Raises the epoch by a random step: a power loss may set the records back to an older epoch, and they must not rise
   * again to a value that was already used.
   */
  raiseEpoch(): void {
    this.db.run(`UPDATE facts SET value = value + 1 + abs(random() % ${EPOCH_LEAP}) WHERE key = 'epoch'`)
  }

  /** Raises the epoch above every value that a scan may have seen, including those of records that are lost. */
  leapEpoch(now: number): void {
    this.db.run("UPDATE facts SET value = max(value + 1, ?) WHERE key = 'epoch'", now)
  }

  /** Registers a live writer, so that a collection does not remove its packs as leftovers. */
  enter(writer: string): void {
    this.db.run('INSERT OR REPLACE INTO writers VALUES (?, ?)', writer, JSON.stringify(identity()))
  }

  leave(writer: string): void {
    giveBack(() => this.db.run('DELETE FROM writers WHERE id = ?', writer))
  }

  /** The writers whose process is alive. Rows of dead writers are deleted. */
  liveWriters(): Set<string> {
    const live = new Set<string>()
    for (const { id, who } of this.db.all<{ id: string; who: string }>('SELECT id, who FROM writers'))
      if (isAlive(JSON.parse(who) as Identity)) live.add(id)
      else this.leave(id)
    return live
  }

  /**
   * Inserts the rows of written blocks, so that their objects can be found. An object that already has a row keeps it.
   */
  publish(blocks: readonly WrittenBlock[], writer: string): void {
    if (blocks.length === 0) return
    this.db.write(() => {
      const packs = new Map<string, number>()
      const rows: SqlValue[][] = []
      for (const block of blocks) {
        const pack = packs.get(block.pack) ?? this.#growing(block.pack, writer)
        packs.set(block.pack, pack)
        for (const row of objectRows(block, this.#addBlock(block, pack))) rows.push(row)
      }
      this.#insert(rows.length > MANY_ROWS ? inIndexOrder(rows) : rows)
      for (const [hash] of rows) this.learnt.add(hash as Uint8Array)
    })
  }

  /** The row of a pack that gets new blocks: it no longer counts as synced. */
  #growing(name: string, writer: string): number {
    const id = this.packId(name, writer)
    this.db.run('UPDATE packs SET synced = 0 WHERE id = ? AND synced = 1', id)
    return id
  }

  #insert(rows: readonly SqlValue[][]): void {
    if (rows.length > MANY_ROWS) {
      this.settle(0)
      this.db.insertMany('INSERT OR IGNORE INTO settled', rows)
      return
    }
    this.db.insertMany('INSERT OR IGNORE INTO young SELECT * FROM (', rows, UNSETTLED)
    this.#added += rows.length
    if (this.#added > GROWN) this.settle(GROWN)
  }

  /** Corrects the row of a block to match the file, and inserts rows for those of its objects that have none. */
  correct(block: WrittenBlock, writer: string): void {
    const pack = this.packId(block.pack, writer)
    const known = this.db.get<{ id: number }>('SELECT id FROM blocks WHERE pack = ? AND offset = ?', pack, block.offset)
    if (known === undefined) return this.publish([block], writer)
    const { head, stored, raw, codec } = block
    this.db.run(
      'UPDATE blocks SET head = ?, stored = ?, raw = ?, codec = ? WHERE id = ?',
      head,
      stored,
      raw,
      codec,
      known.id,
    )
    this.#insert([...objectRows(block, known.id)])
  }

  /** Updates the rows of objects to their new place. Objects whose rows were deleted meanwhile get none. */
  move(blocks: readonly WrittenBlock[], writer: string): void {
    this.db.write(() => {
      for (const block of blocks) {
        const id = this.#addBlock(block, this.packId(block.pack, writer))
        for (const { hash, start } of listDirectory(block.directory))
          for (const table of TABLES)
            this.db.run(`UPDATE ${table} SET block = ?, start = ? WHERE hash = ?`, id, start, hash)
      }
    })
  }

  #addBlock(block: WrittenBlock, pack: number): number {
    return this.db.insert(
      'INSERT INTO blocks (pack, offset, head, stored, raw, codec) VALUES (?, ?, ?, ?, ?, ?)',
      pack,
      block.offset,
      block.head,
      block.stored,
      block.raw,
      block.codec,
    )
  }

  /** The id of a pack's row; inserts the row when there is none. */
  packId(name: string, writer: string): number {
    const found = this.db.get<{ id: number }>('SELECT id FROM packs WHERE name = ?', name)
    if (found) return found.id
    return this.db.insert('INSERT INTO packs (name, writer, boot) VALUES (?, ?, ?)', name, writer, identity().boot)
  }

  countPacks(): number {
    return this.db.get<{ n: number }>('SELECT count(*) AS n FROM packs')?.n ?? 0
  }

  packs(): PackRow[] {
    return this.db.all<PackRow>('SELECT id, name, writer, synced, boot FROM packs ORDER BY id')
  }

  /** Packs that are synced, with the bytes of their blocks; the oldest first. */
  syncedPacks(): (PackRow & { readonly bytes: number })[] {
    return this.db.all(
      `SELECT p.id, p.name, p.writer, p.synced, p.boot, sum(b.head + b.stored) AS bytes
         FROM packs p JOIN blocks b ON b.pack = p.id WHERE p.synced = 1 GROUP BY p.id ORDER BY p.id`,
    )
  }

  blocksOf(pack: number): BlockRow[] {
    return this.db.all<BlockRow>(
      'SELECT id, pack, offset, head, stored, raw, codec FROM blocks WHERE pack = ? ORDER BY offset',
      pack,
    )
  }

  /** The objects of one block. Reads the whole index. */
  objectsIn(block: number): { hash: Uint8Array; kind: ObjectKind }[] {
    return this.db.all('SELECT hash, kind FROM objects WHERE block = ?', block)
  }

  unsynced(): UnsyncedPack[] {
    return this.db.all<UnsyncedPack>(
      `SELECT id, name, writer, synced, boot, (SELECT max(id) FROM blocks WHERE pack = packs.id) AS last
         FROM packs WHERE synced = 0`,
    )
  }

  markSynced(ids: readonly number[]): void {
    for (const id of ids) this.db.run('UPDATE packs SET synced = 1 WHERE id = ?', id)
  }

  /** As `markSynced`, but skips packs to which a writer has added blocks since they were listed. */
  markSyncedAsListed(packs: readonly UnsyncedPack[]): void {
    const isGrown = 'EXISTS (SELECT 1 FROM blocks WHERE pack = packs.id AND id > ?)'
    for (const { id, last } of packs)
      this.db.run(`UPDATE packs SET synced = 1 WHERE id = ? AND NOT ${isGrown}`, id, last ?? 0)
  }

  /** Deletes the rows of a pack and its blocks. No object may refer to them any more. */
  dropPack(id: number): void {
    this.db.write(() => {
      this.db.run('DELETE FROM blocks WHERE pack = ?', id)
      this.db.run('DELETE FROM packs WHERE id = ?', id)
    })
  }

  /**
   * Deletes all rows of a writer's packs and returns the packs' names. Raises the epoch, so that scans that rely on the
   * objects notice.
   */
  forgetWriter(writer: string): string[] {
    return this.db.write(() => {
      const packs = this.packs().filter((pack) => pack.writer === writer)
      for (const { id } of packs) {
        this.#dropWhere('block IN (SELECT id FROM blocks WHERE pack = ?)', id)
        this.dropPack(id)
      }
      if (packs.length > 0) this.raiseEpoch()
      return packs.map(({ name }) => name)
    })
  }

  /** The objects of some packs, by pack, in file order. Reads the whole index. */
  objectsOf(packs: readonly number[]): Map<number, ListedObject[]> {
    const wanted = new Set(packs)
    const rows = this.db.all<ListedObject & { pack: number }>(
      `SELECT o.hash, o.kind, o.size, o.start, b.pack, b.offset FROM objects o JOIN blocks b ON b.id = o.block
       ORDER BY b.pack, b.offset, o.start`,
    )
    const found = new Map<number, ListedObject[]>(packs.map((pack) => [pack, []]))
    for (const row of rows) if (wanted.has(row.pack)) found.get(row.pack)?.push(row)
    return found
  }

  /** Per pack: its raw bytes, and the bytes and number of its objects that have a row. */
  weights(): Map<number, { raw: number; live: number; objects: number }> {
    const rows = this.db.all<{ pack: number; raw: number; live: number; objects: number }>(
      `SELECT b.pack, sum(b.raw) AS raw, sum(coalesce(w.live, 0)) AS live, sum(coalesce(w.n, 0)) AS objects FROM blocks b
       LEFT JOIN (SELECT block, sum(size) AS live, count(*) AS n FROM objects GROUP BY block) w ON w.block = b.id
       GROUP BY b.pack`,
    )
    return new Map(rows.map((row) => [row.pack, row]))
  }

  /** Records that contents must be purged from every pack, until a collection has done it. */
  setPurge(pending: boolean): void {
    this.db.run("INSERT OR REPLACE INTO facts VALUES ('purge', ?)", pending ? 1 : 0)
  }

  get purgePending(): boolean {
    return this.db.get<{ value: number }>("SELECT value FROM facts WHERE key = 'purge'")?.value === 1
  }

  totals(): { packs: number; objects: number; raw: number; stored: number } {
    const objects = this.db.get<{ n: number; raw: number }>(
      'SELECT count(*) AS n, coalesce(sum(size), 0) AS raw FROM objects',
    )
    const blocks = this.db.get<{ stored: number }>('SELECT coalesce(sum(head + stored), 0) AS stored FROM blocks')
    const packs = this.db.get<{ n: number }>('SELECT count(*) AS n FROM packs')
    return { packs: packs?.n ?? 0, objects: objects?.n ?? 0, raw: objects?.raw ?? 0, stored: blocks?.stored ?? 0 }
  }
}
