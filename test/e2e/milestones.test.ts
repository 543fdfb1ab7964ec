import * as fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newWorkspace, type Workspace } from '../kit/workspace.ts'

async function write(workspace: Workspace, path: string, content: string | Uint8Array, description?: string) {
  if (typeof content === 'string') {
    const done = await workspace.call('apply_whole_file_edit', {
      path,
      content,
      ...(description === undefined ? {} : { description }),
    })
    return done.snapshot_id ?? ''
  }
  workspace.write({ [path]: content })
  return workspace.snapshot(description)
}

test('the diff of one snapshot is what it changed, in each format', async () => {
  const workspace = newWorkspace({ 'a.txt': 'one\n', 'b.txt': 'b\n' })
  const first = await workspace.snapshot()
  const id = await write(workspace, 'a.txt', 'two\n', 'Change a')
  await write(workspace, 'b.txt', 'later\n')
  const unified = await workspace.call('read_snapshot_diff', { snapshot_id: id })
  expect(unified).toMatchObject({
    diff: '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n',
    base: first,
    snapshot: {
      id,
      snapshot_id: id,
      description: 'Change a',
      tool: 'apply_whole_file_edit',
      affected_files: ['a.txt'],
    },
  })
  const git = await workspace.call('read_snapshot_diff', { snapshot_id: id, format: 'git' })
  expect(git.diff).toContain('diff --git a/a.txt b/a.txt')
  const context = await workspace.call('read_snapshot_diff', { snapshot_id: id, format: 'context' })
  expect(context.diff).toContain('*** 1 ****')
  const whole = await workspace.call('read_snapshot_diff', { snapshot_id: first })
  expect(whole).toMatchObject({ base: null, snapshot: { affected_files: ['a.txt', 'b.txt'] } })
})

test('a diff that is not UTF-8 comes as bytes, from every tool that gives one', async () => {
  const workspace = newWorkspace({ 'a.txt': 'one\n' })
  await workspace.snapshot()
  const id = await write(workspace, 'a.txt', Buffer.from('caf\xe9\n', 'latin1'))
  const { diff, diff_base64 } = await workspace.call('read_snapshot_diff', { snapshot_id: id })
  expect(diff).toBe('')
  expect(Buffer.from(diff_base64 ?? '', 'base64').toString('latin1')).toContain('+caf\xe9\n')
  const { snapshots } = await workspace.call('get_edit_history', { limit: 1, include_diffs: true })
  expect(Buffer.from(snapshots[0]?.diff_base64 ?? '', 'base64').toString('latin1')).toContain('+caf\xe9\n')
})

test('the history tells what a tool was called with and how many lines it changed', async () => {
  const workspace = newWorkspace({ 'src/a.ts': 'one\ntwo\n' })
  await workspace.snapshot()
  await write(workspace, 'src/a.ts', 'one\n2\nthree\n')
  await workspace.call('create_directory', { path: 'empty' })
  const { snapshots } = await workspace.call('get_edit_history', {})
  expect(snapshots.map(({ metadata }) => metadata.lines_changed)).toEqual([0, 3, null])
  expect(snapshots[1]).toMatchObject({ tool_params: [{ op: 'whole', path: 'src/a.ts' }] })
  expect(snapshots[1]?.metadata.execution_time_ms).toBeGreaterThanOrEqual(0)
  const only = await workspace.call('get_edit_history', { tool_filter: ['create_directory'] })
  expect(only.snapshots.map(({ tool }) => tool)).toEqual(['create_directory'])
})

test('the history comes at once and in any case: what is too much, or damaged, is not counted', async () => {
  const workspace = newWorkspace({ 'big.txt': 'x\n'.repeat(600_000), 'a.txt': 'a\n' })
  await workspace.snapshot()
  // By hand: a tool counts its own lines while it makes them.
  fs.rmSync(workspace.at('big.txt'))
  await workspace.snapshot()
  workspace.write({ 'a.txt': 'b\n' })
  await workspace.snapshot()
  const counted = async () =>
    (await workspace.call('get_edit_history', { limit: 2 })).snapshots.map(({ metadata }) => metadata.lines_changed)
  expect(await counted()).toEqual([2, null])
  await workspace.close()
  damagePacks(workspace)
  expect(await counted()).toEqual([null, null])
})

/** Zeroes in the middle of every pack. */
function damagePacks({ home }: Workspace): void {
  for (const name of fs.readdirSync(join(home, 'objects'))) {
    const pack = fs.readFileSync(join(home, 'objects', name))
    fs.writeFileSync(join(home, 'objects', name), pack.fill(0, 64))
  }
}

async function faultOf(act: Promise<unknown>): Promise<string> {
  try {
    await act
  } catch (error) {
    return (error as { code: string }).code
  }
  return 'none'
}

test('a milestone sums up its snapshots, and only the files they changed', async () => {
  const workspace = newWorkspace({ 'a.txt': 'one\n', 'b.txt': 'b\n', 'other.txt': 'x\n' })
  await workspace.snapshot()
  const first = await write(workspace, 'a.txt', 'one\ntwo\n')
  await write(workspace, 'other.txt', 'of somebody else\n')
  const second = await write(workspace, 'src/new.ts', 'new\n')
  const made = await workspace.call('create_milestone', {
    title: '完成用户认证功能',
    description: 'Log in',
    snapshot_ids: [second, first, first],
    tags: ['feature', 'auth', 'feature'],
  })
  expect(made).toMatchObject({
    milestone_id: expect.stringMatching(/^m_\d{8}_\d{6}_[0-9a-z]{6}$/),
    origin: 'manual',
    tags: ['feature', 'auth'],
    snapshot_ids: [first, second],
    summary: { total_operations: 2, affected_files: ['a.txt', 'src/new.ts'], lines_added: 2, lines_removed: 0 },
  })
  expect(made.combined_diff).toBeUndefined()
  const shown = await workspace.call('show_milestone', { milestone_id: made.milestone_id })
  expect(shown.operations.map(({ snapshot_id, tool }) => [snapshot_id, tool])).toEqual([
    [first, 'apply_whole_file_edit'],
    [second, 'apply_whole_file_edit'],
  ])
  expect(shown.combined_diff).toContain('+two\n')
  expect(shown.combined_diff).toContain('b/src/new.ts')
  expect(shown.combined_diff).not.toContain('other.txt')
})

test('milestones are listed with their diffs and found by tags, which can change', async () => {
  const workspace = newWorkspace({ 'a.txt': 'a\n' })
  await workspace.snapshot()
  await write(workspace, 'a.txt', 'b\n')
  const one = await workspace.call('create_milestone', { title: 'One', tags: ['x', 'y'] })
  await write(workspace, 'a.txt', 'c\n')
  const two = await workspace.call('create_milestone', { title: 'Two', tags: ['x'] })
  expect(one.snapshot_ids).not.toContain(two.snapshot_ids[0])
  expect(await faultOf(workspace.call('create_milestone', { title: 'Three' }))).toBe('MILESTONE_EMPTY')
  const titles = async (tags: string[]) =>
    (await workspace.call('get_milestones', { tags })).milestones.map(({ title }) => title)
  expect(await titles([])).toEqual(['One', 'Two'])
  expect(await titles(['x', 'y'])).toEqual(['One'])
  const changed = await workspace.call('tag_milestone', { milestone_id: one.id, add: ['z'], remove: ['y'] })
  expect(changed).toEqual({ milestone_id: one.id, tags: ['x', 'z'], before: ['x', 'y'] })
  expect(await titles(['y'])).toEqual([])
  const { milestones } = await workspace.call('get_milestones', { include_diffs: true })
  expect(milestones.map(({ combined_diff }) => combined_diff?.includes('-b\n+c\n'))).toEqual([false, true])
  await workspace.call('delete_milestone', { milestone_id: two.id })
  expect(await titles([])).toEqual(['One'])
  expect(await faultOf(workspace.call('show_milestone', { milestone_id: two.id }))).toBe('MILESTONE_NOT_FOUND')
})

test('a whole milestone is taken back, and later work stays', async () => {
  const workspace = newWorkspace({ 'a.txt': 'one\ntwo\nthree\nfour\nfive\nsix\n', 'b.txt': 'b\n' })
  await workspace.snapshot()
  const edit = (path: string, search_block: string, replace_block: string) =>
    workspace.call('apply_edit_block', { path, search_block, replace_block })
  await edit('a.txt', 'one', '1')
  await edit('b.txt', 'b', 'B')
  const { milestone_id } = await workspace.call('create_milestone', { title: 'Capitals' })
  await edit('a.txt', 'six', '6')
  const done = await workspace.call('reverse_op', { snapshot_id: milestone_id })
  expect(done).toMatchObject({ conflicts: [], affected_files: ['a.txt', 'b.txt'] })
  expect(workspace.read('a.txt')).toBe('one\ntwo\nthree\nfour\nfive\n6\n')
  expect(workspace.read('b.txt')).toBe('b\n')
  expect(await faultOf(workspace.call('reverse_op', { snapshot_id: 'm_nothing' }))).toBe('MILESTONE_NOT_FOUND')
})

test('retention never takes a member of a milestone or its base, and says why', async () => {
  const workspace = newWorkspace({ 'a.txt': '0' })
  const ids = [await workspace.snapshot()]
  for (const n of ['1', '2', '3', '4']) ids.push(await write(workspace, 'a.txt', n))
  const { milestone_id } = await workspace.call('create_milestone', { title: 'Two', snapshot_ids: [ids[2] ?? ''] })
  workspace.write({
    '.timewarp/config.json': JSON.stringify({ retention: { mode: 'issues', undo_steps: 0, max_snapshots: 1 } }),
  })
  workspace.trust()
  const { kept } = await workspace.call('prune')
  const reason = `needed by milestone ${milestone_id}`
  expect(kept.filter((one) => one.reason === reason).map(({ snapshot_id }) => snapshot_id)).toEqual([ids[1], ids[2]])
  expect(kept.map(({ snapshot_id }) => snapshot_id)).toEqual([ids[1], ids[2], ids[4]])
  const shown = await workspace.call('show_milestone', { milestone_id })
  expect(shown.combined_diff).toContain('-1')
  expect(await faultOf(workspace.call('create_milestone', { title: 'Gone', snapshot_ids: [ids[3] ?? ''] }))).toBe(
    'SNAPSHOT_DROPPED',
  )
  await workspace.call('delete_milestone', { milestone_id })
  expect((await workspace.call('prune')).kept).toHaveLength(1)
})

test('the packs alone bring milestones back, with their newest tags and without those removed', async () => {
  const workspace = newWorkspace({ 'a.txt': 'a\n' })
  await workspace.snapshot()
  await write(workspace, 'a.txt', 'b\n')
  const { milestone_id } = await workspace.call('create_milestone', { title: 'Kept' })
  await workspace.call('tag_milestone', { milestone_id, add: ['later'] })
  await write(workspace, 'a.txt', 'c\n')
  const gone = await workspace.call('create_milestone', { title: 'Removed' })
  await workspace.call('delete_milestone', { milestone_id: gone.id })
  await workspace.call('gc')
  const before = await workspace.call('get_milestones', { include_diffs: true })
  expect(await workspace.call('fsck', { rebuild: true })).toMatchObject({ ok: true })
  expect(await workspace.call('get_milestones', { include_diffs: true })).toEqual(before)
  expect(before.milestones).toMatchObject([{ title: 'Kept', tags: ['later'] }])
})

test('milestones are proposed by rule, and made only when asked', async () => {
  const workspace = newWorkspace({ 'a.txt': 'a\n' })
  await workspace.snapshot()
  const first = await write(workspace, 'src/a.ts', '1\n')
  const second = await write(workspace, 'src/a.ts', '2\n', 'Log in; all tests passed')
  await write(workspace, 'src/a.ts', '3\n')
  const proposal = {
    rule: 'tests_passed',
    title: 'Log in; all tests passed',
    snapshot_ids: [first, second],
    affected_files: ['src/a.ts'],
  }
  expect((await workspace.call('detect_milestones')).proposals).toMatchObject([{ ...proposal, milestone_id: null }])
  expect((await workspace.call('get_milestones')).milestones).toEqual([])
  const { proposals } = await workspace.call('detect_milestones', { create: true })
  expect(proposals).toMatchObject([proposal])
  expect((await workspace.call('get_milestones')).milestones).toMatchObject([
    { id: proposals[0]?.milestone_id, origin: 'tests_passed', summary: { affected_files: ['src/a.ts'] } },
  ])
  expect((await workspace.call('detect_milestones', { create: true })).proposals).toEqual([])
})

test('on the command line: make, list, show, and the names of the seed', async () => {
  const workspace = newWorkspace({ 'a.txt': 'a\n' })
  await workspace.tw(['init'])
  await workspace.tw(['write', 'a.txt', 'b\n'])
  const made = await workspace.tw(['milestone', 'It works', '--tags', 'feature'])
  expect(made.stdout).toMatch(
    /^📍 Milestone: It works #feature\n {3}- 1 operation, 1 file changed\n {3}- 1 line added, 1 line removed\n/,
  )
  const { json } = await workspace.tw(['--json', 'call', 'GetMilestones', '{"includeDiffs":true,"tags":["feature"]}'])
  expect(json.milestones).toMatchObject([{ title: 'It works', combined_diff: expect.stringContaining('+b') }])
  const shown = await workspace.tw(['show-milestone', json.milestones[0].id])
  expect(shown.stdout).toContain('-a\n+b\n')
  const alias = await workspace.tw(['--json', 'call', 'ReadSnapshotDiff', '{"snapshotId":"latest","format":"context"}'])
  expect(alias.json.diff).toContain('! b\n')
})
