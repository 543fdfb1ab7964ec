import { rmSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { newWorkspace, type Workspace } from '../kit/workspace.ts'

/** Files that become excluded: they stay where they are, no longer recorded, and nothing calls them deleted. */

const FILES = { a: '1', 'data/x': 'x', 'data/y': 'y', 'notes.txt': 'n' }

async function excluding(): Promise<{ workspace: Workspace; before: string }> {
  const workspace = newWorkspace({ ...FILES, '.timewarpignore': '' })
  const before = (await workspace.call('snapshot')).snapshot_id
  workspace.write({ '.timewarpignore': 'data/\nnotes.txt\n' })
  await workspace.tw(['trust', '--yes'])
  return { workspace, before }
}

const TOLD = '3 files no longer recorded, because excluded: data/x, data/y, notes.txt'

test('status, diff and the next snapshot say so, and none of them says that they were deleted', async () => {
  const { workspace, before } = await excluding()
  const status = await workspace.call('status')
  expect(status.changed).toMatchObject({ added: 0, modified: 1, deleted: 0, paths: ['.timewarpignore'] })
  expect(status.warnings).toContain(TOLD)
  const present = await workspace.call('diff', { from: before })
  expect(present.files.map(({ path }) => path)).toEqual(['.timewarpignore'])
  expect(present.warnings).toEqual([TOLD])
  const taken = await workspace.call('snapshot')
  expect(taken).toMatchObject({ created: true, modified: 1, deleted: 0, warnings: [TOLD] })
  const between = await workspace.call('diff', { from: before, to: taken.snapshot_id })
  expect(between.files.map(({ path }) => path)).toEqual(['.timewarpignore'])
  expect(between.warnings).toEqual([TOLD])
  expect((await workspace.call('read_snapshot_diff', { snapshot_id: taken.snapshot_id })).diff).not.toContain('a/notes')
  expect((await workspace.call('show', { snapshot_id: taken.snapshot_id })).affected_files).toEqual(['.timewarpignore'])
  expect((await workspace.call('file_history', { path: 'data/x' })).versions).toMatchObject([{ status: 'added' }])
  expect(await workspace.call('snapshot')).toMatchObject({ created: false, warnings: [] })
  expect((await workspace.tw(['diff', before])).stderr).toBe(`Warning: ${TOLD}\n`)
})

test('what is deleted is deleted, also when it is excluded by now', async () => {
  const { workspace, before } = await excluding()
  rmSync(workspace.at('notes.txt'))
  expect((await workspace.call('status')).changed).toMatchObject({ deleted: 1 })
  const to = (await workspace.call('snapshot')).snapshot_id
  expect((await workspace.call('diff', { from: before, to })).files).toContainEqual(
    expect.objectContaining({ path: 'notes.txt', status: 'deleted' }),
  )
  await workspace.call('reverse_op', { snapshot_id: to, paths: ['notes.txt'] })
  expect(workspace.read('notes.txt')).toBe('n')
})

test.for(['restore', 'undo', 'revert'])('%s neither removes nor overwrites them', async (act) => {
  const { workspace, before } = await excluding()
  const after = (await workspace.call('snapshot')).snapshot_id
  writeFileSync(workspace.at('data/x'), 'newer')
  writeFileSync(workspace.at('data/z'), 'new')
  const there = { 'data/x': 'newer', 'data/y': 'y', 'data/z': 'new', 'notes.txt': 'n' }
  const look = () => Object.fromEntries(Object.keys(there).map((path) => [path, workspace.read(path)]))
  if (act === 'restore') {
    await workspace.call('restore', { snapshot_id: before })
    expect(look()).toEqual(there)
    await workspace.call('restore', { snapshot_id: after })
  } else if (act === 'undo') await workspace.call('undo')
  else await workspace.call('reverse_op', { snapshot_id: after })
  expect(look()).toEqual(there)
})
