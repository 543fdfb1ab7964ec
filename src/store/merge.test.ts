import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Database } from '../host/database.ts'
import { type Mergeable, mergePacks, planMerge } from './merge.ts'
import { ObjectStore } from './object-store.ts'
import { OBJECT } from './store.ts'

const KiB = 1024
const pack = (id: number, bytes: number): Mergeable => ({
  id,
  name: `p${id}-0.twp`,
  writer: `p${id}`,
  synced: 1,
  boot: '',
  bytes,
})
const packs = (count: number, bytes: number): Mergeable[] => Array.from({ length: count }, (_, i) => pack(i, bytes))

test('packs are merged with others of their size, once there are several', () => {
  expect(planMerge(packs(63, 13 * KiB), false)).toEqual([])
  expect(planMerge(packs(64, 13 * KiB), false).map((group) => group.length)).toEqual([64])
  expect(planMerge([...packs(63, 13 * KiB), ...packs(15, 500 * KiB), ...packs(7, 5000 * KiB)], false)).toEqual([])
  expect(planMerge(packs(1000, 20_000 * KiB), false)).toEqual([])
  expect(planMerge(packs(8, 13 * KiB), true)).toHaveLength(1)
})

test('a merge takes no more extra space than one pack', () => {
  const groups = planMerge(packs(20_000, 13 * KiB), false)
  expect(groups.flat()).toHaveLength(20_000)
  for (const group of groups)
    expect(group.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(32 * KiB * KiB)
})

let names = 0
function openStore(): { dir: string; open: () => ObjectStore } {
  const dir = mkdtempSync(join(tmpdir(), 'timewarp-merge-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const open = (): ObjectStore => {
    const db = new Database(join(dir, 'timewarp.db'))
    onTestFinished(() => db.close())
    return new ObjectStore(join(dir, 'objects'), db, () => `p${names++}`)
  }
  return { dir, open }
}

const bytesOf = (text: string): Buffer => Buffer.from(text.repeat(40))

function putMany(store: ObjectStore, count: number): Buffer[] {
  const hashes = Array.from({ length: count }, (_, i) => {
    const batch = store.begin()
    const hash = batch.put(OBJECT.blob, bytesOf(`content ${i} `))
    batch.publish()
    batch.end()
    return hash
  })
  store.sync()
  return hashes
}

test('everything reads as before, from one file, also for a reader that has looked already', () => {
  const { dir, open } = openStore()
  const [store, other] = [open(), open()]
  const hashes = putMany(store, 100)
  for (const hash of hashes.slice(0, 50)) other.reader.raw(hash)
  expect(mergePacks(store, new Set())).toBe(100)
  expect(readdirSync(join(dir, 'objects'))).toHaveLength(1)
  hashes.forEach((hash, i) => expect(other.reader.raw(hash).bytes.equals(bytesOf(`content ${i} `))).toBe(true))
})

test('a writer that stays, and writes on after others have merged what it published, loses nothing', () => {
  const { open } = openStore()
  const [standing, other] = [open(), open()]
  standing.settleIn()
  putMany(other, 100)
  const batch = standing.begin()
  const first = batch.put(OBJECT.blob, bytesOf('first'))
  batch.publish()
  standing.sync()
  expect(mergePacks(other, new Set())).toBe(101)
  const second = batch.put(OBJECT.blob, bytesOf('second'))
  batch.publish()
  batch.end()
  expect(other.reader.raw(first).bytes.equals(bytesOf('first'))).toBe(true)
  expect(other.reader.raw(second).bytes.equals(bytesOf('second'))).toBe(true)
})

test('the packs of a writer whose threads go on writing are left alone', () => {
  const { open } = openStore()
  const [standing, other] = [open(), open()]
  standing.settleIn()
  putMany(other, 100)
  const batch = standing.begin()
  batch.announceThreads()
  batch.put(OBJECT.blob, bytesOf('first'))
  batch.publish()
  standing.sync()
  expect(mergePacks(other, new Set())).toBe(100)
  batch.end()
})
