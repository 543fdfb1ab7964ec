import * as fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newWorkspace } from '../kit/workspace.ts'
import { commit, frozen, gitIn, keep, newRepository, seen } from './kit.ts'

test('rm -rf .git, and everything is back: commits, stashes, index, reflogs, settings', async () => {
  const { workspace, git } = await newRepository()
  fs.writeFileSync(workspace.at('.git/hooks/pre-commit'), '#!/bin/sh\nexit 0\n', { mode: 0o755 })
  fs.writeFileSync(workspace.at('.git/info/exclude'), 'untracked.txt\n')
  git('config', 'alias.st', 'status')
  const before = seen(git)
  const untouched = frozen(workspace.at('.git'))
  const kept = await keep(workspace)
  expect(frozen(workspace.at('.git'))).toEqual(untouched)
  expect(kept).toMatchObject({
    created: true,
    branch: 'main',
    stashes: 2,
    problems: [],
    head: git('rev-parse', 'HEAD'),
  })
  fs.rmSync(workspace.at('.git'), { recursive: true })

  const { keeps } = await workspace.call('git_rescue')
  expect(keeps[0]?.lost).toMatchObject({ git_dir_gone: true })
  const plan = await workspace.call('git_rescue', { git_id: kept.git_id, dry_run: true })
  expect([plan.rescued?.action, workspace.has('.git')]).toEqual(['rebuilt', false])
  const { rescued } = await workspace.call('git_rescue', { git_id: 'latest' })

  expect(rescued).toMatchObject({ action: 'rebuilt', complete: true, needs_fetch: [] })
  expect(git('fsck', '--full', '--strict')).not.toContain('error')
  expect(seen(git)).toEqual(before)
  expect(fs.statSync(workspace.at('.git/hooks/pre-commit')).mode & 0o777).toBe(0o755)
  expect(git('stash', 'show', '-p', 'stash@{1}')).toContain('+stashed 1')
  expect(fs.readdirSync(workspace.root).filter((name) => name.startsWith('.timewarp-tmp'))).toEqual([])
  git('commit', '-qm', 'goes on')
  const again = await workspace.call('git_rescue', { git_id: kept.git_id })
  expect(again.rescued?.action).toBe('nothing')
})

test('the whole workspace is removed: files and git come back together', async () => {
  const { workspace, git } = await newRepository()
  const snapshot = await workspace.snapshot()
  const before = seen(git)
  await keep(workspace)
  fs.rmSync(workspace.root, { recursive: true })
  await workspace.call('git_rescue', { git_id: 'latest', workspace: workspace.root })
  await workspace.call('restore', { snapshot_id: snapshot, workspace: workspace.root })
  expect(seen(git)).toEqual(before)
})

test('an empty repository, a detached HEAD and one of SHA-256 are kept and rebuilt', async () => {
  const empty = newWorkspace({ 'a.txt': 'a\n' })
  const git = gitIn(empty)
  git('init', '-q')
  git('add', 'a.txt')
  await empty.call('workspace_init', { snapshot: false })
  const before = seen(git)
  expect(await keep(empty)).toMatchObject({ refs: 0, head: null, branch: 'main', problems: [] })
  fs.rmSync(empty.at('.git'), { recursive: true })
  await empty.call('git_rescue', { git_id: 'latest' })
  expect(seen(git)).toEqual(before)
  expect(git('show', ':a.txt')).toBe('a')

  const { workspace, git: git256 } = await newRepository(['--object-format=sha256'])
  git256('checkout', '-q', '--detach')
  const only = commit(workspace, git256, 'on no branch', { 'x.txt': 'x\n' })
  const then = seen(git256)
  expect(await keep(workspace)).toMatchObject({ head: only, branch: null })
  fs.rmSync(workspace.at('.git'), { recursive: true })
  await workspace.call('git_rescue', { git_id: 'latest' })
  expect(seen(git256)).toEqual(then)
  expect(git256.fails('fsck', '--full')).toBe(false)
})

test('names of refs that are nasty or not UTF-8 come back as they were', async () => {
  const { workspace, git } = await newRepository()
  const names = ['we$ird\'"name', 'ü/ö/$&', 'deep/a/b/c/d', '"quoted"', 'a;b&c|d']
  for (const name of names) git('branch', name)
  const head = git('rev-parse', 'HEAD')
  const raw = Buffer.concat([Buffer.from(`${workspace.at('.git/refs/heads')}/caf`), Buffer.from([0xe9])])
  fs.writeFileSync(raw, `${head}\n`)
  const before = git.bytes('for-each-ref')
  const { git_id } = await keep(workspace)
  fs.rmSync(workspace.at('.git'), { recursive: true })
  await workspace.call('git_rescue', { git_id })
  expect(git.bytes('for-each-ref')).toEqual(before)
  for (const name of names) git('branch', '-D', name)
  fs.rmSync(raw)
  const { keeps } = await workspace.call('git_rescue', {})
  expect(keeps[0]?.lost?.refs.map(({ ref }) => ref)).toContain('"refs/heads/caf\\351"')
  await workspace.call('git_rescue', { git_id, restore_refs: true })
  expect(git.bytes('for-each-ref', 'refs/heads')).toEqual(
    Buffer.from(
      before
        .toString('latin1')
        .split('\n')
        .filter((line) => line.includes('refs/heads/'))
        .join('\n') + '\n',
      'latin1',
    ),
  )
})

test('a linked work tree: refs of the whole repository, and its own file .git comes back', async () => {
  const { workspace, git } = await newRepository()
  const tree = join(workspace.temp, 'tree')
  git('worktree', 'add', '-q', tree, 'side')
  const linked = gitIn(workspace, tree)
  fs.writeFileSync(join(tree, 'side.txt'), 'staged there\n')
  linked('add', 'side.txt')
  await workspace.call('workspace_init', { workspace: tree, snapshot: false })
  const before = seen(linked)
  const { keep: kept } = await workspace.call('git_keep', { workspace: tree })
  expect(kept).toMatchObject({ branch: 'side', problems: [] })
  fs.rmSync(join(tree, '.git'))
  linked.fails('status')
  const { rescued } = await workspace.call('git_rescue', { workspace: tree, git_id: 'latest' })
  expect(rescued).toMatchObject({ action: 'rebuilt', git_dir: join(tree, '.git') })
  expect(seen(linked)).toEqual(before)

  await keep(workspace)
  fs.rmSync(workspace.at('.git'), { recursive: true })
  await expect(workspace.call('git_rescue', { workspace: tree, git_id: 'latest' })).rejects.toMatchObject({
    code: 'GIT_RESCUE_REFUSED',
  })
  await workspace.call('git_rescue', { git_id: 'latest' })
  expect(seen(linked)).toEqual(before)
  expect(linked('diff', '--cached')).toContain('+staged there')
})

test('into another folder', async () => {
  const { workspace, git } = await newRepository()
  const { git_id } = await keep(workspace)
  const into = join(workspace.temp, 'elsewhere')
  await workspace.call('git_rescue', { git_id, into })
  const there = gitIn(workspace, into)
  expect(there('log', '--all', '--format=%H')).toBe(git('log', '--all', '--format=%H'))
  await expect(workspace.call('git_rescue', { git_id, into })).rejects.toMatchObject({ code: 'GIT_RESCUE_REFUSED' })
})

test('submodules are kept with their own commits', async () => {
  const library = newWorkspace({ 'lib.txt': 'lib\n' })
  const libGit = gitIn(library)
  libGit('init', '-q')
  libGit('add', '.')
  libGit('commit', '-qm', 'library')
  const { workspace, git } = await newRepository()
  git('submodule', '--quiet', 'add', library.root, 'sub/mod')
  git('commit', '-qm', 'with a submodule')
  const sub = gitIn(workspace, workspace.at('sub/mod'))
  fs.writeFileSync(workspace.at('sub/mod/lib.txt'), 'changed\n')
  sub('commit', '-qam', 'only here')
  const [before, inside] = [seen(git), sub('log', '--format=%H')]
  expect(await keep(workspace)).toMatchObject({ submodules: 1, problems: [] })
  fs.rmSync(workspace.at('.git'), { recursive: true })
  await workspace.call('git_rescue', { git_id: 'latest' })
  sub('fetch', '-q')
  expect([seen(git), sub('log', '--format=%H')]).toEqual([before, inside])
  expect(sub.fails('fsck', '--full')).toBe(false)
})
