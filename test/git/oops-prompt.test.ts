import * as fs from 'node:fs'
import { expect, test } from 'vitest'
import { Agent } from '../guards/kit.ts'
import { newWorkspace, type Workspace } from '../kit/workspace.ts'
import { commit, type Git, gitIn } from './kit.ts'

/** Git is taken back to where it was before the prompt, and nobody else's work in it is moved. */

interface Scene {
  readonly workspace: Workspace
  readonly git: Git
  readonly agent: Agent
  /** The commits of main, the oldest first. */
  readonly made: readonly string[]
}

/** Three commits on main, a branch on the first, and a session that has begun. */
async function scene(): Promise<Scene> {
  const workspace = newWorkspace()
  const git = gitIn(workspace)
  git('init', '-q')
  git('config', 'user.name', 'Ann')
  git('config', 'user.email', 'ann@example.com')
  const made = [1, 2, 3].map((n) => commit(workspace, git, `c${n}`, { [`${n}.txt`]: `${n}\n` }))
  git('branch', 'feat', made[0] as string)
  await workspace.call('workspace_init')
  const agent = new Agent(workspace, 'sess_one')
  await agent.tell('session_start')
  return { workspace, git, agent, made }
}

/** What a hook puts off until its answer is given is done when it ends. */
const done = ({ workspace }: Scene) => workspace.close()
const ask = ({ agent }: Scene) => agent.tell('prompt', { prompt_id: 'p1', prompt: 'tidy the history' })
/** An agent's call of git. */
const run = (it: Scene, ...args: string[]) => shell(it, `git ${args.join(' ')}`, () => it.git(...args))
async function shell(it: Scene, command: string, work: () => unknown): Promise<void> {
  await it.agent.shell(command, work)
  await done(it)
}
const oops = async ({ workspace }: Scene, ...flags: string[]) => {
  await workspace.close()
  return await workspace.tw(['oops', ...flags])
}
const main = ({ git }: Scene): string => git('rev-parse', 'main')

test.each([['--soft'], ['--hard']])(
  'reset %s and commit --amend in one prompt: the state before the prompt comes back, not the one in between',
  async (how) => {
    const it = await scene()
    await ask(it)
    await run(it, 'reset', '-q', how, 'HEAD~1')
    await run(it, 'commit', '-q', '--amend', '--allow-empty', '-m', 'all')
    await it.workspace.close()
    const { json } = await it.workspace.tw(['git-rescue', '--json'])
    const [proposal] = json.proposals
    const before = json.keeps.find((keep: { git_id: string }) => keep.git_id === proposal.git_id)
    expect([json.proposals.length, before.head]).toEqual([1, it.made[2]])
    expect((await oops(it, '--git', '--yes')).exit).toBe(0)
    expect([main(it), it.git('status', '--porcelain')]).toEqual([it.made[2], ''])
    expect((await it.workspace.tw(['git-rescue'])).stdout).toContain('Nothing is lost since')
  },
)

test('a prompt that changed git alone is told, and taken back once', async () => {
  const it = await scene()
  it.git('init', '-q', '--bare', '../other.git')
  it.git('remote', 'add', 'o', '../other.git')
  it.git('push', '-q', 'o', 'main')
  await ask(it)
  await run(it, 'reset', '-q', '--soft', 'HEAD~1')
  await run(it, 'commit', '-q', '--amend', '-m', 'all')
  await run(it, 'push', '-qf', 'o', 'main')
  const shown = await oops(it)
  expect(shown.stdout).toMatch(
    /^The last prompt \(claude\): tidy the history\n {2}Bash {2}git reset -q --soft HEAD~1\n/,
  )
  expect(shown.stdout).toMatch(/It changed no file, .*\nGit was hit, too:\n {4}refs\/heads\/main is rewritten/)
  expect((await oops(it, '--git', '--yes')).stdout).toContain('Put back 1 ref. No file was touched.\n')
  const [put, status] = [main(it), it.git('status', '--porcelain')]
  for (let again = 0; again < 2; again++)
    expect(await oops(it, '--git', '--yes')).toMatchObject({
      exit: 3,
      stderr: expect.stringContaining('nothing to take back'),
    })
  expect([put, main(it), status]).toEqual([it.made[2], it.made[2], ''])
})

test('a rescue is no loss: neither oops nor undo speaks of what it replaced', async () => {
  const it = await scene()
  await ask(it)
  await run(it, 'reset', '-q', '--hard', 'HEAD~1')
  await shell(it, 'git commit -am other', () => commit(it.workspace, it.git, 'other', { '1.txt': 'other\n' }))
  expect((await oops(it, '--git', '--yes')).exit).toBe(0)
  expect((await oops(it)).stdout).not.toContain('Git was hit')
  expect((await it.workspace.tw(['undo'])).stderr).not.toContain('git has lost')
  expect((await it.workspace.tw(['undo'])).stdout).not.toContain('git has lost')
  expect(main(it)).toBe(it.made[2])
})

test('a person’s own commits are not taken for the prompt’s, before it or after it', async () => {
  const [before, after] = [await scene(), await scene()]
  before.git('commit', '-q', '--amend', '-m', 'better')
  for (const it of [before, after]) {
    await ask(it)
    await shell(it, './build.sh', () => it.workspace.write({ '1.txt': 'x\n' }))
  }
  after.git('commit', '-q', '--amend', '-m', 'better')
  for (const it of [before, after]) {
    const { stdout } = await oops(it, '--yes', '--git')
    expect([stdout.includes('Git was hit'), it.workspace.read('1.txt')]).toEqual([false, '1\n'])
    expect(it.git('log', '-1', '--format=%s')).toBe('better')
  }
})

test('a branch that somebody moved since stays, is named, and can be put back all the same', async () => {
  const it = await scene()
  await ask(it)
  await run(it, 'reset', '-q', '--hard', 'HEAD~1')
  await run(it, 'branch', '-D', 'feat')
  const mine = commit(it.workspace, it.git, 'mine', { 'mine.txt': 'mine\n' })
  const { stdout, exit } = await oops(it, '--yes', '--git')
  expect([exit, main(it), it.git('rev-parse', 'feat')]).toEqual([0, mine, it.made[0]])
  const command = /Left as it is: refs\/heads\/main.*\n.* with: timewarp (.*)/.exec(stdout)?.[1] ?? ''
  expect((await it.workspace.tw(command.split(' '))).exit).toBe(0)
  expect(main(it)).toBe(it.made[2])
})

test('HEAD and what was staged come back; an index that somebody changed since stays', async () => {
  const [put, kept] = [await scene(), await scene()]
  for (const it of [put, kept]) {
    it.workspace.write({ 'new.txt': 'staged\n' })
    it.git('add', 'new.txt')
    await ask(it)
    await shell(it, 'git checkout -qf feat', () => it.git('checkout', '-qf', 'feat'))
    await run(it, 'reset', '-q')
  }
  kept.workspace.write({ 'mine.txt': 'mine\n' })
  kept.git('add', 'mine.txt')
  const [brought, left] = [await oops(put, '--yes', '--git'), await oops(kept, '--yes', '--git')]
  for (const it of [put, kept]) expect(it.git('symbolic-ref', 'HEAD')).toBe('refs/heads/main')
  expect(brought.stdout).toMatch(/Put back HEAD: refs\/heads\/feat → refs\/heads\/main\nPut back the index/)
  expect(put.git('diff', '--cached', '--name-status')).toBe('A\tnew.txt')
  expect(left.stdout).toMatch(/The index is left as it is: somebody changed it since\.\n.* git reset\n/)
  expect(kept.git('diff', '--cached', '--name-only', 'feat')).toBe('mine.txt')
})

test('what a reset unstaged is staged again, although no branch moved', async () => {
  const it = await scene()
  it.workspace.write({ 'new.txt': 'staged\n' })
  it.git('add', 'new.txt')
  await ask(it)
  await run(it, 'reset', '-q', '--hard')
  expect((await oops(it, '--git', '--yes', '--all')).exit).toBe(0)
  expect([it.git('status', '--porcelain'), it.workspace.read('new.txt')]).toEqual(['A  new.txt', 'staged\n'])
})

test.each([['refs/heads/main.lock'], ['index.lock'], ['HEAD.lock']])(
  'git’s lock %s is found before a file is touched',
  async (lock) => {
    const it = await scene()
    await ask(it)
    await run(it, 'reset', '-q', '--hard', 'HEAD~1')
    fs.writeFileSync(it.workspace.at(`.git/${lock}`), '')
    const refused = await oops(it, '--yes', '--git')
    expect([refused.exit, refused.stderr, it.workspace.has('3.txt')]).toEqual([4, expect.stringContaining(lock), false])
    fs.rmSync(it.workspace.at(`.git/${lock}`))
    expect((await oops(it, '--yes', '--git')).exit).toBe(0)
    expect([main(it), it.git('status', '--porcelain')]).toEqual([it.made[2], ''])
  },
)

test('when git refuses afterwards the files are told to be back, and git can be tried again', async () => {
  const it = await scene()
  await ask(it)
  await run(it, 'reset', '-q', '--hard', 'HEAD~1')
  await run(it, 'branch', '-D', 'feat')
  it.git('branch', 'feat/in-the-way')
  const failed = await oops(it, '--yes', '--git')
  expect([failed.exit, failed.stdout, it.workspace.has('3.txt')]).toEqual([
    4,
    expect.stringMatching(/Took back[^]*Undo with: timewarp undo/),
    true,
  ])
  it.git('branch', '-D', 'feat/in-the-way')
  expect((await oops(it, '--yes', '--git')).exit).toBe(0)
  expect([main(it), it.git('status', '--porcelain'), it.workspace.has('3.txt')]).toEqual([it.made[2], '', true])
})

test('a call that was cut short counts, too: what it did to git is the prompt’s', async () => {
  const it = await scene()
  await ask(it)
  await it.agent.tell('call_start', { call_id: 'cut', tool: 'Bash', kind: 'shell', command: 'git branch -D feat' })
  it.git('branch', '-D', 'feat')
  expect((await oops(it)).stdout).toContain('refs/heads/feat is gone')
  await it.agent.tell('prompt', { prompt_id: 'p2', prompt: 'go on' })
  await done(it)
  it.git('commit', '-q', '--amend', '-m', 'mine')
  const { stdout } = await oops(it, '--git', '--yes')
  expect([stdout.includes('refs/heads/main'), it.git('rev-parse', 'feat')]).toEqual([false, it.made[0]])
})
