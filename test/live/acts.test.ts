import * as fs from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { setPointHook } from '../../src/host/points.ts'
import { newWorkspace, type Workspace } from '../kit/workspace.ts'
import { type Captured, newWarm, Warm } from './warm.ts'

/** A restore looks only at what it touches: whatever others do beside it must be found all the same. */

interface Receipt {
  readonly backup_id: string
  readonly restored: readonly string[]
  readonly conflicts: readonly { path: string }[]
}

/** A workspace, and who restores it. */
interface Actor {
  readonly workspace: Workspace
  snapshot(): Promise<Captured>
  restore(id: string): Promise<Receipt>
  /** The tree that a store finds which has never seen the workspace. */
  truth(): Promise<string>
}

function withDaemon(files: Readonly<Record<string, string>>): Actor {
  const warm = newWarm(files)
  const { workspace, daemon } = warm
  const restore = async (snapshot_id: string): Promise<Receipt> =>
    (await daemon.call('restore', { workspace: workspace.root, snapshot_id })).output as Receipt
  return { workspace, restore, snapshot: () => warm.warm(), truth: async () => (await warm.cold()).tree }
}

function alone(files: Readonly<Record<string, string>>): Actor {
  const workspace = newWorkspace(files)
  const other = new Warm(workspace)
  onTestFinished(() => other.close())
  return {
    workspace,
    snapshot: async () => workspace.call('snapshot', {}) as Promise<Captured>,
    restore: async (id) => workspace.restore(id) as Promise<Receipt>,
    truth: async () => (await other.cold()).tree,
  }
}

/** Does something the first time the program comes by. */
function once(where: string, act: () => void): void {
  let isDone = false
  setPointHook((name) => {
    if (name !== where || isDone) return
    isDone = true
    act()
  })
  onTestFinished(() => setPointHook(undefined))
}

const expectTruth = async (actor: Actor): Promise<void> =>
  expect((await actor.snapshot()).tree).toBe(await actor.truth())

/** As the last state was recorded. */
const newestTree = async ({ workspace }: Actor): Promise<string> =>
  (await workspace.call('show', { snapshot_id: 'latest' })).tree

/** Two states that differ in two folders; the second is the present. */
async function between(actor: Actor): Promise<string> {
  const { snapshot_id } = await actor.snapshot()
  actor.workspace.write({ 'src/in/a': 'now', 'src/in/gone/b': 'now', 'lib/c': 'now' })
  await actor.snapshot()
  return snapshot_id
}

const FILES = { 'src/in/a': 'then', 'src/in/beside': 'beside', 'lib/c': 'then', 'lib/d': 'd', e: 'e' }

describe.each([
  ['in a daemon', withDaemon],
  ['alone', alone],
])('%s', (_who, begin) => {
  test.each(['restore:journal', 'restore:applied'])('what others do beside it (%s)', async (where) => {
    const actor = begin(FILES)
    const { workspace } = actor
    const id = await between(actor)
    once(where, () => {
      workspace.write({ 'src/in/beside': 'other', 'src/in/new': 'new', 'lib/deep/new': 'new' })
      fs.rmSync(workspace.at('lib/d'))
      fs.chmodSync(workspace.at('lib'), 0o700)
    })
    const { conflicts, restored } = await actor.restore(id)
    expect([conflicts, restored]).toEqual([[], ['lib/c', 'src/in/a']])
    expect(workspace.read('src/in/new')).toBe('new')
    await expectTruth(actor)
    await expectTruth(actor)
  })

  test('what others do to what it is about to write stays, and is in the state afterwards', async () => {
    const actor = begin(FILES)
    const { workspace } = actor
    const id = await between(actor)
    once('restore:journal', () => {
      workspace.write({ 'lib/c': 'NOW', 'src/in/gone/new': 'new' })
      fs.rmSync(workspace.at('src/in/a'))
    })
    const { conflicts } = await actor.restore(id)
    expect(conflicts.map(({ path }) => path)).toContain('lib/c')
    expect(workspace.read('lib/c')).toBe('NOW')
    expect(workspace.read('src/in/gone/new')).toBe('new')
    await expectTruth(actor)
  })

  test('what others do to what it has just written', async () => {
    const actor = begin(FILES)
    const { workspace } = actor
    const id = await between(actor)
    once('restore:applied', () => {
      const { atime, mtime } = fs.statSync(workspace.at('lib/c'))
      fs.writeFileSync(workspace.at('lib/c'), 'THEN')
      fs.utimesSync(workspace.at('lib/c'), atime, mtime)
      fs.rmSync(workspace.at('src/in/a'))
      fs.mkdirSync(workspace.at('src/in/a'))
    })
    await actor.restore(id)
    await expectTruth(actor)
  })

  test.each(['src', 'src/in'])('a folder that becomes a symlink meanwhile: %s', async (folder) => {
    const actor = begin(FILES)
    const { workspace } = actor
    const outside = join(workspace.temp, 'outside')
    const id = await between(actor)
    once('restore:applied', () => {
      fs.cpSync(workspace.at(folder), outside, { recursive: true })
      fs.writeFileSync(join(outside, folder === 'src' ? 'in/a' : 'a'), 'not ours')
      fs.renameSync(workspace.at(folder), join(workspace.temp, 'away'))
      fs.symlinkSync(outside, workspace.at(folder))
    })
    await actor.restore(id)
    expect(await newestTree(actor)).toBe(await actor.truth())
    await expectTruth(actor)
  })

  test('where only a folder differs, in mode and time', async () => {
    const actor = begin(FILES)
    const { workspace } = actor
    const { snapshot_id } = await actor.snapshot()
    fs.chmodSync(workspace.at('src/in'), 0o750)
    fs.utimesSync(workspace.at('lib'), 1, 1)
    await expectTruth(actor)
    await actor.restore(snapshot_id)
    expect(fs.statSync(workspace.at('src/in')).mode & 0o777).toBe(0o755)
    expect(await newestTree(actor)).toBe(await actor.truth())
    await expectTruth(actor)
  })
})

test('a daemon that dies after it leaves nothing behind that misleads', async () => {
  const actor = withDaemon(FILES)
  const id = await between(actor)
  await actor.restore(id)
  // Another process begins with the scan in the file, which knows nothing of the restore.
  expect((await actor.workspace.call('snapshot', {})).tree).toBe(await actor.truth())
})
