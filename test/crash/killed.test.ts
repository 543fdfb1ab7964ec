import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type CallList, type Ended, killAfter, run, timeOf } from '../kit/process.ts'
import { FULL, rounds, seed } from '../kit/rounds.ts'
import {
  callOnce,
  inHouse,
  KEEP_NOTHING,
  litter,
  makeWorld,
  removeWorld,
  type State,
  seeded,
  setConfig,
  snapshotState,
  stateOf,
  type World,
  write,
} from '../kit/world.ts'

if (FULL) vi.setConfig({ testTimeout: 7_200_000 })

/** Real processes, killed at moments nobody chose. */

const TIMES = rounds(60, 3)
const FOLDERS = FULL ? 450 : 410
const FILES = FULL ? 3000 : 900

let world: World
let random: () => number
/** Answered snapshots that retention keeps. */
const known = new Map<string, State>()

beforeEach(() => {
  world = makeWorld()
  random = seeded(seed(2026))
  known.clear()
  setConfig(world, KEEP_NOTHING)
})
afterEach(() => removeWorld(world))

/** Many folders, so that threads are at work. */
function writeMany(version: string, share = 1): void {
  for (let i = 0; i < FILES; i++)
    if (random() < share) write(world.ws, `d${i % FOLDERS}/f${i}.txt`, `${version} of ${i}\n`.repeat(1 + (i % 40)))
}

/** Kills a process at a moment of the time that such calls took before. */
const runAndKill = (calls: CallList, took: number): Promise<Ended> => killAfter(world, calls, random() * took)

async function expectSound(): Promise<void> {
  // Killed before it made the store.
  if (known.size === 0 && !existsSync(join(world.home, 'timewarp.db'))) return
  expect((await callOnce(world, 'fsck')).problems).toEqual([])
  await inHouse(world, async (app) => {
    for (const [id, state] of [...known].slice(-2)) expect(snapshotState(app, id)).toEqual(state)
  })
}

test('a capture killed at any moment loses nothing, and the next one takes all', async () => {
  let killed = 0
  writeMany('first')
  const took = await timeOf(world, [['snapshot', {}]])
  for (let i = 0; i < TIMES; i++) {
    writeMany(`version ${i}`, i === 0 ? 1 : 0.5)
    const ended = await runAndKill([['snapshot', {}]], took)
    if (ended.killed && ended.answers.length === 0) killed++
    for (const { snapshot_id } of ended.answers) known.set(snapshot_id, stateOf(world.ws))
    await expectSound()
    const { snapshot_id } = await callOnce(world, 'snapshot')
    known.set(snapshot_id, stateOf(world.ws))
    await inHouse(world, async (app) => expect(snapshotState(app, snapshot_id)).toEqual(stateOf(world.ws)))
  }
  expect(killed).toBeGreaterThan(0)
})

test('a restore killed at any moment is completed or undone by the next command', async () => {
  const ids: string[] = []
  for (const version of ['first', 'second']) {
    writeMany(version)
    write(world.ws, `only-${version}/x`, version)
    ids.push((await callOnce(world, 'snapshot')).snapshot_id)
    known.set(ids.at(-1) as string, stateOf(world.ws))
    rmSync(join(world.ws, `only-${version}`), { recursive: true })
  }
  await callOnce(world, 'restore', { snapshot_id: ids[0] })
  const took = await timeOf(world, [['restore', { snapshot_id: ids[1] }]])
  let killed = 0
  for (let i = 0; i < TIMES; i++) {
    const snapshot_id = ids[i % 2] as string
    const ended = await runAndKill([['restore', { snapshot_id }]], took)
    if (ended.killed && ended.answers.length === 0) killed++
    await expectSound()
    await callOnce(world, 'snapshot')
    expect([...known.values()]).toContainEqual(stateOf(world.ws))
    expect(litter(world.ws)).toEqual([])
    await callOnce(world, 'restore', { snapshot_id })
    expect(stateOf(world.ws)).toEqual(known.get(snapshot_id))
  }
  expect(killed).toBeGreaterThan(0)
})

test('prune and gc killed at any moment lose nothing that is kept', async () => {
  const calls: CallList = [
    ['prune', { gc: false }],
    ['gc', {}],
  ]
  const makeWork = async (round: number): Promise<void> => {
    for (let n = 0; n < 3; n++) {
      writeMany(`version ${round}.${n}`, n === 0 ? 0.6 : 0.1)
      const { snapshot_id } = await callOnce(world, 'snapshot', { pin: n === 1 })
      if (n === 1) known.set(snapshot_id, stateOf(world.ws))
    }
  }
  await makeWork(-1)
  const took = await timeOf(world, calls)
  let killed = 0
  for (let i = 0; i < TIMES; i++) {
    await makeWork(i)
    const ended = await runAndKill(calls, took)
    if (ended.killed && ended.answers.length < calls.length) killed++
    await expectSound()
  }
  expect(killed).toBeGreaterThan(0)
  await callOnce(world, 'prune')
  await expectSound()
})

test('of several commands that come at once after a restore was killed, each succeeds', async () => {
  write(world.ws, 'a.txt', 'first')
  const { snapshot_id } = await callOnce(world, 'snapshot')
  const target = stateOf(world.ws)
  for (let i = 0; i < 200; i++) write(world.ws, `more/${i}`, 'more')
  write(world.ws, 'a.txt', 'second')
  expect((await run(world, [['restore', { snapshot_id }]], 'restore:step:5')).killed).toBe(true)
  const ended = await Promise.all(Array.from({ length: 4 }, () => run(world, [['snapshot', {}]])))
  expect(ended.flatMap(({ answers }) => answers.filter(({ fault }) => fault))).toEqual([])
  expect(stateOf(world.ws)).toEqual(target)
})
