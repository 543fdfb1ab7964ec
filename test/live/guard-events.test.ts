import * as fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Live, newLive, until } from './kit.ts'

/** Agents whose clients tell a daemon of every call. */

const tell = async (live: Live, session: string, event: string, more: object = {}) =>
  (
    await live.ask('/v1/call/record_event', {
      body: { workspace: live.root, client: 'claude', session_id: session, event, ...more },
    })
  ).json

const history = async (live: Live) =>
  (await live.ask('/v1/call/get_edit_history', { body: { workspace: live.root, limit: 100 } })).json.snapshots

test('a client does not wait for the first capture; what it does meanwhile is told as not covered', async () => {
  const many = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`d${i % 50}/f${i}`, `${i}\n`]))
  const live = newLive(many)
  await live.serve()
  const started = await tell(live, 's1', 'session_start', { wait_ms: 0 })
  expect(started).toMatchObject({ covered: false, note: expect.stringContaining('not covered') })
  const call = { call_id: 'c1', tool: 'Edit', kind: 'edit', paths: ['d0/f0'], wait_ms: 0 }
  expect(await tell(live, 's1', 'call_start', call)).toMatchObject({ covered: false })
  await until('the first snapshot', async () => (await history(live))[0])
  const { gaps } = (await live.ask('/v1/call/status', { body: { workspace: live.root } })).json
  expect(gaps.length).toBeGreaterThanOrEqual(2)
  const { sessions } = (await live.ask('/v1/call/session_list', { body: { workspace: live.root } })).json
  expect(sessions).toMatchObject([{ session_id: 's1', snapshot_id: expect.any(String) }])
})

test('several agents at once: every edit is its own session’s, whoever captures it', async () => {
  const live = newLive({ 'a.txt': 'a\n' })
  await live.serve()
  const agents = ['s1', 's2', 's3']
  await Promise.all(agents.map((session) => tell(live, session, 'session_start')))
  await Promise.all(
    agents.map(async (session) => {
      for (let i = 0; i < 8; i++) {
        const path = `${session}-${i}.txt`
        const call = { call_id: `${session}-${i}`, tool: 'Write', kind: 'edit', paths: [path] }
        await tell(live, session, 'call_start', call)
        // In one step: another's capture in between would see it empty, and this edit as two.
        fs.writeFileSync(join(live.workspace.temp, path), session)
        fs.renameSync(join(live.workspace.temp, path), join(live.root, path))
        await tell(live, session, 'call_end', call)
      }
    }),
  )
  const changes = (await history(live)).filter(({ affected_files: files }: { affected_files: string[] }) =>
    files.some((file) => file.startsWith('s')),
  )
  expect(changes).toHaveLength(24)
  for (const { affected_files, session_id, call_id, shared } of changes)
    expect([affected_files, shared, call_id]).toEqual([[`${call_id}.txt`], false, expect.stringContaining(session_id)])
})

test('a person who is at work is not forgotten behind the many snapshots of an agent', async () => {
  const live = newLive({ 'mine.txt': 'a\n' })
  await live.serve()
  await tell(live, 's1', 'session_start')
  fs.appendFileSync(join(live.root, 'mine.txt'), 'by hand\n')
  for (let i = 0; i < 40; i++) {
    const call = { call_id: `e${i}`, tool: 'Write', kind: 'edit', paths: [`f${i}`] }
    await tell(live, 's1', 'call_start', call)
    fs.writeFileSync(join(live.root, `f${i}`), 'x')
    await tell(live, 's1', 'call_end', call)
  }
  const call = { call_id: 'b1', tool: 'run', kind: 'other' }
  await tell(live, 's1', 'call_start', call)
  fs.appendFileSync(join(live.root, 'mine.txt'), 'by hand again\n')
  await tell(live, 's1', 'call_end', call)
  expect((await history(live))[0]).toMatchObject({ affected_files: ['mine.txt'], shared: true })
})

test('what a person did just before an edit is captured before it, at the file it names and at others', async () => {
  const live = newLive({ 'a.txt': 'a000\n', 'b.txt': 'b000\n', 'sub/c.txt': 'c000\n' })
  await live.serve()
  await tell(live, 's1', 'session_start')
  const begin = (id: string, path: string) =>
    tell(live, 's1', 'call_start', { call_id: id, tool: 'Edit', kind: 'edit', paths: [path] })
  expect((await begin('e0', 'a.txt')).snapshot_ids).toEqual([])
  const paths = ['a.txt', 'b.txt', 'sub/c.txt', 'new.txt']
  for (let i = 1; i <= 40; i++) {
    const path = paths[i % paths.length] ?? ''
    // As long as what it replaces, and within the same tick of the clock as the look before.
    const text = `${path[0]}${String(i).padStart(3, '0')}\n`
    fs.writeFileSync(join(live.root, path), text)
    const { snapshot_ids: ids } = await begin(`e${i}`, i % 3 === 0 ? 'a.txt' : path)
    expect(ids, `${path} at ${i}`).toHaveLength(1)
    const kept = await live.ask('/v1/call/cat', { body: { workspace: live.root, snapshot_id: ids[0], path } })
    expect(kept.json.content).toBe(text)
    expect((await begin(`again${i}`, path)).snapshot_ids).toEqual([])
  }
  fs.rmSync(join(live.root, 'new.txt'))
  expect((await begin('gone', 'new.txt')).snapshot_ids).toHaveLength(1)
  fs.rmSync(join(live.root, 'sub'), { recursive: true })
  expect((await begin('gone2', 'sub/c.txt')).snapshot_ids).toHaveLength(1)
})

test('before an edit, files with several names are looked at: one may have changed through another', async () => {
  const live = newLive({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
  const outside = join(live.workspace.temp, 'other-name')
  fs.linkSync(join(live.root, 'a.txt'), outside)
  await live.serve()
  await tell(live, 's1', 'session_start')
  fs.writeFileSync(outside, 'x\n')
  const call = { call_id: 'e1', tool: 'Edit', kind: 'edit', paths: ['b.txt'] }
  expect((await tell(live, 's1', 'call_start', call)).snapshot_ids).toHaveLength(1)
})

test('a call that was interrupted is over when its session goes on to the next prompt', async () => {
  const live = newLive({ 'a.txt': 'a\n' })
  await live.serve()
  await tell(live, 's1', 'session_start')
  const call = (id: string, prompt_id: string) => ({ call_id: id, tool: 'run', kind: 'other', prompt_id })
  await tell(live, 's1', 'call_start', call('c1', 'p1'))
  fs.writeFileSync(join(live.root, 'one.txt'), '1')
  await tell(live, 's1', 'call_start', call('c2', 'p2'))
  fs.writeFileSync(join(live.root, 'two.txt'), '2')
  await tell(live, 's1', 'call_end', call('c2', 'p2'))
  const found = (await history(live)).flatMap((one: { affected_files: string[]; call_id: string | null }) =>
    one.affected_files.filter((path) => path !== 'a.txt').map((path) => [path, one.call_id]),
  )
  expect(found).toEqual([
    ['two.txt', 'c2'],
    ['one.txt', 'c1'],
  ])
})
