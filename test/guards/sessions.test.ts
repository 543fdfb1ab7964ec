import * as fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newWorkspace } from '../kit/workspace.ts'
import { Agent, guarded } from './kit.ts'

test('sessions are listed with what they were asked and how much they did', async () => {
  const { workspace, agent } = await guarded()
  await agent.tell('prompt', { prompt_id: 'p1', prompt: 'Change a\nplease' })
  await agent.edit('a.txt', () => workspace.write({ 'a.txt': 'mine\n' }))
  const sub = new Agent(workspace, 'sub_1', agent.session)
  await sub.tell('session_start')
  await agent.tell('session_end')
  const { sessions } = await workspace.call('session_list', {})
  expect(sessions.map(({ session_id }) => session_id).toSorted()).toEqual(['sess_one', 'sub_1'])
  expect(sessions.find(({ session_id }) => session_id === 'sub_1')).toMatchObject({ parent_session_id: 'sess_one' })
  expect(sessions.find(({ session_id }) => session_id === 'sess_one')).toMatchObject({
    client: 'claude',
    changes: 1,
    ended_at: expect.any(String),
    snapshot_id: expect.any(String),
    prompts: [{ prompt_id: 'p1', text: 'Change a\nplease' }],
  })
})

test('rewind brings the files back to the moment before a prompt, and can be taken back', async () => {
  const { workspace, agent } = await guarded()
  await agent.tell('prompt', { prompt_id: 'first', prompt: 'One' })
  await agent.edit('a.txt', () => workspace.write({ 'a.txt': 'one\n' }))
  await agent.tell('prompt', { prompt_id: 'second', prompt: 'Two' })
  await agent.edit('a.txt', () => workspace.write({ 'a.txt': 'two\n' }))
  const text = () => fs.readFileSync(join(workspace.root, 'a.txt'), 'utf8')
  const would = await workspace.call('rewind', { to: 'second', dry_run: true })
  expect([would.dry_run, would.restored, text()]).toEqual([true, ['a.txt'], 'two\n'])
  const done = await workspace.call('rewind', { to: 'last' })
  expect([done.prompt.prompt_id, text()]).toEqual(['second', 'one\n'])
  expect(done.resume).toContain('claude --resume sess_one')
  await workspace.call('rewind', { to: 'fir' })
  expect(text()).toBe('a\n')
  await workspace.call('undo', {})
  expect(text()).toBe('one\n')
})

test('a prompt that nobody gave is a fault', async () => {
  const { workspace } = await guarded()
  await expect(workspace.call('rewind', { to: 'nothing' })).rejects.toMatchObject({ code: 'PROMPT_NOT_FOUND' })
})

test('the log stands under what was asked', async () => {
  const { workspace, agent } = await guarded()
  await agent.tell('prompt', { prompt_id: 'p1', prompt: 'Change a, please' })
  await agent.edit('a.txt', () => workspace.write({ 'a.txt': 'mine\n' }))
  workspace.write({ 'b.txt': 'person\n' })
  await agent.tell('turn_end')
  const { stdout } = await workspace.tw(['log'])
  const heads = stdout.split('\n').filter((line) => line !== '' && !line.startsWith(' '))
  expect(heads).toEqual(['Outside of any session', 'sess_one: Change a, please', 'Outside of any session'])
})

test('what was not captured is told by status', async () => {
  const { workspace, agent } = await guarded()
  fs.writeFileSync(join(workspace.root, '.timewarp/config.json'), '{"budget":{"min_free_bytes":9000000000000000}}')
  workspace.trust()
  const told = await agent.edit('a.txt', () => workspace.write({ 'a.txt': 'mine\n' }))
  expect(told).toMatchObject({ covered: false, reason: expect.stringContaining('space') })
  fs.rmSync(join(workspace.root, '.timewarp/config.json'))
  await agent.tell('turn_end')
  const { gaps } = await workspace.call('status', {})
  expect(gaps.map(({ tool }) => tool)).toEqual(['Edit', 'Edit'])
  const { snapshots } = await workspace.call('get_edit_history', {})
  expect(snapshots[0]).toMatchObject({ affected_files: ['a.txt'], shared: true })
})

test('by the settings the last snapshot of a session is kept for ever', async () => {
  const { workspace, agent } = await guarded()
  workspace.write({ '.timewarp/config.json': '{"guard":{"pin_last":"session_end"}}' })
  await agent.edit('a.txt', () => workspace.write({ 'a.txt': 'mine\n' }))
  await agent.tell('turn_end')
  const pinned = async () =>
    (await workspace.call('get_edit_history', { pinned_only: true })).snapshots.map(
      ({ affected_files }) => affected_files,
    )
  expect(await pinned()).toEqual([])
  await agent.tell('session_end')
  expect(await pinned()).toEqual([['a.txt']])
})

test('a session that nobody told of begins with what is done in its name', async () => {
  const { workspace } = await guarded()
  await workspace.call('apply_whole_file_edit', { path: 'c.txt', content: 'c\n', session_id: 'any string' })
  const { sessions } = await workspace.call('session_list', {})
  expect(sessions).toContainEqual(expect.objectContaining({ session_id: 'any string', client: null, changes: 1 }))
})

test('what the first snapshot found is nobody’s work, although a guard took it', async () => {
  const workspace = newWorkspace({ 'config.json': 'mine\n' })
  await new Agent(workspace, 'sess_first').tell('session_start')
  const [first] = (await workspace.call('get_edit_history')).snapshots
  expect(first).toMatchObject({ source: 'claude-guard', already_there: true, session_id: null, tool: null })
  expect((await workspace.call('session_list', {})).sessions[0]).toMatchObject({ changes: 0 })
  await workspace.close()
  expect((await workspace.tw(['log'])).stdout).toMatch(/1 path already there {2}claude-guard/)
})
