import * as fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Agent } from '../guards/kit.ts'
import { newWorkspace, Workspace } from '../kit/workspace.ts'
import { commit, gitIn } from './kit.ts'

/** A work tree whose git folder lies elsewhere: what leads there is lost like the folder itself. */

function repository(workspace: Workspace) {
  const git = gitIn(workspace)
  git('init', '-q')
  const made = [1, 2].map((n) => commit(workspace, git, `c${n}`, { [`${n}.txt`]: `${n}\n` }))
  return { git, made }
}

async function prompted(workspace: Workspace, command: string, work: () => unknown): Promise<void> {
  const agent = new Agent(workspace, 'sess_one')
  await agent.tell('session_start')
  await workspace.close()
  await agent.tell('prompt', { prompt_id: 'p1', prompt: 'tidy' })
  await agent.shell(command, work)
  await workspace.close()
}

test('the .git file of a linked work tree is told to be gone, and comes back', async () => {
  const first = newWorkspace()
  const { git } = repository(first)
  git('worktree', 'add', '-q', '../linked', '-b', 'linked')
  const linked = new Workspace(first.temp, 'linked')
  await linked.call('workspace_init')
  const link = fs.readFileSync(linked.at('.git'))
  await prompted(linked, 'rm -rf .git 1.txt', () => {
    fs.rmSync(linked.at('.git'))
    fs.rmSync(linked.at('1.txt'))
  })
  const { stdout } = await linked.tw(['oops'])
  expect(stdout).toContain(`Git was hit, too:\n    ${linked.at('.git')} is gone\n`)
  expect((await linked.tw(['restore', 'latest', '--dry-run'])).stdout).toContain(
    'which leads to the git folder, is gone',
  )
  expect((await linked.tw(['oops', '--yes', '--git'])).exit).toBe(0)
  expect(fs.readFileSync(linked.at('.git'))).toEqual(link)
  expect(gitIn(linked)('status', '--porcelain', '--branch')).toBe('## linked')
})

test('a symbolic link .git comes back as the link, and what was done behind it is taken back', async () => {
  const workspace = newWorkspace()
  const { git, made } = repository(workspace)
  fs.renameSync(workspace.at('.git'), join(workspace.temp, 'real.git'))
  fs.symlinkSync('../real.git', workspace.at('.git'))
  await workspace.call('workspace_init')
  await prompted(workspace, 'git reset -q --hard HEAD~1; rm .git', () => {
    git('reset', '-q', '--hard', 'HEAD~1')
    fs.rmSync(workspace.at('.git'))
  })
  const done = await workspace.tw(['oops', '--yes', '--git'])
  expect([done.exit, fs.readlinkSync(workspace.at('.git'))]).toEqual([0, '../real.git'])
  expect([git('rev-parse', 'main'), git('status', '--porcelain')]).toEqual([made[1], ''])
})
