import * as fs from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { describeTree } from '../kit/tree.ts'
import { newWorkspace, type Workspace, whenPassing } from '../kit/workspace.ts'

/** Links that lead out of a workspace and stand, or come, where a restore writes. */

/** A folder beside the workspace, with what nobody may touch in it. */
function outside(workspace: Workspace): { readonly dir: string; readonly state: () => unknown } {
  const dir = join(workspace.temp, 'outside')
  fs.mkdirSync(join(dir, 'deep'), { recursive: true })
  for (const name of ['a', 'b', 'deep/c']) fs.writeFileSync(join(dir, name), `outside ${name}`)
  return { dir, state: () => describeTree(dir) }
}

/** Puts a link in the place of a folder, which stays in the workspace under another name. */
function swap(workspace: Workspace, folder: string, target: string): void {
  fs.renameSync(workspace.at(folder), workspace.at(`${folder}.moved`))
  fs.symlinkSync(target, workspace.at(folder))
}

const once = (act: () => void): (() => void) => {
  let left = 1
  return () => {
    if (left-- > 0) act()
  }
}

describe.runIf(process.platform === 'linux')('a link that comes in the place of a folder during a restore', () => {
  test.for(['restore:written', 'restore:step', 'restore:placed'])('at %s changes nothing outside', async (point) => {
    const workspace = newWorkspace({ 'dir/a': 'then', 'dir/deep/c': 'then', 'dir/b': 'then', 'dir/gone': 'x' })
    const id = await workspace.snapshot()
    workspace.write({ 'dir/a': 'now', 'dir/deep/c': 'now', 'dir/extra': 'now', 'dir/deep/extra': 'now' })
    fs.rmSync(workspace.at('dir/gone'))
    const { dir, state } = outside(workspace)
    const before = state()
    whenPassing(
      point,
      once(() => swap(workspace, 'dir', dir)),
    )
    const receipt = await workspace.restore(id)
    expect(state()).toEqual(before)
    expect(receipt.conflicts.length).toBeGreaterThan(0)
  })

  test('before a file comes back changes nothing outside', async () => {
    const workspace = newWorkspace({ 'dir/a': 'then', 'dir/gone': 'then' })
    const id = await workspace.snapshot()
    fs.rmSync(workspace.at('dir/gone'))
    const { dir, state } = outside(workspace)
    const before = state()
    whenPassing(
      'restore:written',
      once(() => swap(workspace, 'dir', dir)),
    )
    await workspace.restore(id)
    expect(state()).toEqual(before)
  })

  test('before a file is replaced changes nothing outside, where the same bytes are', async () => {
    const workspace = newWorkspace({ 'dir/a': 'then' })
    const id = await workspace.snapshot()
    workspace.write({ 'dir/a': 'outside a' })
    const { dir, state } = outside(workspace)
    const before = state()
    whenPassing(
      'restore:written',
      once(() => swap(workspace, 'dir', dir)),
    )
    await workspace.restore(id)
    expect(state()).toEqual(before)
  })

  test('in an edit changes nothing outside, and the edit says so', async () => {
    const workspace = newWorkspace({ 'dir/a': 'outside a' })
    await workspace.snapshot()
    const { dir, state } = outside(workspace)
    const before = state()
    whenPassing(
      'restore:written',
      once(() => swap(workspace, 'dir', dir)),
    )
    await workspace.call('apply_whole_file_edit', { path: 'dir/a', content: 'edited' }).then(
      () => undefined,
      (error: unknown) => error,
    )
    expect(state()).toEqual(before)
  })

  test('in the place of the workspace itself changes nothing there', async () => {
    const workspace = newWorkspace({ a: 'then', 'deep/c': 'then' })
    const id = await workspace.snapshot()
    workspace.write({ a: 'now', 'deep/c': 'now', b: 'now' })
    const { dir, state } = outside(workspace)
    const before = state()
    const swapRoot = (): void => {
      fs.renameSync(workspace.root, `${workspace.root}.moved`)
      fs.symlinkSync(dir, workspace.root)
    }
    whenPassing('restore:journal', once(swapRoot))
    await expect(workspace.restore(id)).rejects.toMatchObject({ code: 'ROOT_REPLACED' })
    expect(state()).toEqual(before)
  })
})

describe('links in .timewarp that a clone brought', () => {
  test.for(['aside', 'rescued'])('%s is not followed, and restores work', async (name) => {
    const workspace = newWorkspace({ a: 'then' })
    const id = await workspace.snapshot()
    const { dir, state } = outside(workspace)
    const before = state()
    for (const round of [1, 2]) {
      workspace.write({ a: `now ${round}`, b: 'now' })
      fs.rmSync(workspace.at('.timewarp', name), { recursive: true, force: true })
      fs.symlinkSync(dir, workspace.at('.timewarp', name))
      if (name === 'rescued') workspace.write({ '.timewarp/aside/out-left': `bytes that no store has ${round}` })
      expect(await workspace.restore(id)).toMatchObject({ restored: ['a'], deleted: ['b'] })
      expect(workspace.read('a')).toBe('then')
      expect(state()).toEqual(before)
    }
    const kept = fs.readdirSync(workspace.at('.timewarp')).filter((found) => found.startsWith(`${name}.found-`))
    expect(kept).toEqual([`${name}.found-1`, `${name}.found-2`])
  })

  test('what others put into the folder aside stays there', async () => {
    const workspace = newWorkspace({
      a: 'then',
      '.timewarp/aside/notes.txt': 'mine',
      '.timewarp/aside/in-dir/x': 'mine',
    })
    const id = await workspace.snapshot()
    workspace.write({ a: 'now' })
    await workspace.restore(id)
    expect(workspace.read('a')).toBe('then')
    expect(workspace.read('.timewarp/aside/notes.txt')).toBe('mine')
    expect(workspace.read('.timewarp/aside/in-dir/x')).toBe('mine')
  })
})

const GOOD = {
  task_context: 'The user asked for a release',
  symptom: 'The changelog was forgotten twice',
  success_criteria: 'npm run release exits 1 when CHANGELOG.md has no entry',
}

describe.runIf(process.platform === 'linux')('a link that comes in the place of a folder of our own', () => {
  test.for(['issue:spread', 'issue:edited'])('at %s is neither written to nor read from', async (point) => {
    const workspace = newWorkspace({ a: 'x' })
    await workspace.call('timewarp_session_start', { session_id: 's' })
    const { issue_id } = await workspace.call('timewarp_issue_report', GOOD)
    const folder = `.timewarp/issues/${issue_id}`
    if (point === 'issue:spread') fs.rmSync(workspace.at(folder, 'chat.md'))
    else workspace.write({ [`${folder}/chat.md`]: 'written by hand' })
    const { dir, state } = outside(workspace)
    if (point === 'issue:edited') fs.writeFileSync(join(dir, 'chat.md'), 'nobody else may read this')
    const before = state()
    whenPassing(point, () => swap(workspace, folder, dir))
    const { warnings } = await workspace.call('timewarp_issue_list')
    expect(warnings.join()).toContain('Another folder was put in the place of')
    expect(state()).toEqual(before)
    fs.rmSync(workspace.at(folder))
    fs.renameSync(workspace.at(`${folder}.moved`), workspace.at(folder))
    await workspace.call('timewarp_issue_list')
    expect(workspace.read(`${folder}/chat.md`)).not.toContain('nobody else')
    expect(fs.readdirSync(workspace.at('.timewarp/issues'))).toEqual([issue_id])
  })

  test('is not written to by a change of settings', async () => {
    const workspace = newWorkspace({ a: 'x' })
    await workspace.snapshot()
    const { dir, state } = outside(workspace)
    const before = state()
    whenPassing('config:trusted', () => swap(workspace, '.timewarp', dir))
    const set = workspace.call('config', { key: 'max_file_bytes', value: '1000' })
    await expect(set).rejects.toMatchObject({ code: 'WORKSPACE_REFUSED' })
    expect(state()).toEqual(before)
  })
})

test('a journey into a folder takes no settings from behind a link', async () => {
  const workspace = newWorkspace({ a: 'x' })
  const id = await workspace.snapshot()
  const { dir } = outside(workspace)
  fs.symlinkSync(join(dir, 'a'), workspace.at('.timewarp/config.json'))
  const into = join(workspace.temp, 'past')
  await workspace.call('timewarp_travel', { snapshot_id: id, into })
  expect(fs.existsSync(join(into, '.timewarp/config.json'))).toBe(false)
})

describe('links in a mirror', () => {
  test('are not written through', async () => {
    const workspace = newWorkspace({ a: 'x' })
    await workspace.snapshot()
    const { dir, state } = outside(workspace)
    const before = state()
    const mirror = join(workspace.temp, 'mirror')
    fs.mkdirSync(mirror)
    fs.symlinkSync(dir, join(mirror, 'objects'))
    await expect(workspace.call('mirror', { dir: mirror })).rejects.toMatchObject({ code: 'MIRROR_BAD' })
    fs.rmSync(join(mirror, 'objects'))
    fs.mkdirSync(join(mirror, 'objects'))
    for (const name of fs.readdirSync(join(workspace.home, 'objects')))
      fs.symlinkSync(join(dir, 'a'), join(mirror, 'objects', `${name}.tmp`))
    expect((await workspace.call('mirror', { dir: mirror })).copied_packs).toBeGreaterThan(0)
    expect(state()).toEqual(before)
  })
})

test('a guard for one project is not put behind a link that the project brought', async () => {
  const workspace = newWorkspace({ a: 'x' })
  const { dir, state } = outside(workspace)
  const before = state()
  fs.symlinkSync(dir, workspace.at('.claude'))
  fs.mkdirSync(workspace.at('.gemini'))
  fs.symlinkSync(join(dir, 'new'), workspace.at('.gemini/settings.json'))
  for (const client of ['claude', 'gemini']) {
    const { exit, stderr } = await workspace.tw(['guard', 'install', client, '--scope', 'project'])
    expect([exit, stderr]).toEqual([4, expect.stringContaining('leads out of the project')])
  }
  expect(state()).toEqual(before)
})
