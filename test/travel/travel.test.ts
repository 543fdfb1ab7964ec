import * as fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { answerOf, newWorkspace, untilSays, type Workspace, whenPassing } from '../kit/workspace.ts'
import { stateOf } from '../kit/world.ts'

async function faultOf(act: Promise<unknown>): Promise<{ code: string; kind?: string; data?: unknown }> {
  try {
    await act
  } catch (error) {
    return error as { code: string }
  }
  return { code: 'none' }
}

/** A workspace with a past and a present that differ. */
async function twoMoments(): Promise<{ workspace: Workspace; past: string }> {
  const workspace = newWorkspace({ 'a.txt': 'then\n', 'same.txt': 'same\n', 'gone.txt': 'then only\n' })
  const past = await workspace.snapshot('then')
  workspace.write({ 'a.txt': 'now\n', 'new.txt': 'now only\n' })
  fs.rmSync(workspace.at('gone.txt'))
  return { workspace, past }
}

test('only from the present to a snapshot that is there, and only from the past home', async () => {
  const { workspace, past } = await twoMoments()
  expect((await faultOf(workspace.call('timewarp_return'))).code).toBe('NOT_IN_PAST')
  expect((await faultOf(workspace.call('timewarp_travel', {}))).code).toBe('BAD_INPUT')
  for (const snapshot_id of ['s_20260228_153012_ab12cd', 'nonsense', '../x'])
    expect((await faultOf(workspace.call('timewarp_travel', { snapshot_id }))).code).toBe('SNAPSHOT_NOT_FOUND')
  await workspace.call('timewarp_travel', { snapshot_id: past })
  expect(await faultOf(workspace.call('timewarp_travel', { snapshot_id: past }))).toMatchObject({
    code: 'ALREADY_IN_PAST',
    data: { snapshot_id: past },
  })
  expect(workspace.read('a.txt')).toBe('then\n')
  await workspace.call('timewarp_return')
  expect((await faultOf(workspace.call('timewarp_return'))).code).toBe('NOT_IN_PAST')
})

test('of two processes that travel at once one wins, and the other is told that the workspace is busy', async () => {
  const { workspace, past } = await twoMoments()
  const input = JSON.stringify({ snapshot_id: past })
  const first = workspace.startChild('paused', [
    workspace.home,
    workspace.root,
    'restore:journal',
    'timewarp_travel',
    input,
  ])
  await untilSays(first, 'paused')
  const second = await workspace.tw(['--json', 'travel', past])
  expect([second.exit, second.json.error.code]).toEqual([5, 'WORKSPACE_BUSY'])
  first.stdin?.write('\n')
  await answerOf(first)
  expect(await workspace.call('status')).toMatchObject({ mode: 'past' })
  expect((await workspace.call('timewarp_return')).verified).toBe(true)
})

test('work in the past is captured, edited and restored as usual, and kept apart', async () => {
  const { workspace, past } = await twoMoments()
  const before = stateOf(workspace.root)
  await workspace.call('timewarp_travel', { snapshot_id: past })
  await workspace.call('apply_whole_file_edit', { path: 'a.txt', content: 'tried\n' })
  const tried = await workspace.snapshot('tried')
  workspace.write({ 'a.txt': 'tried again\n', 'more/x.txt': 'x' })
  await workspace.restore(tried)
  expect(workspace.read('a.txt')).toBe('tried\n')
  await workspace.call('undo')
  expect(workspace.read('a.txt')).toBe('tried again\n')
  const home = await workspace.call('timewarp_return')
  expect(home.changed.sort()).toEqual(['a.txt', 'more/x.txt'])
  expect(stateOf(workspace.root)).toEqual(before)
  const there = await workspace.call('show', { snapshot_id: home.experiment_id })
  expect(there).toMatchObject({ label: 'experiment', source: 'travel' })
})

test('undo does not go through time: the steps in the past end where it began, and are forgotten at home', async () => {
  const { workspace, past } = await twoMoments()
  await workspace.call('timewarp_travel', { snapshot_id: past })
  expect((await faultOf(workspace.call('undo'))).code).toBe('NOTHING_TO_UNDO')
  await workspace.call('apply_whole_file_edit', { path: 'a.txt', content: 'tried\n' })
  await workspace.call('undo')
  expect(workspace.read('a.txt')).toBe('then\n')
  expect((await faultOf(workspace.call('undo'))).code).toBe('NOTHING_TO_UNDO')
  await workspace.call('timewarp_return')
  await workspace.call('undo')
  expect(workspace.read('a.txt')).toBe('then\n')
  expect(workspace.has('new.txt')).toBe(false)
  await workspace.call('redo')
  expect(workspace.read('a.txt')).toBe('now\n')
})

test('blame tells the same before a journey and after it', async () => {
  const { workspace, past } = await twoMoments()
  await workspace.call('apply_whole_file_edit', { path: 'a.txt', content: 'now\nand more\n', session_id: 'me' })
  const told = async () => (await workspace.call('blame', { path: 'a.txt' })).lines.map((line) => line.snapshot_id)
  const before = await told()
  await workspace.call('timewarp_travel', { snapshot_id: past })
  await workspace.call('apply_whole_file_edit', { path: 'a.txt', content: 'tried\n' })
  await workspace.call('timewarp_return')
  expect(await told()).toEqual(before)
})

test('what the rules of then leave out comes home as well', async () => {
  const workspace = newWorkspace({ 'a.txt': 'then\n', '.timewarpignore': 'data/\n' })
  workspace.trust()
  const past = await workspace.snapshot()
  workspace.write({ 'a.txt': 'now\n', '.timewarpignore': '# nothing\n', 'data/x.txt': 'precious\n' })
  const before = stateOf(workspace.root)
  await workspace.call('timewarp_travel', { snapshot_id: past })
  workspace.write({ 'data/x.txt': 'overwritten in the past\n', 'data/y.txt': 'made there\n' })
  const home = await workspace.call('timewarp_return')
  expect(home).toMatchObject({ verified: true, skipped: [], conflicts: [] })
  expect(stateOf(workspace.root)).toEqual(before)
  const there = await workspace.call('cat', { snapshot_id: home.experiment_id, path: 'data/x.txt' })
  expect(JSON.stringify(there)).toContain('overwritten in the past')
})

test('rules that were broken in the past keep nobody from coming home', async () => {
  const { workspace, past } = await twoMoments()
  const before = stateOf(workspace.root)
  await workspace.call('timewarp_travel', { snapshot_id: past })
  workspace.write({ '.timewarpignore/': '' })
  expect(await workspace.call('timewarp_return')).toMatchObject({ verified: true })
  expect(stateOf(workspace.root)).toEqual(before)
})

test('a present that is not as it was stops all writing until somebody says that they have seen it', async () => {
  const { workspace, past } = await twoMoments()
  await workspace.call('timewarp_travel', { snapshot_id: past })
  whenPassing('restore:applied', () => workspace.write({ 'a.txt': 'somebody was quicker\n' }))
  const home = await workspace.call('timewarp_return')
  expect(home).toMatchObject({ mode: 'present', verified: false, differences: ['a.txt'] })
  const refused = [
    workspace.call('timewarp_travel', { snapshot_id: past }),
    workspace.call('restore', { snapshot_id: past }),
    workspace.call('undo'),
    workspace.call('apply_whole_file_edit', { path: 'b.txt', content: '' }),
    workspace.call('timewarp_experiment_replay', {}),
  ]
  for (const act of refused) expect((await faultOf(act)).code).toBe('HOME_DIFFERS')
  expect((await workspace.call('status')).warnings.join()).toContain('acknowledge')
  await workspace.snapshot('still captured')
  expect(await workspace.call('timewarp_acknowledge')).toMatchObject({ already: false, differences: ['a.txt'] })
  expect(await workspace.call('timewarp_acknowledge')).toMatchObject({ already: true })
  await workspace.restore(home.backup_path ?? '')
  expect(workspace.read('a.txt')).toBe('now\n')
})

test('a journey that fails half way brings the present back', async () => {
  const { workspace, past } = await twoMoments()
  const before = stateOf(workspace.root)
  whenPassing('restore:applied', () => {
    throw new Error('the disk is gone')
  })
  expect(await faultOf(workspace.call('timewarp_travel', { snapshot_id: past }))).toMatchObject({
    code: 'TRAVEL_FAILED',
    data: { home: true },
  })
  expect(stateOf(workspace.root)).toEqual(before)
  expect(await workspace.call('status')).toMatchObject({ mode: 'present' })
})

test('a return that fails half way can be tried again, and the first experiment is the one that is kept', async () => {
  const { workspace, past } = await twoMoments()
  const before = stateOf(workspace.root)
  await workspace.call('timewarp_travel', { snapshot_id: past })
  workspace.write({ 'a.txt': 'tried\n' })
  whenPassing('restore:applied', () => {
    throw new Error('the disk is gone')
  })
  expect((await faultOf(workspace.call('timewarp_return'))).code).toBe('RESTORE_FAILED')
  expect(await workspace.call('status')).toMatchObject({ mode: 'past' })
  const home = await workspace.call('timewarp_return')
  expect(home).toMatchObject({ verified: true, changed: ['a.txt'] })
  expect(stateOf(workspace.root)).toEqual(before)
})

test('any number of journeys into folders of their own, beside one in place', async () => {
  const { workspace, past } = await twoMoments()
  const before = stateOf(workspace.root)
  const dirs = ['one', 'two'].map((name) => join(workspace.temp, name))
  for (const into of dirs) {
    const gone = await workspace.call('timewarp_travel', { snapshot_id: past, into })
    expect(gone).toMatchObject({ mode: 'present', dir: into, backup_path: null })
    expect(fs.readFileSync(join(into, 'a.txt'), 'utf8')).toBe('then\n')
  }
  expect((await faultOf(workspace.call('timewarp_travel', { snapshot_id: past, into: dirs[0] ?? '' }))).code).toBe(
    'FOLDER_REFUSED',
  )
  expect((await faultOf(workspace.call('timewarp_travel', { snapshot_id: past, into: 'inside' }))).code).toBe(
    'FOLDER_REFUSED',
  )
  await workspace.call('timewarp_travel', { snapshot_id: past })
  await workspace.call('timewarp_return')
  expect(stateOf(workspace.root)).toEqual(before)
  const [one = '', two = ''] = dirs
  fs.writeFileSync(join(one, 'same.txt'), 'mended\n')
  fs.mkdirSync(join(one, 'node_modules'))
  fs.writeFileSync(join(one, 'node_modules/dep.js'), 'not captured')
  const over = await workspace.call('timewarp_return', { into: one })
  expect(over).toMatchObject({ changed: ['same.txt'], skipped: [{ path: 'node_modules' }] })
  expect(fs.readdirSync(one).sort()).toEqual(['.timewarp', 'node_modules'])
  await workspace.call('timewarp_return', { into: two })
  expect(fs.existsSync(two)).toBe(false)
  expect((await faultOf(workspace.call('timewarp_return', { into: two }))).code).toBe('EXPERIMENT_NOT_FOUND')
  expect(await workspace.call('timewarp_experiment_replay', { experiment_id: over.experiment_id })).toMatchObject({
    affected_files: ['same.txt'],
    conflicts: [],
  })
  expect(workspace.read('same.txt')).toBe('mended\n')
  const { experiments } = await workspace.call('timewarp_experiment_list')
  expect(experiments.map(({ state, dir }) => [state, dir])).toEqual([
    ['ended', one],
    ['ended', two],
    ['ended', workspace.root],
  ])
})

test('a journey into a folder that is cut short at its end is ended by the next try, with what was done in it', async () => {
  const { workspace, past } = await twoMoments()
  const into = join(workspace.temp, 'there')
  await workspace.call('timewarp_travel', { snapshot_id: past, into })
  fs.writeFileSync(join(into, 'same.txt'), 'mended\n')
  whenPassing('travel:left', () => {
    throw new Error('the disk is gone')
  })
  expect((await faultOf(workspace.call('timewarp_return', { into }))).code).not.toBe('none')
  expect(await workspace.call('timewarp_return', { into })).toMatchObject({ changed: ['same.txt'] })
  expect(fs.existsSync(into)).toBe(false)
})

test('a session that begins in the past removes nothing', async () => {
  const { workspace, past } = await twoMoments()
  workspace.write({ '.timewarp/config.json': JSON.stringify({ retention: { mode: 'issues', undo_steps: 0 } }) })
  workspace.trust()
  await workspace.call('timewarp_travel', { snapshot_id: past })
  expect(await workspace.call('timewarp_session_start', {})).toMatchObject({ mode: 'past', removed: [] })
  expect(await workspace.call('timewarp_return')).toMatchObject({ verified: true })
  expect((await workspace.call('timewarp_session_start', {})).removed.length).toBeGreaterThan(0)
})

test('a replay merges, shows where both changed the same, and takes the experiment’s only when told', async () => {
  const workspace = newWorkspace({ 'a.txt': '1\n2\n3\n4\n5\n6\n7\n8\n', 'b.txt': 'b\n', 'c.txt': 'c\n' })
  const past = await workspace.snapshot()
  workspace.write({ 'a.txt': 'one\n2\n3\n4\n5\n6\n7\n8\n', 'b.txt': 'changed now\n' })
  await workspace.call('timewarp_travel', { snapshot_id: past })
  workspace.write({ 'a.txt': '1\n2\n3\n4\n5\n6\n7\neight\n', 'b.txt': 'changed then\n', 'd/new.txt': 'new\n' })
  fs.renameSync(workspace.at('c.txt'), workspace.at('c2.txt'))
  await workspace.call('timewarp_return')
  const clash = await workspace.call('timewarp_experiment_replay', {})
  expect(clash).toMatchObject({ new_snapshot_id: null, conflicts: [{ path: 'b.txt', present: 'changed now\n' }] })
  expect(workspace.read('a.txt')).toContain('8')
  const some = await workspace.call('timewarp_experiment_replay', { paths: ['a.txt', 'd', 'c.txt', 'c2.txt'] })
  expect(some.conflicts).toEqual([])
  expect(workspace.read('a.txt')).toBe('one\n2\n3\n4\n5\n6\n7\neight\n')
  expect([workspace.has('c.txt'), workspace.has('c2.txt'), workspace.read('d/new.txt')]).toEqual([false, true, 'new\n'])
  await workspace.call('timewarp_experiment_replay', { force: true })
  expect(workspace.read('b.txt')).toBe('changed then\n')
  expect(await workspace.call('timewarp_experiment_replay', {})).toMatchObject({ affected_files: [], conflicts: [] })
})

test('a command that takes too long ends, with all it started; what it prints at the end is kept', async () => {
  const { workspace, past } = await twoMoments()
  await workspace.call('timewarp_travel', { snapshot_id: past })
  const { results } = await workspace.call('timewarp_experiment_run', {
    command: 'echo begun; sleep 60 & sleep 60',
    timeout: 0.5,
    where: 'past',
  })
  expect(results).toMatchObject([{ where: 'past', timed_out: true, exit_code: null, output: 'begun\n' }])
  expect(results[0]?.duration_ms).toBeLessThan(10_000)
  const both = await workspace.call('timewarp_experiment_run', { command: 'cat a.txt' })
  expect(both.results.map(({ output }) => output)).toEqual(['then\n', 'now\n'])
})

test('what an agent made in the past within the very call that comes home is its own, and kept as the experiment', async () => {
  const { workspace, past } = await twoMoments()
  await workspace.call('timewarp_travel', { snapshot_id: past })
  const call = {
    session_id: 'agent',
    client: 'claude',
    call_id: 'c1',
    tool: 'Bash',
    kind: 'shell' as const,
    command: 'sh mend.sh && timewarp return',
  }
  await workspace.call('record_event', { event: 'call_start', ...call })
  workspace.write({ 'a.txt': 'tried\n' })
  const home = await workspace.call('timewarp_return')
  await workspace.call('record_event', { event: 'call_end', ...call })
  expect(home).toMatchObject({ verified: true, changed: ['a.txt'] })
  expect(workspace.read('a.txt')).toBe('now\n')
  const { kept } = await workspace.call('prune')
  expect(kept.find(({ snapshot_id }) => snapshot_id === home.experiment_id)?.reason).toContain('made in the past')
  expect((await workspace.call('timewarp_experiment_replay', { dry_run: true })).conflicts).toHaveLength(1)
})

test('what an experiment made is kept for a while, and what a journey needs as long as it lasts', async () => {
  const { workspace, past } = await twoMoments()
  workspace.write({
    '.timewarp/config.json': JSON.stringify({ retention: { tiers: [], manual_days: 0, undo_steps: 0 } }),
  })
  workspace.trust()
  await workspace.call('timewarp_travel', { snapshot_id: past })
  workspace.write({ 'a.txt': 'tried\n' })
  const home = await workspace.call('timewarp_return')
  const { kept } = await workspace.call('prune')
  expect(kept.find(({ snapshot_id }) => snapshot_id === home.experiment_id)?.reason).toContain('made in the past')
  workspace.write({
    '.timewarp/config.json': JSON.stringify({
      retention: { tiers: [], manual_days: 0, undo_steps: 0, experiments_days: 0 },
    }),
  })
  workspace.trust()
  expect((await workspace.call('prune')).removed).toContain(home.experiment_id)
  expect((await faultOf(workspace.call('timewarp_experiment_replay', {}))).code).toBe('SNAPSHOT_DROPPED')
})
