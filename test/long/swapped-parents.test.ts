import * as fs from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { openApp } from '../../src/app/app.ts'
import { sha256 } from '../../src/host/hash.ts'
import { rounds } from '../kit/rounds.ts'
import { newWorkspace, untilSays, type Workspace } from '../kit/workspace.ts'
import { newLive } from '../live/kit.ts'

vi.setConfig({ testTimeout: 3_600_000 })

/** Another process exchanges a folder for a link that leads outside, over and over, while restores go on in it. */

const NAMES = ['a', 'b', 'c', 'deep/d', 'deep/er/e']

/** What lies outside alone: no look at the workspace may take it in. */
const SECRET = 'only outside the workspace'

/** What a restore changes: contents, and which files are there. */
const stateOne = Object.fromEntries(NAMES.map((name) => [`dir/${name}`, 'state one']))
const stateTwo = {
  ...Object.fromEntries(NAMES.slice(1).map((name) => [`dir/${name}`, 'state two'])),
  'dir/extra': 'state two',
}

/** Outside are the same names, with the very bytes that a restore expects, and some that it does not. */
function makeOutside(dir: string): void {
  for (const name of [...NAMES, 'extra']) {
    fs.mkdirSync(join(dir, name, '..'), { recursive: true })
    fs.writeFileSync(join(dir, name), name === 'c' || name === 'extra' ? 'state two' : 'state one')
  }
  for (const name of ['unrelated', 'deep/unrelated']) fs.writeFileSync(join(dir, name), SECRET)
}

/** All that can be changed of what lies in a folder. */
function look(dir: string): string[] {
  const of = (name: string): string => {
    const { mode, ino, mtimeNs, nlink, size } = fs.lstatSync(join(dir, name), { bigint: true })
    const isFile = fs.lstatSync(join(dir, name)).isFile()
    return [name, mode, ino, mtimeNs, nlink, size, isFile ? fs.readFileSync(join(dir, name), 'utf8') : ''].join(' ')
  }
  return ['.', ...(fs.readdirSync(dir, { recursive: true }) as string[])].sort().map(of)
}

async function twoStates(workspace: Workspace): Promise<[string, string]> {
  workspace.write({ '.timewarpignore': 'swap/\n', 'swap/': '', ...stateOne })
  const one = await workspace.snapshot()
  fs.rmSync(workspace.at('dir'), { recursive: true })
  workspace.write(stateTwo)
  const two = await workspace.snapshot()
  await workspace.close()
  return [one, two]
}

/** Whether the store has ever taken in what lies outside. */
function hasSecret(workspace: Workspace): boolean {
  const app = openApp({ home: workspace.home })
  try {
    return app.store.index.has(sha256(Buffer.from(SECRET)))
  } finally {
    app.close()
  }
}

/** Restores one state and the other, and looks at what is outside after each. Returns how many restores were answered. */
async function restoreOften(
  workspace: Workspace,
  restore: (id: string) => Promise<boolean>,
  times: number,
): Promise<number> {
  const outside = join(workspace.temp, 'outside')
  makeOutside(outside)
  const ids = await twoStates(workspace)
  const before = look(outside)
  const swapper = workspace.startScript('swapper.ts', [workspace.at('dir'), outside, workspace.at('swap')])
  await untilSays(swapper, 'swapping')
  let answered = 0
  for (let round = 0; round < times; round++) {
    if (await restore(ids[round % 2] as string)) answered++
    expect(look(outside), `after restore ${round}`).toEqual(before)
  }
  expect(hasSecret(workspace)).toBe(false)
  return answered
}

const isLinux = process.platform === 'linux'

test.runIf(isLinux)('restores without a daemon change nothing outside', async () => {
  const workspace = newWorkspace()
  const times = rounds(500)
  const restore = (id: string): Promise<boolean> =>
    workspace.restore(id).then(
      () => true,
      () => false,
    )
  expect(await restoreOften(workspace, restore, times)).toBeGreaterThan(times / 2)
})

test.runIf(isLinux)('restores by a daemon change nothing outside', async () => {
  const live = newLive()
  await live.serve()
  const times = rounds(500)
  const restore = async (id: string): Promise<boolean> =>
    (await live.call('restore', { snapshot_id: id })).status === 200
  expect(await restoreOften(live.workspace, restore, times)).toBeGreaterThan(times / 2)
})
