import * as fs from 'node:fs'
import { expect, test } from 'vitest'
import { gitIn } from '../kit/git.ts'
import { newWorkspace, type Workspace } from '../kit/workspace.ts'
import { type Live, newLive, until } from '../live/kit.ts'
import { commit, newRepository, seen } from './kit.ts'

/** What is kept of git for a person who has no guard. */

function repository(workspace: Workspace) {
  const git = gitIn(workspace)
  git('init', '-q')
  commit(workspace, git, 'first', { 'a.txt': 'one\n' })
  return git
}

const REMOVE = { recursive: true } as const

test('up, rm -rf .git, git-rescue: the repository is back', async () => {
  const { workspace, git } = await newRepository()
  await workspace.close()
  const said = await workspace.tw(['up'])
  expect(said.stdout).toMatch(/^Git +kept \(\d+ refs, 2 stashes, .*\); if it is lost: timewarp git-rescue$/m)
  const before = seen(git)
  fs.rmSync(workspace.at('.git'), REMOVE)
  const hint = (await workspace.tw(['git-rescue'])).stdout.match(/timewarp (git-rescue g_\S+)/)?.[1]
  expect((await workspace.tw((hint ?? '').split(' '))).exit).toBe(0)
  expect(seen(git)).toEqual(before)
})

test('init says what of git is kept, or why nothing is', async () => {
  const none = newWorkspace({ a: 'a' })
  expect((await none.tw(['init'])).stdout).toContain('Git: no repository\n')
  const workspace = newWorkspace()
  repository(workspace)
  expect((await workspace.tw(['init'])).stdout).toMatch(/^Git: kept \(1 ref, 0 stashes, /m)

  const off = newWorkspace()
  repository(off)
  fs.mkdirSync(off.home, { recursive: true })
  fs.writeFileSync(`${off.home}/config.json`, '{"git":{"protect":false}}')
  expect((await off.tw(['init'])).stdout).toContain('Git: not kept: git.protect is off\n')

  const large = newWorkspace()
  repository(large)
  fs.mkdirSync(large.home, { recursive: true })
  fs.writeFileSync(`${large.home}/config.json`, '{"git":{"max_bytes":10}}')
  expect((await large.tw(['init'])).stdout).toMatch(
    /^Git: only refs and settings are kept \(1 ref, .*\): its objects are more than git\.max_bytes/m,
  )
})

test('a snapshot by hand keeps what came since, and once is enough', async () => {
  const workspace = newWorkspace()
  const git = repository(workspace)
  await workspace.tw(['init'])
  const second = commit(workspace, git, 'second', { 'a.txt': 'two\n' })
  await workspace.tw(['snapshot'])
  await workspace.tw(['snapshot'])
  const { json } = await workspace.tw(['git-rescue', '--json'])
  expect(json.keeps.map(({ why }: { why: string }) => why)).toEqual(['with a snapshot', 'at the start'])
  fs.rmSync(workspace.at('.git'), REMOVE)
  await workspace.tw(['git-rescue', 'latest'])
  expect(git('rev-parse', 'main')).toBe(second)
})

test('the daemon keeps it with a snapshot, before the answer', async () => {
  const live = newLive()
  const git = repository(live.workspace)
  await live.tw(['up'])
  commit(live.workspace, git, 'second', { 'a.txt': 'two\n' })
  await live.tw(['snapshot'])
  expect(await whys(live)).toEqual(['with a snapshot', 'at the start'])
})

test('the daemon keeps it on schedule, although no file of the workspace changed', async () => {
  const live = newLive({ a: '1' }, { env: { TIMEWARP_TEST_TICK_MS: '200' } })
  const git = repository(live.workspace)
  fs.mkdirSync(live.home, { recursive: true })
  fs.writeFileSync(`${live.home}/config.json`, '{"schedule":{"every_minutes":0.01,"debounce_seconds":0}}')
  await live.tw(['up'])
  git('branch', 'another')
  await until('it is kept', async () => (await whys(live)).length === 2)
  expect(await whys(live)).toEqual(['on schedule', 'at the start'])
})

const whys = async (live: Live): Promise<string[]> =>
  (await live.tw(['git-rescue', '--json'])).json.keeps.map(({ why }: { why: string }) => why)
