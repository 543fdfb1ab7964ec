import * as fs from 'node:fs'
import { expect, test } from 'vitest'
import { openApp } from '../../src/app/app.ts'
import { newWorkspace, type Workspace } from '../kit/workspace.ts'

const LINES = Array.from({ length: 60 }, (_, i) => `line ${i + 1}\n`)

/** A change of three hunks in one file and one in another. */
async function changed(workspace: Workspace): Promise<string> {
  await workspace.snapshot()
  const after = LINES.with(4, 'ONE\n').with(29, 'TWO\n').with(54, 'THREE\n').join('')
  const edits = [
    { op: 'whole' as const, path: 'a.txt', content: after },
    { op: 'whole' as const, path: 'b.txt', content: 'b\n' },
  ]
  return (await workspace.call('apply_edits', { edits })).snapshot_id ?? ''
}
const scene = () => newWorkspace({ 'a.txt': LINES.join(''), 'b.txt': 'a\n' })

test('single hunks are taken back, as the list of them counts', async () => {
  const workspace = scene()
  const id = await changed(workspace)
  const dry = await workspace.tw(['revert', id, '--hunk', '2', '--hunk', '4', '--dry-run', '--json'])
  expect(dry.json.hunks).toMatchObject([
    { hunk: 1, path: 'a.txt', head: '@@ -2,7 +2,7 @@ line 1' },
    { hunk: 2, path: 'a.txt' },
    { hunk: 3, path: 'a.txt' },
    { hunk: 4, path: 'b.txt' },
  ])
  expect(workspace.read('b.txt')).toBe('b\n')
  const done = await workspace.tw(['revert', id, '--hunk', '2', '--hunk', '4', '--json'])
  expect(done.json).toMatchObject({ affected_files: ['a.txt', 'b.txt'], reversed_diff: dry.json.reversed_diff })
  expect(workspace.read('a.txt')).toBe(LINES.with(4, 'ONE\n').with(54, 'THREE\n').join(''))
  expect(workspace.read('b.txt')).toBe('a\n')
  await workspace.call('reverse_op', { snapshot_id: done.json.new_snapshot_id })
  expect(workspace.read('a.txt')).toContain('TWO')
})

test('paths come first: hunks are counted within them', async () => {
  const workspace = scene()
  const id = await changed(workspace)
  await workspace.tw(['revert', id, '--hunk', '1', '--', 'b.txt'])
  expect([workspace.read('a.txt').includes('ONE'), workspace.read('b.txt')]).toEqual([true, 'a\n'])
})

test('a number that is none of them, or that may mean several changes, is refused with the list', async () => {
  const workspace = scene()
  const id = await changed(workspace)
  const unknown = await workspace.tw(['revert', id, '--hunk', '7', '--json'])
  expect(unknown.exit).toBe(2)
  expect(unknown.json.error).toMatchObject({ code: 'HUNK_UNKNOWN', data: { hunk: 7, hunks: { length: 4 } } })
  const more = (await workspace.call('apply_whole_file_edit', { path: 'b.txt', content: 'c\n' })).snapshot_id ?? ''
  const several = await workspace.tw(['revert', `${id},${more}`, '--hunk', '1', '--json'])
  expect(several.json.error.code).toBe('HUNK_AMBIGUOUS')
})

test('a conflict is about the chosen hunks alone', async () => {
  const workspace = scene()
  const id = await changed(workspace)
  await workspace.call('apply_edit_block', { path: 'a.txt', search_block: 'TWO', replace_block: 'TWO!' })
  const refused = await workspace.tw(['revert', id, '--hunk', '2', '--json'])
  expect(refused.exit).toBe(4)
  expect(refused.json.conflicts).toMatchObject([{ path: 'a.txt', line: 30, present: 'TWO!\n', wanted: 'line 30\n' }])
  expect((await workspace.tw(['revert', id, '--hunk', '1', '--hunk', '3', '--json'])).json.conflicts).toEqual([])
  expect(workspace.read('a.txt')).toBe(LINES.with(29, 'TWO!\n').join(''))
})

test('folders go and come back with what is in them, modes and empty ones included', async () => {
  const workspace = newWorkspace({ 'old/deep/x': 'x', 'old/empty/': '', keep: 'k' })
  fs.chmodSync(workspace.at('old/deep'), 0o750)
  await workspace.snapshot()
  const edits = [
    { op: 'delete' as const, path: 'old' },
    { op: 'whole' as const, path: 'new/deeper/y', content: 'y' },
    { op: 'whole' as const, path: 'shared/z', content: 'z' },
    { op: 'create_directory' as const, path: 'bare' },
  ]
  const { snapshot_id } = await workspace.call('apply_edits', { edits })
  workspace.write({ 'shared/mine': 'mine' })
  const { affected_files } = await workspace.call('reverse_op', { snapshot_id: snapshot_id ?? '' })
  expect(affected_files).toEqual(['bare', 'new/deeper/y', 'old/deep/x', 'old/empty', 'shared/z'])
  expect(['bare', 'new', 'shared/z'].filter((path) => workspace.has(path))).toEqual([])
  expect(workspace.read('shared/mine')).toBe('mine')
  expect(fs.readdirSync(workspace.at('old')).sort()).toEqual(['deep', 'empty'])
  expect(fs.statSync(workspace.at('old/deep')).mode & 0o777).toBe(0o750)
})

test('a folder that holds something that is not captured stays', async () => {
  const workspace = newWorkspace({ keep: 'k' })
  await workspace.snapshot()
  const { snapshot_id } = await workspace.call('apply_whole_file_edit', { path: 'made/a', content: 'a' })
  workspace.write({ 'made/node_modules/x': 'x' })
  await workspace.call('reverse_op', { snapshot_id: snapshot_id ?? '' })
  expect([workspace.has('made/a'), workspace.has('made/node_modules/x')]).toEqual([false, true])
})

/** As a guard tells it. */
async function givePrompt(workspace: Workspace, id: string, session_id: string): Promise<void> {
  const { workspace_id } = await workspace.call('workspace_init')
  const app = openApp({ home: workspace.home })
  app.records.prompts.add({
    id,
    workspace: workspace_id,
    session_id,
    at: Date.now(),
    text: 'do it',
    snapshot_id: null,
  })
  app.close()
}

test('what one prompt did is taken back by its name', async () => {
  const workspace = newWorkspace({ a: '1', b: '1' })
  await workspace.snapshot()
  await workspace.call('apply_whole_file_edit', { path: 'a', content: '2', session_id: 'sess_1' })
  await givePrompt(workspace, 'p1', 'sess_1')
  await workspace.call('apply_whole_file_edit', { path: 'b', content: '2', session_id: 'sess_1' })
  const { lines } = await workspace.call('blame', { path: 'b' })
  expect(lines).toMatchObject([{ prompt_id: 'p1' }])
  const { snapshots } = await workspace.call('get_edit_history', { limit: 2 })
  expect(snapshots.map(({ prompt_id }) => prompt_id)).toEqual(['p1', null])
  await workspace.call('reverse_op', { snapshot_id: 'prompt:p1' })
  expect([workspace.read('a'), workspace.read('b')]).toEqual(['2', '1'])
})
