import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Database } from '../../src/host/database.ts'
import { openTimewarp } from '../../src/library.ts'
import { eachWorld } from '../kit/each-world.ts'
import { write } from '../kit/world.ts'

const world = eachWorld()

const open = () => openTimewarp({ home: world.home, cwd: world.ws })

/** As if the machine had died: the packs named were not synced, and their last bytes never reached the disk. */
function losePower(packs: readonly string[]): void {
  const db = new DatabaseSync(join(world.home, 'timewarp.db'))
  for (const pack of packs) {
    db.prepare("UPDATE packs SET synced = 0, boot = 'another' WHERE name = ?").run(pack)
    const at = join(world.home, 'objects', pack)
    truncateSync(at, Math.max(40, statSync(at).size - 160))
  }
  db.close()
}

const packs = (): string[] => readdirSync(join(world.home, 'objects'))

test('a snapshot whose bytes did not reach the disk is withdrawn whole, and those before it stay', async () => {
  const timewarp = open()
  write(world.ws, 'a', 'one')
  const first = await timewarp.call('snapshot')
  const before = packs()
  write(world.ws, 'a', 'two')
  write(world.ws, 'b', 'new')
  await timewarp.call('snapshot')
  await timewarp.close()
  losePower(packs().filter((name) => !before.includes(name)))

  const again = open()
  const log = await again.call('get_edit_history')
  expect(log.snapshots.map(({ snapshot_id }) => snapshot_id)).toEqual([first.snapshot_id])
  expect(await again.call('fsck')).toMatchObject({ ok: true, problems: [] })
  const next = await again.call('snapshot')
  expect(next).toMatchObject({ created: true, added: 1, modified: 1 })
  expect((await again.call('cat', { snapshot_id: next.snapshot_id, path: 'b' })).content).toBe('new')
  await again.close()
})

test.each([
  ['empty', (at: string) => truncateSync(at, 0)],
  ['zeros', (at: string) => writeFileSync(at, Buffer.alloc(statSync(at).size))],
  ['not there', (at: string) => rmSync(at)],
])('a pack of which nothing reached the disk (%s) is no damage', async (_, lose) => {
  const timewarp = open()
  write(world.ws, 'a', 'one')
  await timewarp.call('snapshot')
  const before = packs()
  write(world.ws, 'a', 'two')
  await timewarp.call('snapshot')
  await timewarp.close()
  const lost = packs().filter((name) => !before.includes(name))
  losePower(lost)
  for (const pack of lost) lose(join(world.home, 'objects', pack))

  const again = open()
  expect(await again.call('fsck')).toMatchObject({ ok: true, problems: [] })
  expect(await again.call('snapshot')).toMatchObject({ created: true, modified: 1 })
  expect(await again.call('fsck')).toMatchObject({ ok: true, problems: [] })
  await again.call('gc')
  expect(packs().filter((name) => lost.includes(name))).toEqual([])
  expect(await again.call('fsck')).toMatchObject({ ok: true, problems: [] })
  await again.close()
})

test('packs that did reach the disk are believed, and looked at only once', async () => {
  const timewarp = open()
  write(world.ws, 'a', 'one')
  const first = await timewarp.call('snapshot')
  await timewarp.close()
  const db = new DatabaseSync(join(world.home, 'timewarp.db'))
  db.exec("UPDATE packs SET synced = 0, boot = 'another'")
  db.close()
  const again = open()
  expect((await again.call('cat', { snapshot_id: first.snapshot_id, path: 'a' })).content).toBe('one')
  await again.close()
  const after = new DatabaseSync(join(world.home, 'timewarp.db'))
  expect(after.prepare('SELECT count(*) AS n FROM packs WHERE synced = 0').get()).toEqual({ n: 0 })
  after.close()
})

const FRICTION = {
  task_context: 'The user asked for a release',
  symptom: 'The changelog was forgotten twice',
  success_criteria: 'npm run release exits 1 when CHANGELOG.md has no entry',
}

test.each(['there', 'gone'])(
  'an issue goes back to the texts that reached the disk; its folder is %s',
  async (folder) => {
    const timewarp = open()
    write(world.ws, 'a', 'one')
    await timewarp.call('timewarp_session_start', { session_id: 's' })
    const { issue_id } = await timewarp.call('timewarp_issue_report', FRICTION)
    const before = packs()
    const round = { changes: 'a check would help', validation: 'npm test', result: 'it did' }
    await timewarp.call('timewarp_experiment_note', { issue_id, ...round })
    await timewarp.close()
    losePower(packs().filter((name) => !before.includes(name)))
    if (folder === 'gone') rmSync(join(world.ws, '.timewarp/issues'), { recursive: true })

    const again = open()
    expect(await again.call('fsck')).toMatchObject({ ok: true, problems: [] })
    const issue = await again.call('timewarp_issue_get', { issue_id })
    expect(issue).toMatchObject({ symptom: FRICTION.symptom })
    const text = readFileSync(join(world.ws, '.timewarp/issues', issue_id, 'experiment.md'), 'utf8')
    expect(text.includes('a check would help')).toBe(folder === 'there')
    expect(await again.call('fsck')).toMatchObject({ ok: true, problems: [] })
    await again.close()
  },
)

test('an issue of which no text reached the disk was not answered', async () => {
  const timewarp = open()
  write(world.ws, 'a', 'one')
  await timewarp.call('timewarp_session_start', { session_id: 's' })
  const before = packs()
  await timewarp.call('timewarp_issue_report', FRICTION)
  await timewarp.close()
  losePower(packs().filter((name) => !before.includes(name)))

  const again = open()
  expect((await again.call('timewarp_issue_list')).issues).toEqual([])
  expect(await again.call('fsck')).toMatchObject({ ok: true, problems: [] })
  await again.close()
})

/** How many rows of open journals and journeys each durable transaction took away. */
function durableEnds(): () => number {
  let ends = 0
  const open = (db: Database): number =>
    db.get<{ n: number }>(
      `SELECT (SELECT count(*) FROM journals)
         + (SELECT count(*) FROM travels WHERE state IN ('departing', 'returning')) AS n`,
    )?.n ?? 0
  // oxlint-disable-next-line typescript/unbound-method -- called with the database below
  const durably = Database.prototype.writeDurably
  const spy = vi.spyOn(Database.prototype, 'writeDurably').mockImplementation(function (this: Database, act) {
    const before = open(this)
    const result = durably.call(this, act)
    ends += Math.max(0, before - open(this))
    return result
  })
  onTestFinished(() => spy.mockRestore())
  return () => ends
}

test('the end of an act is durable with its answer: nothing carries it on over what is done then', async () => {
  const timewarp = open()
  write(world.ws, 'a', 'one')
  const { snapshot_id } = await timewarp.call('snapshot')
  write(world.ws, 'a', 'two')
  const ends = durableEnds()
  await timewarp.call('restore', { snapshot_id })
  expect(ends()).toBe(1)
  await timewarp.call('apply_whole_file_edit', { path: 'a', content: 'three' })
  expect(ends()).toBe(2)
  await timewarp.call('timewarp_travel', { snapshot_id })
  expect(ends()).toBe(4)
  await timewarp.call('timewarp_return')
  expect(ends()).toBe(6)
  await timewarp.close()
})
