import * as fs from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { Blame } from '../../src/protocol/blame.ts'
import { newWorkspace, type Workspace } from '../kit/workspace.ts'

const TEN = Array.from({ length: 10 }, (_, i) => `line ${i}\n`).join('')

/** Each line with the snapshot that wrote it, by the name the test has for it. */
async function writers(workspace: Workspace, names: Record<string, string>, path: string, snapshot_id?: string) {
  const { lines } = await workspace.call('blame', { path, ...(snapshot_id ? { snapshot_id } : {}) })
  const named = Object.fromEntries(Object.entries(names).map(([name, id]) => [id, name]))
  return lines.map(({ snapshot_id: id, text }) => `${id === null ? 'nobody' : named[id]}: ${text}`)
}

test('each line is told with the snapshot that wrote it, and whose that was', async () => {
  const workspace = newWorkspace({ 'a.txt': 'one\ntwo\n' })
  const first = await workspace.snapshot()
  const edit = { path: 'a.txt', search_block: 'two', replace_block: 'TWO', session_id: 'sess_1', actor: 'ann' }
  const { snapshot_id } = await workspace.call('apply_edit_block', edit)
  workspace.write({ 'a.txt': 'zero\none\nTWO\n' })
  const byHand = await workspace.snapshot()
  const { lines, notes } = await workspace.call('blame', { path: 'a.txt' })
  expect(notes).toEqual([])
  expect(lines).toMatchObject([
    { line: 1, snapshot_id: byHand, session_id: null, actor: null, source: 'manual', text: 'zero' },
    { line: 2, snapshot_id: first, session_id: null, tool: null, prompt_id: null, text: 'one' },
    { line: 3, snapshot_id, session_id: 'sess_1', tool: 'apply_edit_block', actor: 'ann', source: 'edit', text: 'TWO' },
  ])
  expect(await writers(workspace, { first }, 'a.txt', first)).toEqual(['first: one', 'first: two'])
})

test('what is not captured yet is nobody’s', async () => {
  const workspace = newWorkspace({ 'a.txt': 'one\n' })
  const first = await workspace.snapshot()
  workspace.write({ 'a.txt': 'one\nnew\n', 'b.txt': 'b\n' })
  expect(await writers(workspace, { first }, 'a.txt')).toEqual(['first: one', 'nobody: new'])
  expect(await writers(workspace, { first }, 'b.txt')).toEqual(['nobody: b'])
  fs.rmSync(workspace.at('a.txt'))
  const { notes, lines } = await workspace.call('blame', { path: 'a.txt' })
  expect([lines.length, notes.length]).toEqual([1, 1])
  await expect(workspace.call('blame', { path: 'nowhere' })).rejects.toMatchObject({ code: 'PATH_NOT_FOUND' })
})

test('nothing is read through a symlink', async () => {
  const workspace = newWorkspace({ 'a.txt': 'one\n' })
  await workspace.snapshot()
  fs.symlinkSync(workspace.temp, workspace.at('link'))
  fs.writeFileSync(`${workspace.temp}/secret`, 'secret\n')
  await expect(workspace.call('blame', { path: 'link/secret' })).rejects.toMatchObject({ code: 'PATH_NOT_FOUND' })
})

test('renames are followed, also with changes on the way and back again', async () => {
  const workspace = newWorkspace({ 'a.txt': TEN, 'other.txt': 'other\n' })
  const first = await workspace.snapshot()
  fs.mkdirSync(workspace.at('dir'))
  fs.renameSync(workspace.at('a.txt'), workspace.at('dir/b.txt'))
  fs.rmSync(workspace.at('other.txt'))
  fs.appendFileSync(workspace.at('dir/b.txt'), 'moved\n')
  const moved = await workspace.snapshot()
  const { snapshot_id } = await workspace.call('rename', { from: 'dir/b.txt', to: 'c.txt' })
  fs.appendFileSync(workspace.at('c.txt'), 'last\n')
  const last = await workspace.snapshot()
  const names = { first, moved, renamed: snapshot_id ?? '', last }
  const all = await writers(workspace, names, 'c.txt')
  expect(all.slice(0, 10).every((line) => line.startsWith('first: '))).toBe(true)
  expect(all.slice(10)).toEqual(['moved: moved', 'last: last'])
  const { lines } = await workspace.call('blame', { path: 'c.txt' })
  expect([lines[0]?.path, lines[10]?.path, lines[11]?.path]).toEqual(['a.txt', 'dir/b.txt', 'c.txt'])
})

test('what a revert, an undo or a restore brings back is its first writer’s', async () => {
  const workspace = newWorkspace({ 'a.txt': TEN })
  const first = await workspace.snapshot()
  const cut = { path: 'a.txt', search_block: 'line 3\nline 4\n', replace_block: 'CUT\n' }
  const { snapshot_id } = await workspace.call('apply_edit_block', cut)
  fs.appendFileSync(workspace.at('a.txt'), 'later\n')
  const later = await workspace.snapshot()
  await workspace.call('reverse_op', { snapshot_id: snapshot_id ?? '' })
  const all = await writers(workspace, { first, later }, 'a.txt')
  expect(all.slice(3, 5)).toEqual(['first: line 3', 'first: line 4'])
  expect(all.at(-1)).toBe('later: later')
  fs.rmSync(workspace.at('a.txt'))
  await workspace.snapshot()
  await workspace.call('restore', { snapshot_id: later })
  const restored = await writers(workspace, { first, later, cut: snapshot_id ?? '' }, 'a.txt')
  expect([restored[3], restored.at(-1)]).toEqual(['cut: CUT', 'later: later'])
})

test('what retention dropped still has its record, and a name', async () => {
  const workspace = newWorkspace({ 'a.txt': 'one\n' })
  const first = await workspace.snapshot()
  workspace.write({ 'a.txt': 'one\ntwo\n' })
  const dropped = await workspace.snapshot()
  workspace.write({ 'b.txt': 'b' })
  await workspace.snapshot()
  await workspace.close()
  const db = new DatabaseSync(`${workspace.home}/timewarp.db`)
  db.prepare('UPDATE snapshots SET content = 0 WHERE id = ?').run(dropped)
  db.close()
  expect(await writers(workspace, { first, dropped }, 'a.txt')).toEqual(['first: one', 'dropped: two'])
})

test('people get columns', async () => {
  const workspace = newWorkspace({ 'a.txt': 'one\ntwo\n' })
  const first = await workspace.snapshot()
  await workspace.call('apply_edit_block', { path: 'a.txt', search_block: 'two', replace_block: 'TWO', actor: 'ann' })
  const text = Blame.text(await workspace.call('blame', { path: 'a.txt' }))
  expect(text).toMatch(/^s_\S+ {2}already there {2}1 {2}one\ns_\S+ {2}ann {12}2 {2}TWO$/)
  expect(text).toContain(first)
})
