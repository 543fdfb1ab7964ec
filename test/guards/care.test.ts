import * as fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { gitIn } from '../kit/git.ts'
import { newWorkspace } from '../kit/workspace.ts'
import { Agent, guarded, story } from './kit.ts'

/** Made here, so that nothing in the project looks like a secret. */
const token = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_')

test('secrets in prompts, commands and inputs never reach the store', async () => {
  const { workspace, agent } = await guarded({ '.env': `API_SECRET=zX9kQ2vB7nM4pL1w\n`, 'a.txt': 'a\n' })
  await agent.tell('prompt', { prompt_id: 'p', prompt: `Use ${token} and zX9kQ2vB7nM4pL1w, please` })
  const command = `curl -H 'Authorization: Bearer ${token}' localhost > a.txt`
  await agent.shell(command, () => workspace.write({ 'a.txt': 'x\n' }), { tool_input: { command } })
  const [, own] = await story(workspace)
  const { sessions } = await workspace.call('session_list', {})
  const { snapshots } = await workspace.call('get_edit_history', {})
  const all = JSON.stringify([own, sessions, snapshots])
  expect(all).toContain('***REDACTED***')
  expect(all).toContain('please')
  expect(all).not.toContain(token)
  expect(all).not.toContain('zX9kQ2vB7nM4pL1w')
  await workspace.close()
  const database = Buffer.concat(
    fs
      .readdirSync(workspace.home)
      .flatMap((name) => (name.startsWith('timewarp.db') ? [fs.readFileSync(join(workspace.home, name))] : [])),
  )
  expect(database.includes(token)).toBe(false)
})

/** A session in a repository, with a commit made since it began. */
async function committing() {
  const workspace = newWorkspace({ 'a.txt': 'a\n' })
  const git = gitIn(workspace)
  git('init', '-q', '-b', 'main')
  git('add', '.')
  git('commit', '-qm', 'one')
  const agent = new Agent(workspace, 's')
  await agent.tell('session_start')
  workspace.write({ 'a.txt': 'two\n' })
  git('commit', '-qam', 'two')
  return { workspace, agent, git, lost: git('rev-parse', 'HEAD').trim() }
}

test('git is kept when a session begins and before a command that rewrites refs', async () => {
  const { workspace, agent, git, lost } = await committing()
  await agent.shell('git reset --hard HEAD~1', () => git('reset', '-q', '--hard', 'HEAD~1'))
  git('reflog', 'expire', '--expire=now', '--all')
  git('gc', '-q', '--prune=now')
  const { keeps } = await workspace.call('git_rescue', {})
  expect(keeps.map(({ why }) => why)).toContain('before git reset --hard HEAD~1')
  const [newest] = keeps
  await workspace.call('git_rescue', { git_id: newest?.git_id ?? '' })
  expect(git('cat-file', '-t', lost).trim()).toBe('commit')
})

test('git is kept before a command that deletes whatever is there', async () => {
  const { workspace, agent, git, lost } = await committing()
  await agent.shell('find . -mindepth 1 -delete', () => workspace.destroy())
  await workspace.call('git_rescue', { git_id: 'latest' })
  expect(git('rev-parse', 'HEAD').trim()).toBe(lost)
})

test('what was asked, and by whom, can be told from the packs alone', async () => {
  const { workspace, agent } = await guarded()
  await agent.tell('prompt', { prompt_id: 'p', prompt: 'Change a' })
  await agent.edit('a.txt', () => workspace.write({ 'a.txt': 'mine\n' }))
  await workspace.close()
  for (const name of fs.readdirSync(workspace.home))
    if (name.startsWith('timewarp.db')) fs.rmSync(join(workspace.home, name))
  expect((await workspace.tw(['fsck', '--rebuild'])).exit).toBe(0)
  const { sessions } = await workspace.call('session_list', {})
  expect(sessions).toMatchObject([
    { session_id: 'sess_one', client: 'claude', prompts: [{ prompt_id: 'p', text: 'Change a' }] },
  ])
  const { lines } = await workspace.call('blame', { path: 'a.txt' })
  expect(lines).toMatchObject([{ session_id: 'sess_one', prompt_id: 'p', tool: 'Edit', shared: false }])
})
