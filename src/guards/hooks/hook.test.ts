import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Fault } from '../../base/fault.ts'
import { runHook } from './hook.ts'
import { missedIn } from './missed.ts'
import { CALL, houseOf, START } from './testing.ts'

function hooksOf(...answer: Parameters<typeof houseOf>) {
  const app = houseOf(...answer)
  const hook = (payload: unknown) => runHook('claude', Buffer.from(JSON.stringify(payload)), {}, app.rooms)
  return { ...app, hook }
}

test('garbage is written down and answered with nothing', async () => {
  const { rooms, calls, logged } = hooksOf()
  for (const bytes of ['', '{', 'null', '[]', '"x"', '{"hook_event_name":1}', '\0\xff'])
    expect(await runHook('claude', Buffer.from(bytes, 'latin1'), {}, rooms)).toBe('')
  expect(calls).toEqual([])
  expect(logged.length).toBeGreaterThan(4)
})

test('a folder becomes a workspace when a session begins in it, and not by a mere call', async () => {
  let isWorkspace = false
  const { hook, calls } = hooksOf(({ tool }) => {
    if (tool === 'workspace_init') isWorkspace = true
    if (!isWorkspace) throw new Fault('WORKSPACE_UNKNOWN', { root: '/ws' })
    return { deny: null, note: 'Guarded.' }
  })
  expect(await hook(CALL)).toBe('')
  expect(isWorkspace).toBe(false)
  expect(await hook(START)).toContain('Guarded.')
  expect(calls.map(({ tool }) => tool)).toEqual(['record_event', 'record_event', 'workspace_init', 'record_event'])
  expect(calls[2]?.input).toEqual({ workspace: '/ws', snapshot: false })
})

test('a folder that may not be a workspace goes unguarded, which is said once, and is no gap', async () => {
  const { rooms, hook } = hooksOf(({ tool }) => {
    if (tool === 'workspace_init') throw new Fault('WORKSPACE_REFUSED', { root: '/', why: 'it is the root' })
    throw new Fault('WORKSPACE_UNKNOWN', { root: '/' })
  })
  expect(await hook(START)).toContain('does not guard this session')
  expect(await hook(CALL)).toBe('')
  expect(rooms.missed.take()).toEqual([])
})

test('what could not be recorded becomes a gap as soon as something can', async () => {
  let isFull = true
  const { hook, calls, logged } = hooksOf(() => {
    if (isFull) throw new Fault('NO_SPACE', { path: '/store', op: 'write' } as never)
    return { deny: null, note: null }
  })
  expect(await hook(CALL)).toBe('')
  expect(logged.join()).toContain('NO_SPACE')
  isFull = false
  calls.length = 0
  await hook(START)
  expect(calls.map(({ input }) => input['event'])).toEqual(['session_start', 'gap'])
  expect(calls[1]?.input).toMatchObject({ workspace: '/ws', session_id: 's', tool: 'Bash', client: 'claude' })
  await hook(START)
  expect(calls).toHaveLength(3)
})

test('what is missed while the disk takes nothing is kept in memory', () => {
  const missed = missedIn('/nonexistent/place')
  const event = { at: 1, workspace: '/ws', session_id: 's', client: 'claude', event: 'call_start', reason: 'full' }
  missed.add(event)
  expect(missed.take()).toEqual([event])
  expect(missed.take()).toEqual([])
})

test('a full disk takes what was missed into the room that was reserved', () => {
  const home = mkdtempSync(join(tmpdir(), 'timewarp-missed-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const missed = missedIn(home)
  missed.reserve()
  // A folder in its place cannot be appended to, as a file on a full disk cannot.
  mkdirSync(join(home, 'guard-missed.jsonl'))
  const event = { at: 1, workspace: '/ws ü', session_id: 's', client: 'claude', event: 'call_start', reason: 'full' }
  for (const at of [1, 2, 3]) missed.add({ ...event, at })
  rmSync(join(home, 'guard-missed.jsonl'), { recursive: true })
  expect(missedIn(home).take()).toEqual([1, 2, 3].map((at) => ({ ...event, at })))
  expect(missedIn(home).take()).toEqual([])
})
