import * as fs from 'node:fs'
import { expect, test } from 'vitest'
import { Agent } from '../guards/kit.ts'
import { newRepository, seen } from './kit.ts'

/** A prompt in whose course `work` happens, command by command. */
async function prompted(commands: (git: (...args: string[]) => string) => readonly [string, () => unknown][]) {
  const { workspace, git } = await newRepository()
  const agent = new Agent(workspace, 'sess_one')
  await agent.tell('session_start')
  const before = seen(git)
  await agent.tell('prompt', { prompt_id: 'p1', prompt: 'clean the history' })
  for (const [command, work] of commands(git)) await agent.shell(command, work)
  await workspace.close()
  return { workspace, git, before }
}

test('oops says that git was hit, and --git brings branches and stashes back from the state that has them', async () => {
  const { workspace, git, before } = await prompted((run) => [
    ['git reset --hard HEAD~1', () => run('reset', '-q', '--hard', 'HEAD~1')],
    ['git commit -am other', () => run('commit', '-q', '--allow-empty', '-m', 'other')],
    ['git stash drop', () => run('stash', 'drop', '-q')],
  ])
  const shown = await workspace.tw(['oops'])
  expect(shown.stdout).toMatch(/Git was hit, too:\n {4}refs\/heads\/main is rewritten.*\n {4}stash .* is dropped/)
  const done = await workspace.tw(['oops', '--yes', '--git'])
  expect(done.exit).toBe(0)
  const { refs, stashes, head } = seen(git)
  expect(refs.split('\n').filter((ref) => !ref.includes('refs/timewarp/'))).toEqual(before.refs.split('\n'))
  expect([stashes.replaceAll(/ stash@.*/g, ''), head]).toEqual([
    before.stashes.replaceAll(/ stash@.*/g, ''),
    before.head,
  ])
  expect(workspace.read('a.txt')).toBe('two\n')
})

test('oops says that git’s folder is gone, and --git makes it again', async () => {
  const { workspace, git, before } = await prompted(() => [])
  const agent = new Agent(workspace, 'sess_one')
  await agent.shell('rm -rf .git dir', () => {
    fs.rmSync(workspace.at('.git'), { recursive: true })
    fs.rmSync(workspace.at('dir'), { recursive: true })
  })
  await workspace.close()
  expect((await workspace.tw(['oops'])).stdout).toMatch(/Git was hit, too:\n {4}\S*\/\.git is gone/)
  const done = await workspace.tw(['oops', '--yes', '--git'])
  expect([done.exit, workspace.has('dir/b.txt')]).toEqual([0, true])
  expect(seen(git)).toEqual(before)
})

test('a branch that went on is no loss: nothing is said of git', async () => {
  const { workspace, git } = await prompted((run) => [
    ['git commit --allow-empty -m more', () => run('commit', '-q', '--allow-empty', '-m', 'more')],
  ])
  workspace.write({ 'a.txt': 'x\n' })
  const { stdout } = await workspace.tw(['oops'])
  expect([git('log', '-1', '--format=%s'), stdout.includes('Git was hit')]).toEqual(['more', false])
})

test('when git’s folder alone was deleted, that is the disaster, and work before it stays', async () => {
  const { workspace, git } = await newRepository()
  await workspace.call('git_keep')
  await workspace.snapshot()
  workspace.write({ 'good.txt': 'good\n' })
  await workspace.snapshot('good work')
  const before = seen(git)
  await workspace.close()
  fs.rmSync(workspace.at('.git'), { recursive: true })
  const shown = await workspace.tw(['oops', '--yes'])
  expect([shown.exit, shown.stdout]).toEqual([
    3,
    expect.stringMatching(/No file is to be taken back\.\nGit was hit, too:/),
  ])
  expect((await workspace.tw(['oops', '--yes', '--git'])).exit).toBe(0)
  expect([seen(git), workspace.read('good.txt')]).toEqual([before, 'good\n'])
})
