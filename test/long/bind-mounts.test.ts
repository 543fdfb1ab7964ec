import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isRoot, newWorkspace, type Workspace } from '../kit/workspace.ts'
import { litter } from '../kit/world.ts'

/** Parts of a workspace that are mounted from elsewhere on the same disk, as in a container made for development. */

function mount(from: string, to: string): void {
  if (!isRoot) throw new Error('This test mounts folders: run it as root.')
  const { status, stderr } = spawnSync('mount', ['--bind', from, to])
  if (status !== 0) throw new Error(`mount failed: ${stderr.toString()}`)
  onTestFinished(() => void spawnSync('umount', ['-l', to]))
}

function withBind(files: Readonly<Record<string, string>>): Workspace {
  const workspace = newWorkspace({ ...files, 'bound/': '' })
  const source = join(workspace.temp, 'source')
  fs.mkdirSync(source)
  mount(source, workspace.at('bound'))
  return workspace
}

test('a restore replaces, removes and brings back what lies in a mounted folder, and all that sorts after it', async () => {
  const workspace = withBind({ 'a.txt': 'then', 'z.txt': 'then' })
  workspace.write({ 'bound/one': 'then', 'bound/deep/two': 'then', 'bound/gone': 'then' })
  const id = await workspace.snapshot()
  workspace.write({ 'a.txt': 'now', 'z.txt': 'now', 'bound/one': 'now', 'bound/deep/two': 'now', 'bound/new': 'now' })
  fs.rmSync(workspace.at('bound/gone'))
  const { restored, deleted, skipped, conflicts } = await workspace.restore(id)
  expect({ skipped, conflicts }).toEqual({ skipped: [], conflicts: [] })
  expect(restored).toEqual(['a.txt', 'bound/deep/two', 'bound/gone', 'bound/one', 'z.txt'])
  expect(deleted).toEqual(['bound/new'])
  for (const path of restored) expect(workspace.read(path)).toBe('then')
  expect(workspace.has('bound/new')).toBe(false)
  expect(litter(workspace.root)).toEqual([])
  await workspace.call('undo')
  expect([workspace.read('bound/one'), workspace.read('bound/new'), workspace.has('bound/gone')]).toEqual([
    'now',
    'now',
    false,
  ])
})

test('a restore leaves a file alone that is itself a mount, names it, and restores the rest', async () => {
  const workspace = newWorkspace({ 'a.txt': 'then', 'bound.txt': 'then', 'z.txt': 'then' })
  const id = await workspace.snapshot()
  fs.writeFileSync(join(workspace.temp, 'source.txt'), 'mounted')
  mount(join(workspace.temp, 'source.txt'), workspace.at('bound.txt'))
  workspace.write({ 'a.txt': 'now', 'z.txt': 'now' })
  const { restored, skipped } = await workspace.restore(id)
  expect(restored).toEqual(['a.txt', 'z.txt'])
  expect(skipped.map(({ path }) => path)).toEqual(['bound.txt'])
  expect(workspace.read('bound.txt')).toBe('mounted')
  expect(litter(workspace.root)).toEqual([])
})
