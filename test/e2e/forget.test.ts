import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Fault } from '../../src/base/fault.ts'
import { newWorkspace, type Workspace } from '../kit/workspace.ts'

const faultOf = (answer: Promise<unknown>): Promise<Fault> =>
  answer.then(
    () => {
      throw new Error('it did not fail')
    },
    (fault: unknown) => fault as Fault,
  )

/** Everything of a plan but that it is one. */
const planOf = (plan: { dry_run: boolean }): object => ({ ...plan, dry_run: undefined })

async function withSecret(): Promise<{ workspace: Workspace; ids: string[] }> {
  const workspace = newWorkspace({
    '.env': 'TOKEN=hush',
    'src/a.ts': 'a',
    'copy.txt': 'shared',
    'other.txt': 'shared',
    'data/large.bin': randomBytes(9 * 1024 * 1024),
    'data/noise.bin': randomBytes(300_000),
  })
  const first = await workspace.snapshot()
  workspace.write({ 'src/a.ts': 'b', '.env': 'TOKEN=other', 'data/large.bin': randomBytes(5 * 1024 * 1024) })
  return { workspace, ids: [first, await workspace.snapshot()] }
}

test('forget takes a path out of every snapshot, says so, and leaves the file and all others alone', async () => {
  const { workspace, ids } = await withSecret()
  const receipt = await workspace.call('forget', { pattern: '.env', yes: true })
  expect(receipt).toMatchObject({ paths: ['.env'], snapshots: ids, objects_purged: 2, still_held: [] })
  expect(receipt.warnings[0]).toContain('.timewarpignore')
  const [first = ''] = ids
  await expect(workspace.call('cat', { snapshot_id: first, path: '.env' })).rejects.toMatchObject({
    code: 'PATH_NOT_FOUND',
  })
  expect((await workspace.call('cat', { snapshot_id: first, path: 'src/a.ts' })).content).toBe('a')
  expect(workspace.read('.env')).toBe('TOKEN=other')
  expect(await workspace.call('fsck')).toMatchObject({ ok: true })
})

test.for(['.env', 'data', 'copy.txt', '*.txt', 'data/large.bin', '**/*.bin'])(
  'the plan to forget %s is what is done: the same paths, snapshots, contents and bytes',
  async (pattern) => {
    const { workspace } = await withSecret()
    // What other things could be packed better is not what forgetting frees.
    for (let i = 0; i < 12; i++) {
      workspace.write({ [`n${i}`]: 'compress me '.repeat(20_000) })
      await workspace.snapshot()
    }
    const plan = await workspace.call('forget', { pattern, dry_run: true })
    const done = await workspace.call('forget', { pattern, yes: true })
    expect(planOf(done)).toEqual(planOf(plan))
    if (pattern === '.env') expect(done.freed_bytes).toBeLessThan(1000)
    if (pattern === 'data') expect(done.freed_bytes).toBeGreaterThan(14 * 1024 * 1024)
    if (pattern === 'copy.txt') expect(done).toMatchObject({ still_held: ['copy.txt'], freed_bytes: 0 })
    if (pattern === '*.txt') expect(done).toMatchObject({ still_held: [], objects_purged: 1 })
  },
)

test('to forget what no snapshot has is an error that names what may be meant', async () => {
  const { workspace } = await withSecret()
  for (const pattern of ['nothere', '.enf', 'a.ts', '*.pem'])
    for (const how of [{ yes: true }, { dry_run: true }, {}])
      expect(await faultOf(workspace.call('forget', { pattern, ...how })), pattern).toMatchObject({
        code: 'NOTHING_TO_FORGET',
      })
  expect((await faultOf(workspace.call('forget', { pattern: '.enf' }))).hint).toContain('forget .env')
  expect((await faultOf(workspace.call('forget', { pattern: 'a.ts' }))).hint).toContain('forget src/a.ts')
  const { exit, stderr } = await workspace.tw(['forget', 'nothere'])
  expect({ exit, stderr }).toMatchObject({ exit: 3, stderr: expect.stringContaining('No snapshot has nothere') })
})

test('nothing is forgotten before it is confirmed, and what is done is what was shown', async () => {
  const { workspace } = await withSecret()
  const fault = (await faultOf(workspace.call('forget', { pattern: '.env' }))) as Fault<'CONFIRM_NEEDED'>
  expect(fault.code).toBe('CONFIRM_NEEDED')
  expect(fault.data.would).toContain('Would purge 1 path from 2 snapshots')
  expect(fault.data.question).toBe('Forget 1 path from 2 snapshots?')
  const { confirm } = fault.data
  expect(await faultOf(workspace.call('forget', { pattern: 'data', confirm }))).toMatchObject({ code: 'CONFIRM_WRONG' })
  workspace.write({ '.env': 'TOKEN=third' })
  await workspace.snapshot()
  expect(await faultOf(workspace.call('forget', { pattern: '.env', confirm }))).toMatchObject({ code: 'CONFIRM_WRONG' })
  expect((await workspace.call('forget', { pattern: '.env', dry_run: true })).snapshots).toHaveLength(3)
  const next = (await faultOf(workspace.call('forget', { pattern: '.env' }))) as Fault<'CONFIRM_NEEDED'>
  expect(await workspace.call('forget', { pattern: '.env', confirm: next.data.confirm })).toMatchObject({
    objects_purged: 3,
  })
})

test('in a pipe the command line shows the plan and the token, and takes --confirm and --yes', async () => {
  const { workspace } = await withSecret()
  await workspace.close()
  const { exit, json } = await workspace.tw(['forget', '.env', '--json'])
  expect({ exit, code: json.error.code }).toEqual({ exit: 4, code: 'CONFIRM_NEEDED' })
  expect((await workspace.tw(['forget', '.env', '--confirm', json.error.data.confirm])).stdout).toContain(
    'The files in the workspace were not touched.',
  )
  expect((await workspace.tw(['forget', 'data', '--yes'])).exit).toBe(0)
  expect(workspace.read('.env')).toBe('TOKEN=other')
})

test.for(['.', './', '*', '**', '**/*', '/*', '?*'])('to forget everything (%s) has to be said', async (pattern) => {
  const { workspace } = await withSecret()
  expect(await faultOf(workspace.call('forget', { pattern, yes: true }))).toMatchObject({ code: 'FORGETS_EVERYTHING' })
  expect(await faultOf(workspace.call('forget', { pattern }))).toMatchObject({ code: 'FORGETS_EVERYTHING' })
  expect((await workspace.call('forget', { pattern: '.env', dry_run: true })).paths).toEqual(['.env'])
  if (pattern !== '.') return
  expect(await faultOf(workspace.call('forget', { pattern, everything: true }))).toMatchObject({
    code: 'CONFIRM_NEEDED',
  })
  await workspace.call('forget', { pattern, everything: true, yes: true })
  expect(workspace.read('src/a.ts')).toBe('b')
})

test.for([
  ['.env', '.env'],
  ['data', 'data'],
  ['data/*.bin', 'data/large.bin'],
])('after %s was forgotten, no restore and no undo takes the files away', async ([pattern = '', left = '']) => {
  const { workspace, ids } = await withSecret()
  await workspace.call('forget', { pattern, yes: true })
  for (const id of ids) {
    const plan = await workspace.call('restore', { snapshot_id: id, dry_run: true })
    expect(plan.deleted).toEqual([])
    expect(plan.skipped).toContainEqual({ path: left, reason: 'it was forgotten' })
  }
  expect((await workspace.call('undo')).deleted).toEqual([])
  expect(workspace.read(left === 'data' ? 'data/large.bin' : left)).not.toBe('')
  expect(await workspace.call('fsck')).toMatchObject({ ok: true })
})

test('what was forgotten is nothing to undo', async () => {
  const workspace = newWorkspace({ '.env': 'TOKEN=hush', 'a.txt': 'a' })
  const id = await workspace.snapshot()
  await workspace.call('forget', { pattern: '.env', yes: true })
  expect(await faultOf(workspace.call('undo'))).toMatchObject({ code: 'NOTHING_TO_UNDO' })
  expect((await workspace.call('get_edit_history')).snapshots).toHaveLength(1)
  expect((await workspace.call('show', { snapshot_id: id })).skipped).toEqual([{ path: '.env', reason: 'forgotten' }])
  workspace.write({ 'a.txt': 'b' })
  expect((await workspace.call('undo')).affected_files).toEqual(['a.txt'])
  expect(workspace.read('.env')).toBe('TOKEN=hush')
})
