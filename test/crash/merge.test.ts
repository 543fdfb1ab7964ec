import { copyFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { flipBit, packSize } from '../kit/damage.ts'
import { run } from '../kit/process.ts'
import {
  callOnce,
  inHouse,
  makeWorld,
  removeWorld,
  resetWorld,
  type State,
  saveWorld,
  setConfig,
  snapshotState,
  stateOf,
  type World,
  write,
} from '../kit/world.ts'

/** Many captures of one line each, in a folder of many files: what is left of them is little, and all of it reads back. */

const FILES = 300
const CAPTURES = 100
const known = new Map<string, State>()
let world: World

const packs = (): string[] => readdirSync(join(world.home, 'objects'))
const packedBytes = (): number =>
  packs().reduce((sum, name) => sum + statSync(join(world.home, 'objects', name)).size, 0)

beforeAll(async () => {
  world = makeWorld()
  setConfig(world, { retention: { auto: false } })
  for (let i = 0; i < FILES; i++) write(world.ws, `file-${i}.txt`, `line ${i}\n`)
  await inHouse(world, async (app, call) => {
    for (let i = 0; i < CAPTURES; i++) {
      writeFileSync(join(world.ws, `file-${i % FILES}.txt`), `changed ${i}\n`)
      const { snapshot_id } = await call('snapshot')
      if (i % 10 === 0) known.set(snapshot_id, stateOf(world.ws))
      await app.settle()
    }
  })
  saveWorld(world)
})
afterAll(() => removeWorld(world))

async function expectAllThere(): Promise<void> {
  expect((await callOnce(world, 'fsck')).problems).toEqual([])
  await inHouse(world, async (app) => {
    for (const [id, state] of known) expect(snapshotState(app, id)).toEqual(state)
  })
}

test('a merge leaves few files, a fraction of the bytes, and every snapshot', async () => {
  const before = packedBytes()
  expect(packs().length).toBeGreaterThanOrEqual(CAPTURES)
  const done = await callOnce(world, 'gc', { merge_only: true })
  expect(done).toMatchObject({ objects_removed: 0, packs_after: 1 })
  expect(packs()).toHaveLength(1)
  expect(packedBytes()).toBeLessThan(before / 10)
  await expectAllThere()
  expect(await callOnce(world, 'gc', { merge_only: true })).toMatchObject({ packs_before: 1, packs_after: 1 })
})

test('killed at any step, a merge loses nothing, and the next one ends it', async () => {
  let kills = 0
  for (let n = 1; ; n++) {
    resetWorld(world)
    const { killed, err } = await run(world, [['gc', { merge_only: true }]], `*:${n}`)
    if (!killed) {
      expect(err).toBe('')
      break
    }
    kills++
    await expectAllThere()
    await callOnce(world, 'gc', { merge_only: true })
    expect(packs().length).toBeLessThan(CAPTURES / 2)
  }
  expect(kills).toBeGreaterThan(5)
})

test('the records can be made again from merged packs', async () => {
  resetWorld(world)
  await callOnce(world, 'gc', { merge_only: true })
  await callOnce(world, 'fsck', { rebuild: true })
  await expectAllThere()
})

test('records from before a merge take nothing away, and can be made again', async () => {
  resetWorld(world)
  const database = join(world.home, 'timewarp.db')
  copyFileSync(database, join(world.dir, 'older.db'))
  await callOnce(world, 'gc', { merge_only: true })
  copyFileSync(join(world.dir, 'older.db'), database)
  for (const input of [{ merge_only: true }, {}]) await callOnce(world, 'gc', input).catch(() => {})
  expect(packs()).toHaveLength(1)
  expect((await callOnce(world, 'fsck')).ok).toBe(false)
  await callOnce(world, 'fsck', { rebuild: true })
  await expectAllThere()
})

test('a damaged pack is left as it is; all others are merged', async () => {
  resetWorld(world)
  const damaged = packs().sort()[CAPTURES / 2] as string
  flipBit(join(world.home, 'objects', damaged), Math.floor(packSize(world, damaged) / 2), 3)
  await callOnce(world, 'gc', { merge_only: true })
  expect(packs()).toContain(damaged)
  expect(packs().length).toBeLessThan(5)
})

test('facts that many snapshots have in common are kept once, and told with each', async () => {
  resetWorld(world)
  const [id] = [...known.keys()]
  await inHouse(world, async (app, call) => {
    const rows = app.records.db.get<{ n: number }>('SELECT count(*) AS n FROM fact_texts')
    expect(rows?.n).toBe(1)
    expect((await call('show', { snapshot_id: id })).exclude_globs).toContain('node_modules/')
  })
})
