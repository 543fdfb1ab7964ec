import * as fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Workspace } from '../kit/workspace.ts'
import { seeded } from '../kit/world.ts'
import { commit, type Git, gitIn, keep, newRepository, seen } from './kit.ts'

const random = (bytes: number, seed: number): Buffer => {
  const next = seeded(seed)
  return Buffer.from(Uint8Array.from({ length: bytes }, () => next() * 256))
}

/** A repository with half a megabyte of history, all of it pushed to a bare one beside it. */
async function pushed(): Promise<{ workspace: Workspace; git: Git; bare: string }> {
  const { workspace, git } = await newRepository()
  const bare = join(workspace.temp, 'bare.git')
  fs.writeFileSync(workspace.at('big.bin'), random(500_000, 1))
  git('add', '.')
  git('commit', '-qm', 'big')
  git('init', '-q', '--bare', bare)
  git('remote', 'add', 'origin', bare)
  git('push', '-q', 'origin', 'main', 'side', 'v1')
  return { workspace, git, bare }
}

const packBytes = (home: string): number => {
  const dir = join(home, 'objects')
  return fs.readdirSync(dir).reduce((sum, name) => sum + fs.statSync(join(dir, name)).size, 0)
}

test('only what was not pushed is stored; after a rescue a fetch brings the rest', async () => {
  const { workspace, git } = await pushed()
  const unpushed = commit(workspace, git, 'unpushed', { 'a.txt': 'mine\n' })
  const before = seen(git)
  const kept = await keep(workspace)
  expect(kept.bytes).toBeLessThan(4000)
  await workspace.close()
  expect(packBytes(workspace.home)).toBeLessThan(60_000)
  fs.rmSync(workspace.at('.git'), { recursive: true })
  const { rescued } = await workspace.call('git_rescue', { git_id: 'latest' })
  expect(rescued).toMatchObject({ action: 'rebuilt', complete: false })
  expect(rescued?.needs_fetch.map(({ ref }) => ref)).toContain('refs/remotes/origin/main')
  expect(git('cat-file', '-t', unpushed)).toBe('commit')
  git('fetch', '-q', '--all')
  expect(git.fails('fsck', '--full')).toBe(false)
  expect(seen(git)).toEqual(before)
})

test('what a remote loses by a forced push is stored the next time', async () => {
  const { workspace, git, bare } = await pushed()
  commit(workspace, git, 'local', { 'b.txt': 'b\n' })
  const small = await keep(workspace)
  const lost = git('rev-parse', 'origin/main')
  git('push', '-q', '--force', 'origin', 'HEAD~3:main')
  gitIn(workspace, bare)('gc', '-q', '--prune=now')
  const large = await keep(workspace)
  expect([small.bytes < 4000, large.bytes > 500_000]).toEqual([true, true])
  fs.rmSync(workspace.at('.git'), { recursive: true })
  await workspace.call('git_rescue', { git_id: 'latest' })
  git('fetch', '-q', '--all')
  expect(git('cat-file', '-t', lost)).toBe('commit')
  expect(git.fails('fsck', '--full')).toBe(false)
})

test('without a remote everything is stored once, and then what is new', async () => {
  const { workspace, git } = await newRepository()
  fs.writeFileSync(workspace.at('big.bin'), random(500_000, 2))
  git('add', '.')
  git('commit', '-qm', 'big')
  const first = await keep(workspace)
  expect(first.bytes).toBeGreaterThan(500_000)
  for (let i = 0; i < 3; i++) {
    commit(workspace, git, `more ${i}`, { 'a.txt': `${i}\n` })
    git('commit', '-q', '--amend', '-m', `amended ${i}`)
    const next = await keep(workspace)
    expect(next.stored_bytes).toBeLessThan(20_000)
    expect(next.bytes).toBeGreaterThan(first.bytes)
  }
  const before = seen(git)
  fs.rmSync(workspace.at('.git'), { recursive: true })
  await workspace.call('git_rescue', { git_id: 'latest' })
  expect(git.fails('fsck', '--full')).toBe(false)
  expect(seen(git)).toEqual(before)
})

test('shallow and partial clones are kept without asking the remote', async () => {
  const { workspace, bare } = await pushed()
  gitIn(workspace, bare)('config', 'uploadpack.allowFilter', 'true')
  for (const how of ['--depth=1', '--filter=blob:none']) {
    const clone = join(workspace.temp, `clone${how}`)
    const url = `file://${bare}`
    gitIn(workspace, workspace.temp)('clone', '-q', how, '--no-checkout', url, clone)
    const git = gitIn(workspace, clone)
    git('config', 'user.name', 'Ann')
    git('config', 'user.email', 'ann@example.com')
    const blob = git('commit-tree', '-m', 'mine', '-p', 'HEAD', 'HEAD^{tree}')
    git('update-ref', 'refs/heads/mine', blob)
    await workspace.call('workspace_init', { workspace: clone, snapshot: false })
    fs.renameSync(bare, `${bare}-away`)
    const { keep: kept } = await workspace.call('git_keep', { workspace: clone })
    fs.renameSync(`${bare}-away`, bare)
    expect(kept?.problems).toEqual([])
    expect(kept?.bytes).toBeLessThan(4000)
    const before = git('for-each-ref')
    fs.rmSync(join(clone, '.git'), { recursive: true })
    await workspace.call('git_rescue', { workspace: clone, git_id: 'latest' })
    git('fetch', '-q', '--all')
    expect(git('for-each-ref')).toBe(before)
    expect(git('log', '-1', '--format=%s', 'mine')).toBe('mine')
    expect(git.fails('fsck', '--full')).toBe(false)
  }
})

test('objects borrowed from another repository are stored as well', async () => {
  const { workspace, git } = await newRepository()
  const clone = join(workspace.temp, 'borrower')
  git('clone', '-q', '--shared', workspace.root, clone)
  const borrower = gitIn(workspace, clone)
  borrower('checkout', '-q', '-b', 'side', 'origin/side')
  borrower('remote', 'remove', 'origin')
  const before = borrower('log', '--all', '--format=%H')
  await workspace.call('workspace_init', { workspace: clone, snapshot: false })
  await workspace.call('git_keep', { workspace: clone })
  fs.rmSync(join(clone, '.git'), { recursive: true })
  fs.rmSync(workspace.at('.git'), { recursive: true })
  await workspace.call('git_rescue', { workspace: clone, git_id: 'latest' })
  expect(borrower('log', '--all', '--format=%H')).toBe(before)
})

test('more than git.max_bytes: the refs are kept and it is said; what comes after is kept', async () => {
  const { workspace, git } = await newRepository()
  fs.writeFileSync(workspace.at('big.bin'), random(500_000, 3))
  git('add', '.')
  git('commit', '-qm', 'big')
  await workspace.call('config', { key: 'git.max_bytes', value: '100000' })
  const first = await keep(workspace)
  expect(first.problems[0]).toContain('git.max_bytes')
  expect([first.bytes, first.refs, first.stored_bytes < 60_000]).toEqual([0, 4, true])
  const later = commit(workspace, git, 'later', { 'a.txt': 'later\n' })
  const second = await keep(workspace)
  expect(second).toMatchObject({ created: true, problems: [expect.stringContaining('git.max_bytes')] })
  git('reset', '-q', '--hard', 'HEAD~1')
  git('reflog', 'expire', '--expire=now', '--expire-unreachable=now', '--all')
  git('gc', '-q', '--prune=now')
  expect(git.fails('cat-file', '-e', later)).toBe(true)
  const { rescued } = await workspace.call('git_rescue', { git_id: second.git_id })
  expect(rescued).toMatchObject({ action: 'refs', complete: false })
  expect(rescued?.unavailable.length).toBeGreaterThan(0)
  expect(git('log', '-1', '--format=%H', `refs/timewarp/rescue/${second.git_id}/heads/main`)).toBe(later)
})
