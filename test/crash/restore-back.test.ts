import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { eachWorld } from '../kit/each-world.ts'
import { type CallList, run, start } from '../kit/process.ts'
import { FULL } from '../kit/rounds.ts'
import { callOnce, inHouse, litter, resetWorld, type State, saveWorld, stateOf, write } from '../kit/world.ts'

if (FULL) vi.setConfig({ testTimeout: 7_200_000 })

/** A restore that cannot be finished goes back as a whole, whatever fails and whoever dies while it does. */

const world = eachWorld({ retention: { auto: false } })

interface Scene {
  readonly calls: CallList
  readonly before: State
  readonly after: State
}

/** Two states that differ in every way, the second of which is there now. */
async function twoStates(): Promise<{ first: string; before: State; after: State }> {
  for (const path of ['a', 'b', 'c', 'gone/x', 'gone/deep/y', 'to-folder']) write(world.ws, path, `first ${path}`)
  mkdirSync(join(world.ws, 'empty'))
  const { snapshot_id: first } = await callOnce(world, 'snapshot')
  const after = stateOf(world.ws)
  for (const path of ['gone', 'to-folder', 'empty']) rmSync(join(world.ws, path), { recursive: true })
  for (const path of ['a', 'b', 'c', 'new/z', 'to-folder/y']) write(world.ws, path, `second ${path}`)
  symlinkSync('a', join(world.ws, 'link'))
  await callOnce(world, 'snapshot')
  write(world.ws, 'c', 'not captured yet')
  return { first, before: stateOf(world.ws), after }
}

const SCENES: Record<string, () => Promise<Scene>> = {
  restore: async () => {
    const { first, ...states } = await twoStates()
    return { calls: [['restore', { snapshot_id: first }]], ...states }
  },
  undo: async () => {
    const { first, before, after } = await twoStates()
    await callOnce(world, 'restore', { snapshot_id: first })
    return { calls: [['undo', {}]], before: after, after: before }
  },
  journey: async () => {
    const { first, ...states } = await twoStates()
    return { calls: [['timewarp_travel', { snapshot_id: first }]], ...states }
  },
  return: async () => {
    const { first, before, after } = await twoStates()
    await callOnce(world, 'timewarp_travel', { snapshot_id: first })
    return { calls: [['timewarp_return', {}]], before: after, after: before }
  },
}

async function expectTidy(): Promise<void> {
  expect((await callOnce(world, 'fsck')).problems).toEqual([])
  expect(litter(world.ws)).toEqual([])
  await inHouse(world, async ({ records }) => expect(records.db.all('SELECT * FROM journals')).toEqual([]))
}

/** Where the workspace stands must be where its files are. */
async function expectPlace(name: string, { before }: Scene): Promise<void> {
  if (name !== 'journey' && name !== 'return') return
  const isThere = JSON.stringify(stateOf(world.ws)) !== JSON.stringify(before)
  const mode = isThere === (name === 'journey') ? 'past' : 'present'
  expect(await callOnce(world, 'status')).toMatchObject({ mode })
}

const STRIDE = FULL ? 1 : 13

describe.each(Object.entries(SCENES))('a %s that fails half way', (name, prepare) => {
  test.each(['restore:placed:2', 'restore:applied:1'])('at %s goes back, wherever it is killed', async (failAt) => {
    const scene = await prepare()
    saveWorld(world)
    for (let n = FULL ? 1 : 5; ; n += STRIDE) {
      resetWorld(world)
      const { killed, answers } = await start(world, scene.calls, { failAt, dieAt: `*:${n}` }).ended
      await callOnce(world, 'status')
      expect([scene.before, scene.after], `killed at ${n}`).toContainEqual(stateOf(world.ws))
      await expectPlace(name, scene)
      if (killed) continue
      expect(answers.at(-1)?.fault).toMatchObject({ code: name === 'journey' ? 'TRAVEL_FAILED' : 'RESTORE_FAILED' })
      expect(stateOf(world.ws)).toEqual(scene.before)
      break
    }
    await expectTidy()
  })
})

test('a restore on its way back whose recovery is killed, too, goes back', async () => {
  const scene = await (SCENES['restore'] as () => Promise<Scene>)()
  saveWorld(world)
  for (let n = 1; ; n += STRIDE) {
    resetWorld(world)
    const first = await start(world, scene.calls, { failAt: 'restore:placed:3', dieAt: 'change:turned:1' }).ended
    expect(first.killed).toBe(true)
    const second = await run(world, [['status', {}]], `*:${n}`)
    await callOnce(world, 'status')
    expect(stateOf(world.ws)).toEqual(scene.before)
    if (!second.killed) break
  }
  await expectTidy()
})
