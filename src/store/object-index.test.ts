import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Database } from '../host/database.ts'
import { keyOf, sha256 } from '../host/hash.ts'
import type { WrittenBlock } from './index-rows.ts'
import { ObjectIndex } from './object-index.ts'
import { DIRECTORY_START, encodeBlock } from './pack-format.ts'
import { OBJECT } from './store.ts'

let dir: string
let db: Database

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'index-'))
  db = new Database(join(dir, 'timewarp.db'))
})
afterEach(() => {
  db.close()
  rmSync(dir, { recursive: true })
})

const hashOf = (n: number): Buffer => sha256(Buffer.from(String(n)))
const numbers = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i)

/** A block of objects of one byte each. */
function blockOf(wanted: readonly number[], pack: string): WrittenBlock {
  const payload = Buffer.alloc(wanted.length)
  const { codec, head, bytes } = encodeBlock(
    wanted.map((n) => ({ hash: hashOf(n), kind: OBJECT.blob, size: 1 })),
    payload,
  )
  const directory = new Uint8Array(head.subarray(DIRECTORY_START))
  return { pack, offset: 32, head: head.length, stored: bytes.length, raw: payload.length, codec, directory }
}

const rows = (table: string): number => db.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)?.n ?? 0

test('few rows go into the small table, many into the large one; both are one index', () => {
  const index = new ObjectIndex(db)
  index.publish([blockOf(numbers(0, 1500), 'w-0.twp')], 'w')
  index.publish([blockOf(numbers(1490, 1600), 'w-1.twp')], 'w')
  expect([rows('settled'), rows('young'), rows('objects')]).toEqual([1500, 100, 1600])
  expect(index.find(hashOf(1499))?.pack).toBe('w-0.twp')
  expect(index.find(hashOf(1599))).toMatchObject({ pack: 'w-1.twp', start: 109, size: 1 })
  expect(index.has(hashOf(1600))).toBe(false)
  expect(index.among(numbers(1400, 1700).map(hashOf))).toEqual(
    new Set(numbers(1400, 1600).map((n) => keyOf(hashOf(n)))),
  )
  expect(index.allIfFew(2000)?.size).toBe(1600)
  expect(index.weights().get(2)).toMatchObject({ live: 100, objects: 100 })
})

test('what is settled stays where it was', () => {
  const index = new ObjectIndex(db)
  index.publish([blockOf(numbers(0, 40), 'w-0.twp')], 'w')
  index.settle(40)
  expect(rows('young')).toBe(40)
  index.settle(39)
  expect([rows('young'), rows('settled')]).toEqual([0, 40])
  expect(index.find(hashOf(7))).toMatchObject({ pack: 'w-0.twp', start: 7 })
  index.publish([blockOf(numbers(0, 50), 'w-1.twp')], 'w')
  expect([rows('young'), rows('settled')]).toEqual([10, 40])
})

test('objects are dropped and moved in both tables', () => {
  const index = new ObjectIndex(db)
  index.publish([blockOf(numbers(0, 1200), 'w-0.twp')], 'w')
  index.publish([blockOf(numbers(1200, 1300), 'w-1.twp')], 'w')
  expect([index.drop(hashOf(3)), index.drop(hashOf(1203)), index.drop(hashOf(9999))]).toEqual([1, 1, 0])
  index.move([blockOf([3, 4, 1203, 1204], 'g-0.twp')], 'g')
  expect(index.has(hashOf(3)) || index.has(hashOf(1203))).toBe(false)
  expect([4, 1204].map((n) => index.find(hashOf(n))?.pack)).toEqual(['g-0.twp', 'g-0.twp'])
  expect(index.forgetWriter('w')).toEqual(['w-0.twp', 'w-1.twp'])
  expect(rows('objects')).toBe(2)
  index.clear()
  expect([rows('objects'), rows('blocks'), rows('packs')]).toEqual([0, 0, 0])
})

test('an index of the first version is taken over', () => {
  db.close()
  const old = new DatabaseSync(join(dir, 'timewarp.db'))
  old.exec(`CREATE TABLE versions (room TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT;
    INSERT INTO versions VALUES ('store', 1);
    CREATE TABLE packs (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, writer TEXT NOT NULL,
      synced INTEGER NOT NULL DEFAULT 0, boot TEXT NOT NULL) STRICT;
    CREATE TABLE blocks (id INTEGER PRIMARY KEY, pack INTEGER NOT NULL, offset INTEGER NOT NULL, head INTEGER NOT NULL,
      stored INTEGER NOT NULL, raw INTEGER NOT NULL, codec INTEGER NOT NULL) STRICT;
    CREATE INDEX blocks_by_pack ON blocks (pack);
    CREATE TABLE objects (hash BLOB PRIMARY KEY, block INTEGER NOT NULL, start INTEGER NOT NULL, size INTEGER NOT NULL,
      kind INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE writers (id TEXT PRIMARY KEY, who TEXT NOT NULL) STRICT;
    CREATE TABLE facts (key TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
    INSERT INTO facts VALUES ('epoch', 5);
    INSERT INTO packs VALUES (1, 'w-0.twp', 'w', 1, 'boot');
    INSERT INTO blocks VALUES (1, 1, 32, 61, 1, 1, 0);`)
  old.prepare('INSERT INTO objects VALUES (?, 1, 0, 1, 0)').run(hashOf(1))
  old.close()
  db = new Database(join(dir, 'timewarp.db'))
  const index = new ObjectIndex(db)
  expect(index.epoch()).toBe(5)
  expect(index.find(hashOf(1))).toMatchObject({ pack: 'w-0.twp', offset: 32 })
  index.publish([blockOf([1, 2], 'w-1.twp')], 'w')
  expect([index.find(hashOf(1))?.pack, index.find(hashOf(2))?.pack]).toEqual(['w-0.twp', 'w-1.twp'])
})

test('what it has learnt by heart is what it finds, also after more was put in while it learnt', async () => {
  const index = new ObjectIndex(db)
  index.publish([blockOf(numbers(0, 9000), 'w-0.twp')], 'w')
  const learnt = index.learnt.learn()
  index.publish([blockOf(numbers(9000, 9100), 'w-1.twp')], 'w')
  await learnt
  index.publish([blockOf(numbers(9100, 9200), 'w-2.twp')], 'w')
  expect(index.learnt.maybe(numbers(0, 9200).map(hashOf))).toHaveLength(9200)
  const others = numbers(20_000, 22_000).map(hashOf)
  expect(index.learnt.maybe(others).length).toBeLessThan(40)
})

test('a pack that has grown since it was listed is not taken for synced, and one that grows later no longer is', () => {
  const index = new ObjectIndex(db)
  const synced = (): number[] => index.packs().map((pack) => pack.synced)
  index.publish([blockOf([1], 'w-0.twp'), blockOf([2], 'w-1.twp')], 'w')
  const listed = index.unsynced()
  index.publish([{ ...blockOf([3], 'w-1.twp'), offset: 500 }], 'w')
  index.markSyncedAsListed(listed)
  expect(synced()).toEqual([1, 0])
  index.markSyncedAsListed(index.unsynced())
  expect(synced()).toEqual([1, 1])
  index.publish([{ ...blockOf([4], 'w-0.twp'), offset: 500 }], 'w')
  expect(synced()).toEqual([0, 1])
})
