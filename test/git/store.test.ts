import * as fs from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openApp } from '../../src/app/app.ts'
import { fromHex } from '../../src/host/hash.ts'
import { outdatedKeeps } from '../../src/timeline/retention/git-retention.ts'
import { run, runMeanwhile } from '../kit/process.ts'
import { untilStill } from '../kit/tick.ts'
import { type Workspace, whenPassing } from '../kit/workspace.ts'
import { inHouse, KEEP_NOTHING, packBytes, setConfig, type World } from '../kit/world.ts'
import { commit, type Git, keep, newRepository, seen } from './kit.ts'

const worldOf = ({ temp, home, root }: Workspace): World => ({ dir: temp, home, ws: root })

/** Counts the git processes that this process starts from now on. */
function countGit(workspace: Workspace): () => number {
  const dir = join(workspace.temp, 'bin')
  const log = join(workspace.temp, 'git.log')
  const before = process.env['PATH'] ?? ''
  const real = before
    .split(delimiter)
    .map((folder) => join(folder, 'git'))
    .find((file) => fs.existsSync(file))
  fs.mkdirSync(dir)
  fs.writeFileSync(join(dir, 'git'), `#!/bin/sh\necho x >> '${log}'\nexec '${real}' "$@"\n`, { mode: 0o755 })
  process.env['PATH'] = `${dir}${delimiter}${before}`
  onTestFinished(() => void (process.env['PATH'] = before))
  return () => (fs.existsSync(log) ? fs.readFileSync(log, 'utf8').split('\n').length - 1 : 0)
}

test('nothing changed: no git is run and nothing is stored', async () => {
  const { workspace, git } = await newRepository()
  const first = await keep(workspace)
  untilStill(workspace.root)
  await keep(workspace)
  const ran = countGit(workspace)
  const again = await keep(workspace)
  expect([again.created, again.git_id, ran()]).toEqual([false, first.git_id, 0])
  // The times of the index changed, what is staged did not.
  fs.utimesSync(workspace.at('a.txt'), new Date(), new Date())
  git('update-index', '-q', '--refresh')
  git('pack-refs', '--all')
  expect(await keep(workspace)).toMatchObject({ created: false, git_id: first.git_id })
  expect(ran()).toBeGreaterThan(0)
  git('update-ref', 'refs/heads/more', 'HEAD')
  expect((await keep(workspace)).created).toBe(true)
})

test.each([
  ['a commit', (git: Git) => void git('commit', '-qm', 'x')],
  ['a branch', (git: Git) => void git('branch', 'x')],
  ['a packed branch that goes', (git: Git) => void git('branch', '-D', 'side')],
  ['a dropped stash', (git: Git) => void git('stash', 'drop', '-q')],
  ['another HEAD', (git: Git) => void git('symbolic-ref', 'HEAD', 'refs/heads/side')],
  ['something staged', (git: Git) => void git('add', 'untracked.txt')],
  ['a setting', (git: Git) => void git('config', 'x.y', 'z')],
])('%s is noticed', async (_, change) => {
  const { workspace, git } = await newRepository()
  git('pack-refs', '--all')
  await keep(workspace)
  untilStill(workspace.root)
  await keep(workspace)
  change(git)
  expect((await keep(workspace)).created).toBe(true)
})

test('prune takes old keeps, gc leaves what the others need, and fsck --rebuild brings those back', async () => {
  const { workspace, git } = await newRepository()
  const world = worldOf(workspace)
  setConfig(world, KEEP_NOTHING)
  await workspace.snapshot()
  commit(workspace, git, 'doomed', { 'doomed.txt': 'only in the first keep\n' })
  const old = await keep(workspace)
  git('update-ref', '-d', 'refs/stash')
  git('reset', '-q', '--hard', 'HEAD~1')
  git('reflog', 'expire', '--expire=now', '--expire-unreachable=now', '--all')
  git('gc', '-q', '--prune=now')
  const young = await keep(workspace)
  await workspace.close()
  await inHouse(world, async (app, call) => {
    expect((await call('gc')).objects_removed).toBe(0)
    const record = app.records.gitKeeps.get(young.git_id)
    for (let i = 0; record && i < 19; i++)
      app.records.gitKeeps.add({ ...record, id: `g_copy_${i}`, created_at: record.created_at + i + 1 })
    await call('prune')
    expect(app.records.gitKeeps.get(old.git_id)).toBeUndefined()
    expect(app.records.gitKeeps.get(young.git_id)).toBeDefined()
    expect((await call('fsck')).ok).toBe(true)
  })
  for (const suffix of ['', '-wal', '-shm']) fs.rmSync(join(world.home, `timewarp.db${suffix}`), { force: true })
  expect((await workspace.tw(['fsck', '--rebuild', '--json'])).json.ok).toBe(true)
  const before = seen(git)
  fs.rmSync(workspace.at('.git'), { recursive: true })
  const { keeps } = await workspace.call('git_rescue')
  expect(keeps.map(({ git_id }) => git_id)).toEqual([young.git_id])
  await workspace.call('git_rescue', { git_id: young.git_id })
  expect(seen(git)).toEqual(before)
})

test('forgetting all of it leaves nothing of it in any pack', async () => {
  const { workspace, git } = await newRepository()
  const secret = 'token-4711-hunter2'
  fs.writeFileSync(workspace.at('.git/info/exclude'), `${secret}\n`)
  git('tag', '-am', secret, 'tagged')
  const kept = await keep(workspace)
  await workspace.snapshot()
  await workspace.close()
  expect(packBytes(workspace.home).includes(secret)).toBe(true)
  await expect(workspace.call('forget', { pattern: 'nothere', yes: true })).rejects.toMatchObject({
    hint: expect.stringContaining('git-rescue --forget-all'),
  })
  expect((await workspace.call('forget', { pattern: 'a.txt', yes: true })).warnings.join()).toContain(
    'git-rescue --forget-all',
  )
  const plan = await workspace.call('git_rescue', { forget_all: true, dry_run: true })
  expect([plan.forgotten, (await workspace.call('git_rescue')).total]).toEqual([[kept.git_id], 1])
  const { freed_bytes } = await workspace.call('git_rescue', { forget_all: true, yes: true })
  expect(freed_bytes).toBeGreaterThan(0)
  expect(packBytes(workspace.home).includes(secret)).toBe(false)
  expect((await workspace.call('git_rescue')).total).toBe(0)
  await workspace.close()
  expect((await workspace.tw(['fsck', '--rebuild', '--json'])).json.ok).toBe(true)
  expect((await workspace.call('git_rescue')).total).toBe(0)
})

test('what is not among the newest and not young goes', () => {
  const at = (n: number) => ({ id: `g_${n}`, created_at: 1_000_000_000_000 - n * 86_400_000 }) as never
  const keeps = Array.from({ length: 30 }, (_, n) => at(n))
  expect(outdatedKeeps(keeps, 0, 1_000_000_000_000).length).toBe(10)
  expect(outdatedKeeps(keeps, 25, 1_000_000_000_000)).toEqual(['g_26', 'g_27', 'g_28', 'g_29'])
})

test('of what was kept in passing before yesterday the last of each hour stays', () => {
  const NOW = 1_000_000_000_000 - (1_000_000_000_000 % 3_600_000)
  const at = (n: number, why: string) => ({ id: `g_${n}`, created_at: NOW - n * 600_000 - 1, why }) as never
  const keeps = (why: string) => Array.from({ length: 200 }, (_, n) => at(n, why))
  expect(outdatedKeeps(keeps('git rebase'), 90, NOW)).toEqual([])
  const gone = outdatedKeeps(keeps('on schedule'), 90, NOW)
  expect(gone.slice(0, 6)).toEqual(['g_145', 'g_146', 'g_147', 'g_148', 'g_149', 'g_151'])
  expect(gone).not.toContain('g_150')
})

test('damage in what is kept is found, and the next keep does not build on a record that is gone', async () => {
  const { workspace, git } = await newRepository()
  const kept = await keep(workspace)
  await workspace.close()
  await inHouse(worldOf(workspace), async (app, call) => {
    const tree = fromHex(app.records.gitKeeps.get(kept.git_id)?.tree ?? '')
    app.store.index.drop(tree)
    const { ok, problems } = await call('fsck')
    expect([ok, problems[0].snapshots]).toEqual([false, [kept.git_id]])
  })
  commit(workspace, git, 'next', { 'a.txt': 'next\n' })
  const next = await keep(workspace)
  const before = seen(git)
  fs.rmSync(workspace.at('.git'), { recursive: true })
  await workspace.call('git_rescue', { git_id: next.git_id })
  expect(seen(git)).toEqual(before)
})

test('git at work while it is kept: all is looked at again', async () => {
  const { workspace, git } = await newRepository()
  whenPassing('git:packed', () => commit(workspace, git, 'meanwhile', { 'a.txt': 'meanwhile\n' }))
  const kept = await keep(workspace)
  expect(kept.head).toBe(git('rev-parse', 'HEAD'))
  fs.rmSync(workspace.at('.git'), { recursive: true })
  await workspace.call('git_rescue', { git_id: kept.git_id })
  expect(git.fails('fsck', '--full')).toBe(false)
})

test('a collection while it is kept takes nothing away that is needed', async () => {
  const { workspace, git } = await newRepository()
  const first = await keep(workspace)
  commit(workspace, git, 'next', { 'a.txt': 'next\n' })
  const world = worldOf(workspace)
  whenPassing('git:packed', () => {
    const app = openApp({ home: world.home })
    app.records.gitKeeps.remove(first.git_id)
    app.close()
    runMeanwhile(world, [['gc', {}]])
  })
  const kept = await keep(workspace)
  fs.rmSync(workspace.at('.git'), { recursive: true })
  await workspace.call('git_rescue', { git_id: kept.git_id })
  expect(git.fails('fsck', '--full')).toBe(false)
})

test('killed at every step of keeping and of rebuilding', async () => {
  const { workspace, git } = await newRepository()
  const world = worldOf(workspace)
  const before = seen(git)
  await workspace.close()
  let steps = 0
  for (let n = 1; ; n++) {
    const { killed, answers } = await run(world, [['git_keep', { why: `try ${n}` }]], `*:${n}`)
    if (!killed) {
      expect(answers[0].keep).not.toBeNull()
      break
    }
    steps++
    await inHouse(world, async (_, call) => expect((await call('fsck')).ok).toBe(true))
    fs.rmSync(world.home, { recursive: true })
    await inHouse(world, (_, call) => call('workspace_init', { snapshot: false }))
  }
  expect(steps).toBeGreaterThan(4)
  for (let n = 1; ; n++) {
    fs.rmSync(workspace.at('.git'), { recursive: true, force: true })
    const { killed } = await run(world, [['git_rescue', { git_id: 'latest' }]], `*:${n}`)
    if (!killed) break
    expect(workspace.has('.git')).toBe(false)
    expect(n).toBeLessThan(10)
  }
  expect(seen(git)).toEqual(before)
  expect(fs.readdirSync(workspace.root).filter((name) => name.startsWith('.timewarp-tmp'))).toEqual([])
})

test('several processes keep at once and agree on one', async () => {
  const { workspace } = await newRepository()
  const world = worldOf(workspace)
  await workspace.close()
  const ended = await Promise.all([1, 2, 3].map((n) => run(world, [['git_keep', { why: `by ${n}` }]])))
  expect(new Set(ended.map(({ answers }) => answers[0].keep.git_id)).size).toBe(1)
  expect(ended.filter(({ answers }) => answers[0].created).length).toBe(1)
})
