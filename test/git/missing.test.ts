import * as fs from 'node:fs'
import { expect, test } from 'vitest'
import { gitIn } from '../kit/git.ts'
import { newWorkspace, type Workspace } from '../kit/workspace.ts'
import { commit, keep, newRepository } from './kit.ts'

/** Several states are kept, and no two have the same of what was lost. */

/** Runs the commands that the answer prints, as a person would. */
async function follow(workspace: Workspace): Promise<string[]> {
  await workspace.close()
  const { stdout } = await workspace.tw(['git-rescue'])
  const commands = stdout
    .split('\n')
    .flatMap((line) => /^ {4}timewarp (git-rescue .*?)(?: {2}.*)?$/.exec(line)?.[1] ?? [])
  for (const command of commands) {
    const { exit, stderr } = await workspace.tw(command.split(' '))
    expect(exit, stderr).toBe(0)
  }
  return commands
}

test.each([
  ['the stash is older than the branch’s move', true, 1],
  ['the stash is younger', false, 2],
])('reset --hard, a commit, stash drop (%s): the hint brings branch and stash back', async (_, isOlder, states) => {
  const workspace = newWorkspace()
  const git = gitIn(workspace)
  git('init', '-q')
  commit(workspace, git, 'first', { 'a.txt': 'one\n' })
  const main = commit(workspace, git, 'second', { 'a.txt': 'two\n' })
  await workspace.call('workspace_init', { snapshot: false })
  const stash = (): void => {
    workspace.write({ 'a.txt': 'half done\n' })
    git('stash', 'push', '-qm', 'half done')
  }
  if (isOlder) stash()
  await keep(workspace, 'git reset --hard HEAD~1')
  git('reset', '-q', '--hard', 'HEAD~1')
  commit(workspace, git, 'another', { 'b.txt': 'b\n' })
  if (!isOlder) stash()
  await keep(workspace, 'git stash drop')
  git('stash', 'drop', '-q')
  const commands = await follow(workspace)
  expect(commands).toHaveLength(states)
  expect(git('rev-parse', 'main')).toBe(main)
  expect(git('stash', 'list')).toContain('half done')
  // What was put back is not taken for lost again.
  expect((await workspace.tw(['git-rescue'])).stdout).toContain(
    'Nothing is lost since: what is told above was replaced by git-rescue',
  )
})

test('each thing that is missing is told with the newest state that has it', async () => {
  const { workspace, git } = await newRepository()
  const first = await keep(workspace, 'first')
  git('branch', '-D', 'side')
  const second = await keep(workspace, 'second')
  git('tag', '-d', 'v1')
  const { missing, proposals } = await workspace.call('git_rescue')
  expect(missing).toEqual([
    { what: 'ref', name: 'refs/tags/v1', git_id: second.git_id },
    { what: 'ref', name: 'refs/heads/side', git_id: first.git_id },
  ])
  expect(proposals.map(({ git_id }) => git_id)).toEqual([first.git_id])
})

test('git init after rm -rf .git: the state with the history is proposed, not that of the new repository', async () => {
  const { workspace, git } = await newRepository()
  const { git_id } = await keep(workspace)
  fs.rmSync(workspace.at('.git'), { recursive: true })
  git('init', '-q')
  commit(workspace, git, 'anew', { 'z.txt': 'z\n' })
  await keep(workspace, 'anew')
  const { proposals } = await workspace.call('git_rescue')
  expect(proposals[0]?.git_id).toBe(git_id)
})

test('only what is named comes back, and a name that is not lost is refused', async () => {
  const { workspace, git } = await newRepository()
  const { git_id } = await keep(workspace)
  git('branch', '-D', 'side')
  git('tag', '-d', 'v1')
  await expect(workspace.call('git_rescue', { git_id, only: ['main'], restore_refs: true })).rejects.toMatchObject({
    code: 'BAD_INPUT',
  })
  await workspace.call('git_rescue', { git_id, only: ['side'], restore_refs: true })
  expect([git('branch', '--list', 'side').trim(), git('tag', '--list')]).toEqual(['side', ''])
})

test('restore and undo say that git has lost something since', async () => {
  const { workspace, git } = await newRepository()
  const id = await workspace.snapshot()
  await keep(workspace)
  expect((await workspace.restore(id)).warnings).toEqual([])
  git('branch', '-D', 'side')
  workspace.write({ 'a.txt': 'changed\n' })
  await workspace.snapshot()
  const mention = 'git has lost something since then (refs/heads/side); see timewarp git-rescue'
  expect((await workspace.restore(id)).warnings).toContain(mention)
  expect((await workspace.call('undo')).warnings).toContain(mention)
  fs.rmSync(workspace.at('.git'), { recursive: true })
  expect((await workspace.restore(id)).warnings.join()).toMatch(/git folder .* is gone; .* timewarp git-rescue/)
})
