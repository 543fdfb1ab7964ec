import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { isFault } from '../../src/base/fault.ts'
import { COLLECT_LEASE, leaseName } from '../../src/timeline/capture/capture.ts'
import { type CallList, run } from '../kit/process.ts'
import { FULL, seed } from '../kit/rounds.ts'
import {
  callOnce,
  inHouse,
  KEEP_NOTHING,
  litter,
  makeWorld,
  packBytes,
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

if (FULL) vi.setConfig({ testTimeout: 7_200_000 })

/**
 * `kill -9` at every step.
 *
 * A real process runs the command and dies at its n-th point, for n = 1, 2, 3 … until it finishes. Whatever it leaves
 * behind is then looked at by this process.
 */

const SECRET = 'token-4711-hunter2'

/** Every kind of thing a restore has to deal with. */
function writeFirst(ws: string): void {
  for (const name of ['a.txt', 'b.txt', 'dir/one', 'dir/two', 'dir/deep/three', 'turns-to-folder'])
    write(ws, name, `${name}\n`)
  write(ws, 'run.sh', 'echo\n', 0o755)
  write(ws, 'turns-to-file/inner/x', 'x')
  write(ws, 'big.bin', Buffer.alloc(300_000, 7))
  write(ws, 'same.txt', 'same')
  write(ws, 'locked/inside', 'first')
  write(ws, 'secret/key', SECRET)
  mkdirSync(join(ws, 'empty'))
  symlinkSync('a.txt', join(ws, 'link'))
  chmodSync(join(ws, 'locked'), 0o555)
}

function writeSecond(ws: string): void {
  const gone = (path: string): void => rmSync(join(ws, path), { recursive: true, force: true })
  for (const path of ['b.txt', 'dir/deep', 'turns-to-folder', 'turns-to-file', 'empty', 'link']) gone(path)
  write(ws, 'a.txt', 'changed\n')
  write(ws, 'turns-to-folder/y', 'y')
  write(ws, 'turns-to-file', 'now a file')
  write(ws, 'new/deeper/z', 'z')
  renameSync(join(ws, 'dir/two'), join(ws, 'dir/2'))
  chmodSync(join(ws, 'run.sh'), 0o644)
  utimesSync(join(ws, 'same.txt'), 1_700_000_000, 1_700_000_000)
  symlinkSync('nowhere', join(ws, 'link'))
  chmodSync(join(ws, 'locked'), 0o755)
  write(ws, 'locked/inside', 'second')
  chmodSync(join(ws, 'locked'), 0o555)
}

interface Scene {
  readonly world: World
  readonly calls: CallList
  /** Snapshots that must be there afterwards, with all their content. */
  readonly known: ReadonlyMap<string, State>
  /** The states the workspace may be in afterwards. */
  readonly states: readonly State[]
  /** Whatever else must hold. */
  readonly also?: (world: World) => Promise<void>
}

const snap = async (world: World, known: Map<string, State>, input: object = {}): Promise<string> => {
  const { snapshot_id } = await callOnce(world, 'snapshot', input)
  known.set(snapshot_id, stateOf(world.ws))
  return snapshot_id
}

async function twoStates(world: World): Promise<{ first: string; second: string; known: Map<string, State> }> {
  const known = new Map<string, State>()
  setConfig(world, KEEP_NOTHING)
  writeFirst(world.ws)
  const first = await snap(world, known)
  writeSecond(world.ws)
  const second = await snap(world, known, { label: 'second' })
  return { first, second, known }
}

const SCENES: Record<string, (world: World) => Promise<Scene>> = {
  'a first capture': async (world) => {
    writeFirst(world.ws)
    return { world, calls: [['snapshot', {}]], known: new Map(), states: [stateOf(world.ws)] }
  },
  'a capture of changes': async (world) => {
    const known = new Map<string, State>()
    writeFirst(world.ws)
    await snap(world, known)
    writeSecond(world.ws)
    return { world, calls: [['snapshot', { pin: true }]], known, states: [stateOf(world.ws)] }
  },
  'a restore': async (world) => {
    const { first, known } = await twoStates(world)
    write(world.ws, 'a.txt', 'not captured yet\n')
    const states = [stateOf(world.ws), known.get(first) as State]
    return { world, calls: [['restore', { snapshot_id: first }]], known, states }
  },
  'a restore of some paths': async (world) => {
    const { first, known } = await twoStates(world)
    const [before, target] = [stateOf(world.ws), known.get(first) as State]
    const paths = ['dir', 'locked/inside', 'turns-to-file']
    const mixed: State = {}
    const isWanted = (path: string): boolean => paths.some((wanted) => path === wanted || path.startsWith(`${wanted}/`))
    for (const [path, line] of Object.entries(before)) if (!isWanted(path)) mixed[path] = line
    for (const [path, line] of Object.entries(target)) if (isWanted(path)) mixed[path] = line
    return { world, calls: [['restore', { snapshot_id: first, paths }]], known, states: [before, mixed] }
  },
  'an undo': async (world) => {
    const { first, known } = await twoStates(world)
    return { world, calls: [['undo', {}]], known, states: [stateOf(world.ws), known.get(first) as State] }
  },
  'a redo': async (world) => {
    const { first, known } = await twoStates(world)
    const target = stateOf(world.ws)
    await callOnce(world, 'undo')
    return { world, calls: [['redo', {}]], known, states: [known.get(first) as State, target] }
  },
  'prune and gc': async (world) => {
    const old = new Map<string, State>()
    const known = new Map<string, State>()
    setConfig(world, KEEP_NOTHING)
    writeFirst(world.ws)
    for (let i = 0; i < 5; i++) {
      write(world.ws, 'a.txt', `version ${i}\n`)
      await snap(world, old)
    }
    await snap(world, known, { label: 'pinned', pin: true })
    writeSecond(world.ws)
    await snap(world, known)
    return {
      world,
      calls: [
        ['prune', { gc: false }],
        ['gc', {}],
      ],
      known,
      states: [stateOf(world.ws)],
      also: () => allOrNothing(world, old),
    }
  },
  'a forget': async (world) => {
    const all = new Map<string, State>()
    setConfig(world, KEEP_NOTHING)
    writeFirst(world.ws)
    await snap(world, all)
    writeSecond(world.ws)
    await snap(world, all)
    rmSync(join(world.ws, 'secret'), { recursive: true })
    await snap(world, all)
    return {
      world,
      calls: [['forget', { pattern: 'secret', yes: true }]],
      known: new Map(),
      states: [stateOf(world.ws)],
      also: async () => {
        await callOnce(world, 'forget', { pattern: 'secret', yes: true }).catch(nothingLeft)
        await callOnce(world, 'gc')
        await inHouse(world, async (app) => {
          for (const [id, state] of all) expect(snapshotState(app, id)).toEqual(without(state, 'secret'))
        })
        expect(packBytes(world.home).includes(SECRET)).toBe(false)
      },
    }
  },
}

const without = (state: State, folder: string): State =>
  Object.fromEntries(Object.entries(state).filter(([path]) => path !== folder && !path.startsWith(`${folder}/`)))

/** A snapshot that prune was about to remove is whole or gone. */
const allOrNothing = (world: World, old: ReadonlyMap<string, State>): Promise<void> =>
  inHouse(world, async (app) => {
    for (const [id, state] of old) if (app.records.snapshots.get(id)) expect(snapshotState(app, id)).toEqual(state)
  })

/** Everything that must hold after a crash. */
async function expectRecovered(scene: Scene, answers: readonly { snapshot_id?: string }[]): Promise<void> {
  const { world, known } = scene
  await expectSound(world)
  await inHouse(world, async (app, call) => {
    for (const [id, state] of known) expect(snapshotState(app, id)).toEqual(state)
    for (const { snapshot_id } of answers) if (snapshot_id) snapshotState(app, snapshot_id)
    const next = await call('snapshot')
    const now = stateOf(world.ws)
    expect(scene.states).toContainEqual(now)
    expect(snapshotState(app, next.snapshot_id)).toEqual(now)
    for (const [id, state] of known) expect(snapshotState(app, id)).toEqual(state)
  })
  await expectTidy(world)
  await scene.also?.(world)
  await expectSound(world)
}

async function expectSound(world: World): Promise<void> {
  const checked = await callOnce(world, 'fsck')
  expect(checked.problems).toEqual([])
}

/** No stale lock, no journal, nothing lying about. */
async function expectTidy(world: World): Promise<void> {
  expect(litter(world.ws)).toEqual([])
  await inHouse(world, async ({ records }) => {
    const held = records.workspaces.all().map(({ id }) => records.leases.holder(leaseName(id)))
    expect([...held, records.leases.holder(COLLECT_LEASE)].filter(Boolean)).toEqual([])
    expect(records.db.all('SELECT * FROM journals')).toEqual([])
    expect([...records.holds.held()]).toEqual([])
  })
}

/** 1, 2, 3 … to 6, then in strides that begin with the seed; all of them when there is time. */
const STRIDE = 9
const nextPass = (n: number): number => n + (FULL || n < 6 ? 1 : n === 6 ? 1 + (seed(5) % STRIDE) : STRIDE)
/** A few that lie ever farther apart. */
const nextSample = (n: number): number => (FULL ? n + 3 : n * 3)

/** A redo is a restore like the undo; it is tried when there is time. */
const scenes = Object.entries(SCENES).filter(([name]) => FULL || name !== 'a redo')

describe.each(scenes)('%s that is killed', (name, prepare) => {
  let world: World
  let scene: Scene
  beforeAll(async () => {
    world = makeWorld()
    scene = await prepare(world)
    saveWorld(world)
  })
  afterAll(() => removeWorld(world))

  test('at any of its steps loses nothing and is completed or undone by the next command', async () => {
    let passes = 0
    for (let n = 1; ; n = nextPass(n)) {
      resetWorld(world)
      const { killed, answers, err } = await run(world, scene.calls, `*:${n}`)
      expect(err).toBe('')
      await expectRecovered(scene, answers)
      if (!killed) break
      passes = n
    }
    expect(passes, `${name} passes points`).toBeGreaterThan(3)
  })

  test('ends well even when its recovery is killed, too', async () => {
    for (let n = FULL ? 1 : 8; ; n = nextSample(n)) {
      for (let m = FULL ? 1 : 2; ; m = nextSample(m)) {
        resetWorld(world)
        const first = await run(world, scene.calls, `*:${n}`)
        if (!first.killed) return
        const second = await run(world, [['snapshot', {}]], `*:${m}`)
        await expectRecovered(scene, first.answers)
        if (!second.killed) break
      }
    }
  })

  test('leaves no file in the store that gc does not know or remove', async () => {
    resetWorld(world)
    await run(world, scene.calls, 'pack:block:1')
    await callOnce(world, 'snapshot')
    await callOnce(world, 'gc')
    const known = await inHouse(world, async ({ store }) => store.index.packs().map(({ name }) => name))
    expect(existsSync(join(world.home, 'objects')) ? readdirSync(join(world.home, 'objects')).sort() : []).toEqual(
      known.sort(),
    )
  })
})

describe('a restore', () => {
  let world: World
  beforeAll(() => {
    world = makeWorld()
  })
  afterAll(() => removeWorld(world))

  test('turns a file into a folder again', async () => {
    write(world.ws, 'x/inner', 'in a folder')
    const { snapshot_id } = await callOnce(world, 'snapshot')
    const before = stateOf(world.ws)
    rmSync(join(world.ws, 'x'), { recursive: true })
    write(world.ws, 'x', 'a file')
    const receipt = await callOnce(world, 'restore', { snapshot_id })
    expect(receipt.conflicts).toEqual([])
    expect(stateOf(world.ws)).toEqual(before)
  })

  test('of one file brings back the folders above it that are gone', async () => {
    write(world.ws, 'src/deep/main.ts', 'main')
    const { snapshot_id } = await callOnce(world, 'snapshot')
    const before = stateOf(world.ws)
    rmSync(join(world.ws, 'src'), { recursive: true })
    const receipt = await callOnce(world, 'restore', { snapshot_id, paths: ['src/deep/main.ts'] })
    expect(receipt.conflicts).toEqual([])
    expect(stateOf(world.ws)).toEqual(before)
  })

  test('of one path inside a read-only folder, killed, leaves the folder read-only', async () => {
    write(world.ws, 'locked/file', 'first')
    chmodSync(join(world.ws, 'locked'), 0o555)
    const { snapshot_id } = await callOnce(world, 'snapshot')
    const before = stateOf(world.ws)
    chmodSync(join(world.ws, 'locked'), 0o755)
    write(world.ws, 'locked/file', 'second')
    chmodSync(join(world.ws, 'locked'), 0o555)
    await run(world, [['restore', { snapshot_id, paths: ['locked/file'] }]], 'restore:placed:1')
    await callOnce(world, 'snapshot')
    expect(stateOf(world.ws)).toEqual(before)
  })
})

/** After the death the first call may have done it all. */
function nothingLeft(error: unknown): void {
  if (!isFault(error, 'NOTHING_TO_FORGET')) throw error
}
