import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type CallList, killAfter, run, timeOf } from '../kit/process.ts'
import { FULL, rounds, seed } from '../kit/rounds.ts'
import {
  callOnce,
  inHouse,
  KEEP_NOTHING,
  litter,
  makeWorld,
  removeWorld,
  resetWorld,
  type State,
  saveWorld,
  seeded,
  setConfig,
  snapshotState,
  stateOf,
  type World,
  write,
} from '../kit/world.ts'

if (FULL) vi.setConfig({ testTimeout: 7_200_000 })

/** `kill -9` at every step of a journey: the next command completes or undoes it, and nothing is lost. */

interface Scene {
  readonly world: World
  readonly past: string
  readonly early: State
  readonly now: State
  readonly issue: string
}

async function prepare(world: World): Promise<Scene> {
  setConfig(world, KEEP_NOTHING)
  for (const name of ['a.txt', 'dir/one', 'dir/two', 'turns']) write(world.ws, name, `${name} then\n`)
  mkdirSync(join(world.ws, 'empty'))
  symlinkSync('a.txt', join(world.ws, 'link'))
  const { snapshot_id: past } = await callOnce(world, 'timewarp_session_start', { session_id: 's' })
  const { issue_id: issue } = await callOnce(world, 'timewarp_issue_report', {
    task_context: 'Build it',
    symptom: 'It failed twice',
    success_criteria: 'make exits 0',
  })
  const early = stateOf(world.ws)
  rmSync(join(world.ws, 'turns'))
  rmSync(join(world.ws, 'empty'), { recursive: true })
  for (const name of ['a.txt', 'dir/one', 'new/deep/file', 'turns/inner']) write(world.ws, name, `${name} now\n`)
  write(world.ws, 'run.sh', 'echo\n', 0o755)
  return { world, past, early, now: stateOf(world.ws), issue }
}

const modeIn = (world: World): string =>
  JSON.parse(readFileSync(join(world.ws, '.timewarp/state.json'), 'utf8')).mode as string

async function expectSound(world: World): Promise<void> {
  expect((await callOnce(world, 'fsck')).problems).toEqual([])
  expect(litter(world.ws)).toEqual([])
  await inHouse(world, async ({ records }) => {
    expect(records.db.all('SELECT * FROM journals')).toEqual([])
    expect(records.travels.all().filter(({ state }) => state === 'departing' || state === 'returning')).toEqual([])
  })
}

/** After whatever happened: a command, then the workspace is wholly in one of its states, and can come home. */
async function expectWhole({ world, early, now }: Scene, there: State): Promise<void> {
  await callOnce(world, 'snapshot')
  const mode = modeIn(world)
  const state = stateOf(world.ws)
  expect(state).toEqual(mode === 'past' ? (state['experiment.txt'] ? there : early) : now)
  await expectSound(world)
  if (mode === 'past') expect(await callOnce(world, 'timewarp_return')).toMatchObject({ verified: true })
  expect(stateOf(world.ws)).toEqual(now)
  expect(modeIn(world)).toBe('present')
}

/** 1, 2, 3 … to 6, then in strides; all of them when there is time. */
const nextPass = (n: number): number => n + (FULL || n < 4 ? 1 : 7)

const kinds = ['travel', 'return'] as const

describe.each(kinds)('a %s that is killed', (kind) => {
  let scene: Scene
  let there: State
  let calls: CallList
  beforeAll(async () => {
    const world = makeWorld()
    scene = await prepare(world)
    there = scene.early
    calls = [['timewarp_travel', { issue_id: scene.issue }]]
    if (kind === 'return') {
      await callOnce(world, 'timewarp_travel', { issue_id: scene.issue })
      write(world.ws, 'experiment.txt', 'tried\n')
      write(world.ws, 'a.txt', 'tried, too\n')
      there = stateOf(world.ws)
      calls = [['timewarp_return', {}]]
    }
    saveWorld(world)
  })
  afterAll(() => removeWorld(scene.world))

  /** What was done in the past is somewhere: in the workspace, or in a snapshot. */
  const expectExperiment = (): Promise<void> =>
    inHouse(scene.world, async (app) => {
      if (kind === 'travel') return
      const kept = app.records.snapshots.all().filter(({ label }) => label === 'experiment')
      expect(kept.map(({ id }) => snapshotState(app, id))).toContainEqual(there)
    })

  test('at any of its steps is completed or undone by the next command, and nothing is lost', async () => {
    let passes = 0
    for (let n = 1; ; n = nextPass(n)) {
      resetWorld(scene.world)
      const { killed, err } = await run(scene.world, calls, `*:${n}`)
      expect(err).toBe('')
      await expectWhole(scene, there)
      await expectExperiment()
      if (!killed) break
      passes = n
    }
    expect(passes).toBeGreaterThan(10)
  })

  test('ends well even when its recovery is killed, too', async () => {
    for (let n = FULL ? 1 : 10; ; n += FULL ? 3 : 17) {
      resetWorld(scene.world)
      if (!(await run(scene.world, calls, `*:${n}`)).killed) return
      await run(scene.world, [['snapshot', {}]], `*:${FULL ? 1 + (n % 7) : 4}`)
      await expectWhole(scene, there)
      await expectExperiment()
    }
  })

  test('at a moment nobody chose is completed or undone, too', async () => {
    const random = seeded(seed(kind.length))
    resetWorld(scene.world)
    const took = await timeOf(scene.world, calls)
    let killed = 0
    for (let i = 0; i < rounds(40, 3); i++) {
      resetWorld(scene.world)
      if ((await killAfter(scene.world, calls, random() * took)).killed) killed++
      await expectWhole(scene, there)
      await expectExperiment()
    }
    expect(killed).toBeGreaterThan(0)
  })
})

describe('in the past', () => {
  let scene: Scene
  beforeAll(async () => {
    scene = await prepare(makeWorld())
    await callOnce(scene.world, 'timewarp_travel', { snapshot_id: scene.past })
    saveWorld(scene.world)
  })
  afterAll(() => removeWorld(scene.world))

  test('rm -rf of the whole workspace: return still works', async () => {
    resetWorld(scene.world)
    rmSync(scene.world.ws, { recursive: true })
    mkdirSync(scene.world.ws)
    expect(await callOnce(scene.world, 'timewarp_return')).toMatchObject({ verified: true })
    expect(stateOf(scene.world.ws)).toEqual(scene.now)
    expect(existsSync(join(scene.world.ws, '.timewarp/issues', scene.issue, 'experiment.md'))).toBe(true)
  })

  test('rm -rf of .timewarp alone: state.json comes back, and return works', async () => {
    resetWorld(scene.world)
    rmSync(join(scene.world.ws, '.timewarp'), { recursive: true })
    expect(await callOnce(scene.world, 'status')).toMatchObject({ mode: 'past' })
    expect(modeIn(scene.world)).toBe('past')
    rmSync(join(scene.world.ws, '.timewarp'), { recursive: true })
    expect(await callOnce(scene.world, 'timewarp_return')).toMatchObject({ verified: true })
    expect(stateOf(scene.world.ws)).toEqual(scene.now)
  })

  test('retention takes nothing, and the records can be made again from the packs: return still works', async () => {
    resetWorld(scene.world)
    const { removed } = await callOnce(scene.world, 'prune')
    expect(removed).toEqual([])
    for (const name of ['timewarp.db', 'timewarp.db-wal', 'timewarp.db-shm'])
      rmSync(join(scene.world.home, name), { force: true })
    expect(await callOnce(scene.world, 'fsck', { rebuild: true })).toMatchObject({ ok: true })
    rmSync(join(scene.world.ws, '.timewarp'), { recursive: true })
    expect(await callOnce(scene.world, 'timewarp_return')).toMatchObject({ verified: true })
    expect(stateOf(scene.world.ws)).toEqual(scene.now)
    expect(await callOnce(scene.world, 'timewarp_issue_get', { issue_id: scene.issue })).toMatchObject({
      snapshot_id: scene.past,
      symptom: 'It failed twice',
    })
  })
})
