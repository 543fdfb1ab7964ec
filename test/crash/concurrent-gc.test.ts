import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { openApp } from '../../src/app/app.ts'
import { sleepSync } from '../../src/host/clock.ts'
import { setPointHook } from '../../src/host/points.ts'
import { callTool } from '../../src/tools/call.ts'
import { eachWorld } from '../kit/each-world.ts'
import { type Ended, runMeanwhile, startChild } from '../kit/process.ts'
import { FULL, rounds, seed } from '../kit/rounds.ts'
import { callIn, callOnce, inHouse, KEEP_NOTHING, type State, snapshotState, stateOf, write } from '../kit/world.ts'

if (FULL) vi.setConfig({ testTimeout: 7_200_000 })

/** Captures go on while another process removes all it may: no object that a capture reuses ever vanishes. */

const world = eachWorld(KEEP_NOTHING)

const ROUNDS = rounds(1000, 60)
const SEED = seed(1)
const CAPTURERS = 3

test(`${ROUNDS} rounds of prune, gc and forget beside ${CAPTURERS} processes that capture two workspaces lose nothing`, async () => {
  const other = join(world.dir, 'other')
  for (const root of [world.ws, other]) {
    mkdirSync(root, { recursive: true })
    for (let i = 0; i < 40; i++) write(root, `base/${i % 4}/${i}.txt`, `base ${i}`)
    await callOnce({ ...world, ws: root }, 'snapshot')
  }
  const share = Math.ceil((ROUNDS * 0.8) / CAPTURERS)
  const roots = [world.ws, other, world.ws]
  const capturers = roots.map((cwd, i) =>
    startChild('looper', {
      home: world.home,
      cwd,
      folder: `by-${i}`,
      seed: SEED + i,
      rounds: share,
      role: 'capturer',
    }),
  )
  const keepers = [world.ws, other].map((cwd, i) =>
    startChild('looper', {
      home: world.home,
      cwd,
      seed: SEED + 90 + i,
      rounds: Math.ceil(ROUNDS * 0.1),
      role: 'keeper',
    }),
  )
  const ended = await Promise.all([...capturers, ...keepers].map(({ ended }) => ended))
  for (const { answers, err } of ended) {
    expect(err).toBe('')
    expect(answers.filter(({ fault }) => fault)).toEqual([])
  }
  expect((await callOnce(world, 'fsck')).problems).toEqual([])
  expect(await expectAnswersHold(ended)).toBeGreaterThan(2)
})

/** Every answered snapshot that was not pruned reads back exactly, but for what was forgotten. Returns how many. */
async function expectAnswersHold(ended: readonly Ended[]): Promise<number> {
  const removed = new Set(ended.flatMap(({ answers }) => answers.flatMap((answer) => answer.removed ?? [])))
  return inHouse(world, async (app) => {
    let held = 0
    for (const { snapshot_id, folder, state } of ended.flatMap(({ answers }) => answers)) {
      if (snapshot_id === undefined || removed.has(snapshot_id)) continue
      const now = below(snapshotState(app, snapshot_id), folder)
      for (const [path, line] of Object.entries(now)) expect(state[path], `${path} in ${snapshot_id}`).toBe(line)
      const lost = Object.keys(state).filter((path) => !(path in now) && !path.includes('secret-'))
      expect(lost).toEqual([])
      held++
    }
    return held
  })
}

const below = (state: State, folder: string): State =>
  Object.fromEntries(
    Object.entries(state).flatMap(([path, line]) =>
      path.startsWith(`${folder}/`) ? [[path.slice(folder.length + 1), line]] : [],
    ),
  )

test('a content that comes back after it was pruned is stored again', async () => {
  const app = openApp({ home: world.home })
  try {
    const call = callIn(app, world.ws)
    for (let round = 0; round < 6; round++) {
      write(world.ws, 'a.txt', `content ${round % 2}`)
      const { snapshot_id } = await call('snapshot')
      expect(snapshotState(app, snapshot_id)).toEqual(stateOf(world.ws))
      await callOnce(world, 'prune')
    }
  } finally {
    app.close()
  }
})

test('objects that vanish between the scan and the snapshot are stored again', async () => {
  write(world.ws, 'a.txt', 'old')
  await callOnce(world, 'snapshot')
  write(world.ws, 'a.txt', 'new')
  await callOnce(world, 'snapshot')
  write(world.ws, 'a.txt', 'old')
  const other = openApp({ home: world.home })
  const prune = callIn(other, world.ws)
  let pruned: Promise<unknown> | undefined
  setPointHook((name) => {
    if (name !== 'capture:scanned' || pruned) return
    pruned = prune('prune') // all but its last steps run at once
  })
  const { snapshot_id } = await callOnce(world, 'snapshot')
  await pruned
  other.close()
  await inHouse(world, async (app) => expect(snapshotState(app, snapshot_id)).toEqual(stateOf(world.ws)))
  expect((await callOnce(world, 'fsck')).problems).toEqual([])
})

test('a process that stays open reads right after another has rebuilt the records', async () => {
  const reader = openApp({ home: world.home })
  try {
    const snapshots: string[] = []
    for (let i = 0; i < 4; i++) {
      write(world.ws, 'a.txt', `version ${i}`)
      snapshots.push((await callOnce(world, 'snapshot')).snapshot_id)
    }
    const call = callIn(reader, world.ws)
    const readAll = async (): Promise<void> => {
      for (const [i, snapshot_id] of snapshots.entries())
        expect((await call('cat', { snapshot_id, path: 'a.txt' })).content).toBe(`version ${i}`)
    }
    await readAll()
    await callOnce(world, 'fsck', { rebuild: true })
    await readAll()
  } finally {
    reader.close()
  }
})

test('gc does not sweep away the pack of a pin that is about to be committed', async () => {
  write(world.ws, 'a.txt', 'a')
  const { snapshot_id } = await callOnce(world, 'snapshot')
  const [begun, gone] = [join(world.dir, 'begun'), join(world.dir, 'gone')]
  const pinning = startChild('slow-pin', { home: world.home, cwd: world.ws, snapshot_id, begun, gone })
  const app = openApp({ home: world.home })
  setPointHook((name) => {
    if (name !== 'gc:swept') return
    writeFileSync(gone, '')
    while (!existsSync(begun)) sleepSync(5)
  })
  try {
    await callIn(app, world.ws)('gc')
  } finally {
    app.close()
  }
  expect((await pinning.ended).err).toBe('')
  expect((await callOnce(world, 'fsck')).problems).toEqual([])
})

/** Calls a tool, and lets another process collect in its middle. */
async function callBesideGc(tool: string, input: object): Promise<Record<string, unknown>> {
  for (let i = 0; i < 6; i++) {
    write(world.ws, 'a.txt', `version ${i}`)
    await callOnce(world, 'snapshot')
  }
  const app = openApp({ home: world.home })
  let collected = false
  const progress = (): void => {
    if (collected) return
    collected = true
    runMeanwhile(world, [['prune', {}]])
  }
  try {
    return (await callTool({ app, cwd: world.ws, progress }, tool, input)).output as Record<string, unknown>
  } finally {
    app.close()
    expect(collected).toBe(true)
  }
}

test('fsck beside a gc in another process raises no false alarm', async () => {
  expect((await callBesideGc('fsck', {}))['problems']).toEqual([])
})

test('a mirror beside a gc in another process is taken, or refused as busy', async () => {
  const dir = join(world.dir, 'mirror')
  const answer = await callBesideGc('mirror', { dir }).catch((error: unknown) => {
    expect(error).toMatchObject({ kind: 'busy' })
    return callOnce(world, 'mirror', { dir })
  })
  expect(answer).toMatchObject({ verified: true })
  const back = { ...world, home: join(world.dir, 'back') }
  await callOnce(back, 'mirror', { dir, back: true })
  expect((await callOnce(back, 'fsck')).problems).toEqual([])
})
