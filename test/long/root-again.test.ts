import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { rounds, seed } from '../kit/rounds.ts'
import { isRoot } from '../kit/workspace.ts'
import { expectRecorded, newNestedWarm, ROOT_WAYS } from '../live/root-ways.ts'
import type { Warm } from '../live/warm.ts'

/** Another folder takes the root's path, in every way there is and in any order: no change is missed afterwards. */

/** One way: each step is followed by changes that must be recorded. */
type Steps = (warm: Warm, round: number) => readonly (() => unknown)[]

function run(program: string, ...args: string[]): void {
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  expect(status, `${program} ${args.join(' ')}: ${stderr}`).toBe(0)
}

const unmount = (at: string) => () => run('umount', at)
const mountTmpfs = (at: string) => () => run('mount', '-t', 'tmpfs', 'tmpfs', at)

/** Binds a folder with some files over another one. */
const bindOver = (at: string, from: string, inside: string) => () => {
  fs.mkdirSync(join(from, inside), { recursive: true })
  fs.writeFileSync(join(from, inside, 'bound'), 'x')
  run('mount', '--bind', from, at)
}

/** What a failure leaves mounted. */
function unmountAll(below: string): void {
  const points = fs.readFileSync('/proc/self/mountinfo', 'utf8').split('\n')
  for (const at of points.map((line) => line.split(' ')[4] ?? '').reverse())
    if (at.startsWith(below)) spawnSync('umount', ['-l', at])
}

const MOUNTS: Readonly<Record<string, Steps>> = {
  'mounted over': ({ workspace: { root } }) => [mountTmpfs(root), unmount(root)],
  'unmounted and mounted over again': ({ workspace: { root } }) => [
    mountTmpfs(root),
    () => {
      unmount(root)()
      mountTmpfs(root)()
    },
    unmount(root),
  ],
  'bound over': ({ workspace: { root, temp } }) => [bindOver(root, join(temp, 'bound'), 'sub'), unmount(root)],
  'below a parent that is bound over': ({ workspace: { root, temp } }) => [
    bindOver(dirname(root), join(temp, 'bound-above'), 'workspace/sub'),
    unmount(dirname(root)),
  ],
  'one whose folder is mounted over': ({ workspace }) => [
    () => {
      fs.mkdirSync(workspace.at('sub'), { recursive: true })
      mountTmpfs(workspace.at('sub'))()
    },
    unmount(workspace.at('sub')),
  ],
  'one whose folder is bound over': ({ workspace }) => [
    () => {
      fs.mkdirSync(workspace.at('sub'), { recursive: true })
      bindOver(workspace.at('sub'), join(workspace.temp, 'bound-sub'), 'deep')()
    },
    unmount(workspace.at('sub')),
  ],
}

const call = (warm: Warm, tool: string, input = {}) =>
  warm.daemon.call(tool, { workspace: warm.workspace.root, ...input })

const RESTORES: Readonly<Record<string, Steps>> = {
  'made again by a restore': (warm) => [
    async () => {
      const { tree } = await warm.warm()
      fs.rmSync(warm.workspace.root, { recursive: true })
      await call(warm, 'restore', { snapshot_id: 'latest' })
      expect((await warm.warm()).tree).toBe(tree)
    },
    async () => {
      const { tree } = await warm.warm()
      const { root } = warm.workspace
      fs.rmSync(root, { recursive: true })
      await call(warm, 'restore', { snapshot_id: 'latest' })
      for (const name of fs.readdirSync(root)) fs.rmSync(join(root, name), { recursive: true })
      await call(warm, 'undo')
      expect((await warm.warm()).tree).toBe(tree)
    },
  ],
}

const PLAIN = Object.entries(ROOT_WAYS).map(([name, way]): [string, Steps] => [
  name,
  ({ workspace: { root } }, round) => [() => way(root, round)],
])

test('a root that another folder takes the place of', async () => {
  expect(isRoot, 'this test mounts file systems: run it as root').toBe(true)
  const ways = [...PLAIN, ...Object.entries(MOUNTS), ...Object.entries(RESTORES)]
  const chance = seed()
  console.log(`TIMEWARP_SEED=${chance}`)
  let state = chance
  const pick = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  const warm = newNestedWarm()
  onTestFinished(() => unmountAll(warm.workspace.temp))
  await warm.warm()
  // The first rounds take each way once.
  for (let round = 0, moment = 0; round < Math.max(ways.length, rounds(500)); round++) {
    const [name, stepsOf] = ways[round < ways.length ? round : pick(ways.length)] as [string, Steps]
    let left = stepsOf(warm, round).length
    for (const step of stepsOf(warm, round)) {
      await step()
      left--
      await expectRecorded(warm, ++moment).catch((error: unknown) => {
        throw new Error(`seed ${chance}, round ${round}: a root that is ${name}, ${left} steps before its end`, {
          cause: error,
        })
      })
    }
  }
})
