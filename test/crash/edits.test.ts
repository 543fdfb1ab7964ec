import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { eachWorld } from '../kit/each-world.ts'
import { type CallList, killAfter, type Mishap, run, start, timeOf } from '../kit/process.ts'
import { FULL, rounds, seed } from '../kit/rounds.ts'
import {
  callOnce,
  inHouse,
  litter,
  resetWorld,
  saveWorld,
  seeded,
  setConfig,
  stateOf,
  type World,
  write,
} from '../kit/world.ts'

if (FULL) vi.setConfig({ testTimeout: 7_200_000 })

/** An edit of several files is done or not done, whatever fails and whoever dies while it does. */

const world = eachWorld()

/** What each path holds, without times: an edit gives its own. */
const contents = ({ ws }: World): Record<string, string> =>
  Object.fromEntries(
    Object.entries(stateOf(ws)).map(([path, line]) => [
      path,
      line.startsWith('file') ? readFileSync(join(ws, path), 'utf8') : line,
    ]),
  )

const EDITS: CallList = [
  [
    'apply_edits',
    {
      edits: [
        { op: 'delete', path: 'gone' },
        { op: 'rename', from: 'old-name', to: 'deep/new-name' },
        ...['a', 'b', 'c', 'new/d'].map((path) => ({ op: 'whole', path, content: `edited ${path}` })),
        { op: 'create_directory', path: 'empty' },
      ],
    },
  ],
]

/** The state before the edit, saved, and the one after it. */
async function prepare(): Promise<{ before: object; after: object }> {
  setConfig(world, { retention: { auto: false } })
  for (const path of ['a', 'b', 'c', 'gone/x', 'gone/y', 'old-name', 'other']) write(world.ws, path, `first ${path}`)
  await callOnce(world, 'snapshot')
  saveWorld(world)
  const before = contents(world)
  await callOnce(world, ...EDITS[0]!)
  return { before, after: contents(world) }
}

async function expectTidy(): Promise<void> {
  expect((await callOnce(world, 'fsck')).problems).toEqual([])
  expect(litter(world.ws)).toEqual([])
  await inHouse(world, async ({ records }) => expect(records.db.all('SELECT * FROM journals')).toEqual([]))
}

/** Each scene begins elsewhere, so that together they try nearly every point. */
const STRIDE = FULL ? 1 : 9

describe.each([
  ['that goes well', undefined, 1],
  ['that fails half way', 'restore:placed:3', 4],
  ['that fails when all is written', 'restore:applied:1', 7],
])('an edit %s', (_, failAt, first) => {
  test('is done or not done, wherever it is killed', async () => {
    const { before, after } = await prepare()
    const outcomes = new Set<string>()
    for (let n = FULL ? 1 : first; ; n += STRIDE) {
      resetWorld(world)
      const mishap = { dieAt: `*:${n}`, ...(failAt === undefined ? {} : { failAt }) }
      const { killed } = await start(world, EDITS, mishap).ended
      await callOnce(world, 'status')
      const now = contents(world)
      expect([before, after]).toContainEqual(now)
      outcomes.add(JSON.stringify(now))
      if (killed) continue
      expect(now).toEqual(failAt === undefined ? after : before)
      break
    }
    expect(outcomes.size).toBe(2)
    await expectTidy()
  })
})

test('an edit on its way back whose recovery is killed, too, goes back', async () => {
  const { before } = await prepare()
  for (let n = 1; ; n += STRIDE) {
    resetWorld(world)
    const mishap = { failAt: 'restore:placed:3', dieAt: 'change:turned:1' }
    expect((await start(world, EDITS, mishap).ended).killed).toBe(true)
    const second = await run(world, [['status', {}]], `*:${n}`)
    await callOnce(world, 'status')
    expect(contents(world)).toEqual(before)
    if (!second.killed) break
  }
  await expectTidy()
})

test('what somebody changed between the crash and the recovery stays, and the rest goes back', async () => {
  const { before } = await prepare()
  resetWorld(world)
  expect((await run(world, EDITS, 'restore:placed:3')).killed).toBe(true)
  write(world.ws, 'c', 'by hand')
  const { warnings } = await callOnce(world, 'snapshot')
  expect(warnings.join()).toContain('has been taken back')
  expect(contents(world)).toEqual({ ...before, c: 'by hand' })
  await callOnce(world, 'undo')
  expect(contents(world)).toEqual(before)
  await expectTidy()
})

test('a failed edit is no step: undo takes back what was done before it', async () => {
  await prepare()
  resetWorld(world)
  await callOnce(world, 'apply_whole_file_edit', { path: 'other', content: 'second' })
  await start(world, EDITS, { failAt: 'restore:placed:3' }).ended
  await callOnce(world, 'undo')
  expect(contents(world)).toMatchObject({ other: 'first other', a: 'first a' })
})

test('an edit of many files that fails, killed at moments nobody chose, is not left half done', async () => {
  const files = Array.from({ length: 200 }, (_, i) => `d${i % 20}/f${i}`)
  for (const path of files) write(world.ws, path, 'first')
  await callOnce(world, 'snapshot')
  const edits = files.map((path) => ({ op: 'whole', path, content: 'edited' }))
  const random = seeded(seed(7))
  const failing = (i: number): Mishap => ({ failAt: `restore:placed:${20 + ((30 * i) % 180)}` })
  const calls: CallList = [['apply_edits', { edits }]]
  const took = await timeOf(world, calls)
  for (const path of files) write(world.ws, path, 'first')
  let killed = 0
  for (let i = 0; i < rounds(40, 4); i++) {
    if ((await killAfter(world, calls, random() * took, failing(i))).killed) killed++
    await callOnce(world, 'status')
    const now = new Set(files.map((path) => readFileSync(join(world.ws, path), 'utf8')))
    expect(now.size).toBe(1)
    for (const path of files) write(world.ws, path, 'first')
  }
  expect(killed).toBeGreaterThan(0)
  await expectTidy()
})
