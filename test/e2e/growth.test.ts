import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTimewarp, type Timewarp } from '../../src/library.ts'
import { FULL, rounds, seed } from '../kit/rounds.ts'
import { inHouse, makeWorld, removeWorld, seeded, setConfig, snapshotState, stateOf, write } from '../kit/world.ts'

/**
 * Many snapshots of a large tree with few changes each: the last costs what the first ones cost.
 *
 * Every capture is opened and closed as a process would do it. `npm run test:long` takes 1,000 snapshots of 10,000
 * files and prints what it measured.
 */

const SNAPSHOTS = rounds(1000, 60)
const FILES = rounds(10_000, 1000)
const CHANGES = 20
const PER_FOLDER = 50

const world = makeWorld()
const random = seeded(seed(1))
const times: number[] = []
/** Of the packs, after each capture. */
const sizes: number[] = []
const ids: string[] = []
let [changedBytes, firstBytes] = [0, 0]
let watched = 0

beforeAll(async () => {
  setConfig(world, { retention: { auto: false } })
  for (let i = 0; i < FILES; i++) firstBytes += put(i, 0)
  await capture()
  for (let n = 1; n < SNAPSHOTS; n++) {
    for (let i = 0; i < CHANGES; i++) changedBytes += put(Math.floor(random() * FILES), n)
    if (n % 10 === 0) {
      changedBytes += put(7, n)
      watched++
    }
    await capture()
  }
}, 1_800_000)
afterAll(() => removeWorld(world))

const pathOf = (i: number): string => `src/${Math.floor(i / PER_FOLDER / 10)}/${Math.floor(i / PER_FOLDER)}/${i}.ts`

/** About four kilobytes that compress as source code does. */
function put(i: number, version: number): number {
  const lines = Array.from(
    { length: 60 },
    (_, n) => `export const value_${n} = ${Math.floor(random() * 1e9)} // line ${n}`,
  )
  const text = `// file ${i}, version ${version}\n${lines.join('\n')}\n`
  write(world.ws, pathOf(i), text)
  return text.length
}

const open = (): Timewarp => openTimewarp({ home: world.home, cwd: world.ws })

async function timed<T>(act: (timewarp: Timewarp) => Promise<T>): Promise<{ result: T; ms: number }> {
  const timewarp = open()
  const started = performance.now()
  try {
    const result = await act(timewarp)
    return { result, ms: performance.now() - started }
  } finally {
    await timewarp.close()
  }
}

async function capture(): Promise<void> {
  const { result, ms } = await timed((timewarp) => timewarp.call('snapshot', {}))
  times.push(ms)
  sizes.push(folderSize(join(world.home, 'objects')))
  ids.push(result.snapshot_id)
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0)
const folderSize = (dir: string): number => sum(readdirSync(dir).map((name) => statSync(join(dir, name)).size))
const figures: Record<string, number> = {}

test('the last captures write no more than early ones', () => {
  const grown = (from: number, to: number): number => (sizes.at(to) ?? 0) - (sizes.at(from) ?? 0)
  expect(grown(-11, -1)).toBeLessThan(2 * grown(9, 19))
  const [early, late] = [sum(times.slice(10, 20)), sum(times.slice(-10))]
  Object.assign(figures, { early_ms: early / 10, late_ms: late / 10, first_ms: times[0] ?? 0 })
})

test('the store is close to the size of the changes', () => {
  const packs = folderSize(join(world.home, 'objects'))
  const records = statSync(join(world.home, 'timewarp.db')).size
  Object.assign(figures, {
    first_bytes: firstBytes,
    changed_bytes: changedBytes,
    packs_bytes: packs,
    db_bytes: records,
  })
  expect(packs).toBeLessThan(firstBytes + changedBytes)
  expect(records).toBeLessThan((firstBytes + changedBytes) / 2)
})

test('log, diff of neighbours and history answer', async () => {
  const last = ids.length - 1
  const log = await timed((timewarp) => timewarp.call('get_edit_history', { limit: 50 }))
  expect(log.result.snapshots.map(({ snapshot_id }) => snapshot_id)).toEqual(ids.slice(-50).reverse())
  const diff = await timed((timewarp) =>
    timewarp.call('diff', { from: ids[last - 1] as string, to: ids[last] as string }),
  )
  expect(diff.result.files.length).toBeGreaterThan(CHANGES / 2)
  expect(diff.result.files.length).toBeLessThanOrEqual(CHANGES + 1)
  const history = await timed((timewarp) => timewarp.call('file_history', { path: pathOf(7), limit: 1000 }))
  expect(history.result.versions.length).toBeGreaterThanOrEqual(watched + 1)
  Object.assign(figures, { log_ms: log.ms, diff_ms: diff.ms, history_ms: history.ms })
})

test('an early snapshot reads back, and the newest is the workspace', async () => {
  await inHouse(world, async (app) => {
    expect(Object.keys(snapshotState(app, ids[0] as string)).filter((path) => path.endsWith('.ts')).length).toBe(FILES)
    expect(snapshotState(app, ids.at(-1) as string)).toEqual(stateOf(world.ws))
  })
})

test('gc merges the many small packs, and all is well afterwards', async () => {
  const gc = await timed((timewarp) => timewarp.call('gc'))
  expect(gc.result.packs_after).toBeLessThan(gc.result.packs_before / 4)
  expect(gc.result.bytes_after).toBeLessThan(gc.result.bytes_before * 1.1)
  const fsck = await timed((timewarp) => timewarp.call('fsck'))
  expect(fsck.result).toMatchObject({ ok: true, snapshots: SNAPSHOTS })
  Object.assign(figures, { gc_ms: gc.ms, fsck_ms: fsck.ms, packs_before: gc.result.packs_before })
  Object.assign(figures, { packs_after: gc.result.packs_after, bytes_after_gc: gc.result.bytes_after })
  if (FULL) writeFileSync(1, `${JSON.stringify({ ...figures, times }, undefined, 1)}\n`)
})
