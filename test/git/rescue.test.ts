import * as fs from 'node:fs'
import { expect, test } from 'vitest'
import { newWorkspace } from '../kit/workspace.ts'
import { commit, keep, newRepository, seen } from './kit.ts'

/** As after weeks, or an eager clean-up: nothing is left that no ref leads to. */
const PRUNE: readonly (readonly string[])[] = [
  ['reflog', 'expire', '--expire=now', '--expire-unreachable=now', '--all'],
  ['gc', '-q', '--prune=now'],
]

test('reset, amend, rebase, branch -D and stash drop, then gc: all of it can be reached again', async () => {
  const { workspace, git } = await newRepository()
  git('commit', '-qm', 'staged')
  const amended = git('rev-parse', 'HEAD')
  git('commit', '-q', '--amend', '-m', 'amended')
  git('checkout', '-q', 'side')
  const side = git('rev-parse', 'HEAD')
  const stashes = git('stash', 'list', '--format=%H').split('\n')
  const main = git('rev-parse', 'main')
  git('branch', 'doomed')
  const { git_id } = await keep(workspace)

  git('rebase', '-q', 'main')
  git('branch', '-D', 'doomed')
  git('tag', '-d', 'v1')
  git('checkout', '-q', 'main')
  git('reset', '-q', '--hard', 'HEAD~1')
  git('stash', 'drop', '-q', 'stash@{1}')

  const listed = (await workspace.call('git_rescue')).keeps[0]?.lost
  const row = (ref: string) => listed?.refs.find((lost) => lost.ref === ref)
  expect(row('refs/heads/main')).toMatchObject({ status: 'rewritten', id: main, object: 'reachable' })
  expect(row('refs/heads/side')).toMatchObject({ status: 'rewritten', id: side, object: 'loose' })
  expect(row('refs/heads/doomed')).toMatchObject({ status: 'gone', now: null })
  expect(row('refs/tags/v1')).toMatchObject({ status: 'gone', object: 'loose' })
  expect(listed?.stashes).toMatchObject([{ id: stashes[1], object: 'loose' }])

  for (const args of PRUNE) git(...args)
  expect(git.fails('cat-file', '-e', amended)).toBe(true)
  const { keeps } = await workspace.call('git_rescue')
  expect(keeps[0]?.lost?.refs.filter(({ object }) => object === 'missing').map(({ ref }) => ref)).toEqual([
    'refs/heads/doomed',
    'refs/heads/side',
    'refs/tags/v1',
  ])
  expect(keeps[0]?.lost?.commits).toContain(amended)

  const before = seen(git)
  const plan = await workspace.call('git_rescue', { git_id, dry_run: true })
  expect(seen(git)).toEqual(before)
  const { rescued } = await workspace.call('git_rescue', { git_id })
  const at = (path: string): string => git('rev-parse', `refs/timewarp/rescue/${git_id}/${path}`)
  expect([at('heads/main'), at('heads/side'), at('heads/doomed')]).toEqual([main, side, side])
  expect(git('cat-file', '-t', at('tags/v1'))).toBe('tag')
  expect(at('stashes/0')).toBe(stashes[1])
  expect(at(`commits/${amended.slice(0, 12)}`)).toBe(amended)
  expect(git.fails('fsck', '--full')).toBe(false)
  expect(rescued?.action).toBe('refs')
  for (const { ref } of rescued?.created ?? []) expect(plan.rescued?.created.map((c) => c.ref)).toContain(ref)
  // Nothing of the user's was touched.
  const mine = (refs: string): string[] => refs.split('\n').filter((line) => !line.includes(' refs/timewarp/'))
  expect(mine(seen(git).refs)).toEqual(mine(before.refs))
  expect(seen(git).status).toBe(before.status)
  git('stash', 'apply', '-q', `refs/timewarp/rescue/${git_id}/stashes/0`)
  expect(workspace.read('a.txt')).toBe('stashed 1\n')
})

test('refs are put back themselves when asked for, and that can be taken back', async () => {
  const { workspace, git } = await newRepository()
  const [main, stashes] = [git('rev-parse', 'main'), git('stash', 'list', '--format=%H').split('\n')]
  const { git_id } = await keep(workspace)
  git('reset', '-q', '--hard', 'HEAD~1')
  git('branch', '-D', 'side')
  git('stash', 'clear')
  const newer = commit(workspace, git, 'another way', { 'other.txt': 'o\n' })
  const files = fs.readdirSync(workspace.root)
  const { rescued } = await workspace.call('git_rescue', { git_id, restore_refs: true })
  expect(rescued?.restored.map(({ ref }) => ref)).toEqual(['refs/heads/main', 'refs/heads/side'])
  expect([git('rev-parse', 'main'), git('stash', 'list', '--format=%H').split('\n')]).toEqual([main, stashes])
  expect(git('stash', 'list')).toContain('On main: stashed 2')
  expect(fs.readdirSync(workspace.root)).toEqual(files)
  expect((await workspace.call('git_rescue', { git_id })).rescued?.action).toBe('nothing')
  await workspace.call('git_rescue', { git_id: rescued?.backup_id ?? '', restore_refs: true })
  expect(git('rev-parse', 'main')).toBe(newer)
})

test('a branch that went on is no loss', async () => {
  const { workspace, git } = await newRepository()
  await keep(workspace)
  commit(workspace, git, 'third', { 'a.txt': 'three\n' })
  const { keeps } = await workspace.call('git_rescue')
  expect(keeps[0]?.lost).toMatchObject({ git_dir_gone: false, refs: [], stashes: [], commits: [] })
})

test('rm -rf .git and git init: what was lost comes into the new repository', async () => {
  const { workspace, git } = await newRepository()
  const log = git('log', '--format=%H', 'main')
  const { git_id } = await keep(workspace)
  fs.rmSync(workspace.at('.git'), { recursive: true })
  git('init', '-q')
  await workspace.call('git_rescue', { git_id, restore_refs: true })
  expect(git('log', '--format=%H', 'main')).toBe(log)
  expect(git('stash', 'list').split('\n').length).toBe(2)
  expect(git.fails('fsck', '--full')).toBe(false)
})

test('in the middle of a rebase and of a merge everything that is under way is kept', async () => {
  const { workspace, git } = await newRepository()
  git('commit', '-qm', 'staged')
  git('checkout', '-q', 'side')
  commit(workspace, git, 'clash', { 'staged.txt': 'another\n' })
  expect(git.fails('rebase', 'main')).toBe(true)
  const before = git('status')
  const { git_id } = await keep(workspace)
  fs.rmSync(workspace.at('.git'), { recursive: true })
  await workspace.call('git_rescue', { git_id })
  expect(git('status')).toBe(before)
  git('checkout', '--theirs', 'staged.txt')
  git('add', 'staged.txt')
  git('rebase', '--continue')
  expect(git('log', '-1', '--format=%s', 'side')).toBe('clash')
})

test('what is asked for must be there', async () => {
  const { workspace } = await newRepository()
  const outside = newWorkspace({ a: 'a' })
  await outside.call('workspace_init', { snapshot: false })
  expect(await outside.call('git_keep')).toMatchObject({ keep: null, created: false })
  expect((await outside.call('git_rescue')).keeps).toEqual([])
  await expect(workspace.call('git_rescue', { git_id: 'g_2020' })).rejects.toMatchObject({ code: 'GIT_KEEP_NOT_FOUND' })
  await expect(workspace.call('git_rescue', { restore_refs: true })).rejects.toMatchObject({ code: 'BAD_INPUT' })
  await workspace.call('config', { key: 'git.protect', value: 'false' })
  expect(await workspace.call('git_keep')).toMatchObject({ keep: null, created: false })
})
