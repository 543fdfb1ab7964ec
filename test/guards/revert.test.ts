import * as fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Agent, guarded } from './kit.ts'

test('reverting a session takes back its work and its sub-agents’, and leaves everybody else’s', async () => {
  const { workspace, agent } = await guarded({ 'a.txt': '1\n2\n3\n4\n5\n6\n7\n8\n9\n', 'b.txt': 'b\n', 'c.txt': 'c\n' })
  const text = (path: string) => fs.readFileSync(join(workspace.root, path), 'utf8')
  await agent.edit('a.txt', () => workspace.write({ 'a.txt': 'agent\n2\n3\n4\n5\n6\n7\n8\n9\n' }))
  const sub = new Agent(workspace, 'sub', agent.session)
  await sub.tell('session_start')
  await sub.edit('b.txt', () => workspace.write({ 'b.txt': 'sub\n', 'c.txt': 'person\n' }))
  workspace.write({ 'a.txt': 'agent\n2\n3\n4\n5\n6\n7\n8\nperson\n' })
  const done = await workspace.call('reverse_op', { snapshot_id: 'session:sess_one' })
  expect(done.conflicts).toEqual([])
  expect([text('a.txt'), text('b.txt'), text('c.txt')]).toEqual(['1\n2\n3\n4\n5\n6\n7\n8\nperson\n', 'b\n', 'person\n'])
})

test('what may be somebody else’s stays unless it is asked for', async () => {
  const { workspace, agent } = await guarded()
  const text = (path: string) => fs.readFileSync(join(workspace.root, path), 'utf8')
  await agent.edit('a.txt', () => workspace.write({ 'a.txt': 'mine\n' }))
  workspace.write({ 'b.txt': 'person\n' })
  await agent.shell('./build.sh', () => workspace.write({ 'b.txt': 'who?\n' }))
  const done = await workspace.call('reverse_op', { snapshot_id: 'session:sess_one' })
  expect([text('a.txt'), text('b.txt'), done.left_shared.length]).toEqual(['a\n', 'who?\n', 1])
  await workspace.call('undo', {})
  const all = await workspace.call('reverse_op', { snapshot_id: 'session:sess_one', include_shared: true })
  expect([text('a.txt'), text('b.txt'), all.left_shared]).toEqual(['a\n', 'person\n', []])
})

test('one call is taken back by its id', async () => {
  const { workspace, agent } = await guarded()
  const { call_id } = await agent.edit('a.txt', () => workspace.write({ 'a.txt': 'mine\n' }))
  await agent.edit('b.txt', () => workspace.write({ 'b.txt': 'mine\n' }))
  const done = await workspace.call('reverse_op', { snapshot_id: `call:${call_id}` })
  expect(done.affected_files).toEqual(['a.txt'])
})
