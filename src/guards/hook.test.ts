import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Fault } from '../base/fault.ts'
import { HookDesk, runHook } from './hook.ts'
import { missedIn } from './missed.ts'

interface Called {
  readonly tool: string
  readonly input: Record<string, unknown>
}

/** A house that answers as told, and what was asked of it. */
function houseOf(answer: (called: Called) => object = () => ({ covered: true, deny: null, note: null })) {
  const home = mkdtempSync(join(tmpdir(), 'timewarp-hook-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const calls: Called[] = []
  const logged: string[] = []
  const rooms = {
    call: async (tool: string, input: object) => {
      const called = { tool, input: input as Record<string, unknown> }
      calls.push(called)
      return { output: answer(called) }
    },
    log: (message: string, data: object) => void logged.push(`${message} ${JSON.stringify(data)}`),
    missed: missedIn(home),
  }
  const hook = (payload: unknown) => runHook('claude', Buffer.from(JSON.stringify(payload)), {}, rooms)
  return { rooms, calls, logged, hook }
}

const START = { session_id: 's', cwd: '/ws', hook_event_name: 'SessionStart', source: 'startup' }
const CALL = {
  session_id: 's',
  cwd: '/ws',
  hook_event_name: 'PreToolUse',
  tool_name: 'Bash',
  tool_input: { command: 'x' },
  tool_use_id: 't',
}

test('garbage is written down and answered with nothing', async () => {
  const { rooms, calls, logged } = houseOf()
  for (const bytes of ['', '{', 'null', '[]', '"x"', '{"hook_event_name":1}', '\0\xff'])
    expect(await runHook('claude', Buffer.from(bytes, 'latin1'), {}, rooms)).toBe('')
  expect(calls).toEqual([])
  expect(logged.length).toBeGreaterThan(4)
})

test('a folder becomes a workspace when a session begins in it, and not by a mere call', async () => {
  let isWorkspace = false
  const { hook, calls } = houseOf(({ tool }) => {
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
  const { rooms, hook } = houseOf(({ tool }) => {
    if (tool === 'workspace_init') throw new Fault('WORKSPACE_REFUSED', { root: '/', why: 'it is the root' })
    throw new Fault('WORKSPACE_UNKNOWN', { root: '/' })
  })
  expect(await hook(START)).toContain('does not guard this session')
  expect(await hook(CALL)).toBe('')
  expect(rooms.missed.take()).toEqual([])
})

test('what could not be recorded becomes a gap as soon as something can', async () => {
  let isFull = true
  const { hook, calls, logged } = houseOf(() => {
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

test('a daemon serves the hooks of a session in their order, and lets nobody wait for the end of a call', async () => {
  const told: string[] = []
  let [release, begin] = [(): void => {}, (): void => {}]
  const begun = new Promise<void>((done) => (begin = done))
  const { rooms } = houseOf()
  const waiting = {
    ...rooms,
    call: async (_: string, input: object) => {
      const { event, session_id } = input as { event: string; session_id: string }
      if (event === 'call_end')
        await new Promise<void>((done) => {
          release = done
          begin()
        })
      told.push(`${session_id} ${event}`)
      return { output: { covered: true, reason: null, deny: null, note: null } }
    },
  }
  const desk = new HookDesk(waiting, { speaks: (folder) => folder === '/talkative', isHarmless: () => false })
  const edit = { tool_name: 'Write', tool_input: { file_path: '/ws/a' } }
  const hook = (payload: object) => desk.run('claude', Buffer.from(JSON.stringify({ ...CALL, ...payload })), {})
  await hook(edit)
  expect(await hook({ ...edit, hook_event_name: 'PostToolUse' })).toBe('')
  const next = hook({ tool_use_id: 't2' })
  await hook({ session_id: 'other' })
  expect(told).toEqual(['s call_start', 'other call_start'])
  await begun
  release()
  await next
  expect(told).toEqual(['s call_start', 'other call_start', 's call_end', 's call_start'])
  // Who has something to say has to be waited for.
  const last = hook({ session_id: 'x', cwd: '/talkative', hook_event_name: 'PostToolUse' })
  expect(await Promise.race([last, new Promise((done) => setTimeout(done, 20, 'waits'))])).toBe('waits')
  release()
  await last
})

/** A desk whose house remembers the events it was told. */
function deskOf(isHarmless: (command: string) => boolean = () => false) {
  const { rooms, calls } = houseOf()
  const ws = mkdtempSync(join(tmpdir(), 'timewarp-desk-'))
  onTestFinished(() => rmSync(ws, { recursive: true, force: true }))
  const desk = new HookDesk(rooms, { speaks: () => false, isHarmless })
  const hook = (payload: object) =>
    desk.run('claude', Buffer.from(JSON.stringify({ ...CALL, cwd: ws, ...payload })), {})
  const told = (): string[] =>
    calls.map(({ input }) => [input['event'], ...((input['call_ids'] as string[] | undefined) ?? [])].join(' '))
  const write = (id: string) => ({
    tool_use_id: id,
    tool_name: 'Write',
    tool_input: { file_path: join(ws, id), content: id },
  })
  return { ws, hook, told, calls, write }
}

test('a daemon finds the end of an edit by itself, and says so once', async () => {
  const { ws, hook, told, calls, write } = deskOf()
  await hook(write('e1'))
  writeFileSync(join(ws, 'e1'), 'e1')
  await expect.poll(told).toEqual(['call_start', 'calls_done e1'])
  expect(calls[1]?.input).not.toHaveProperty('overdue')
  // Its end, told after all by hooks that are from before, or another edit.
  await hook({ ...write('e1'), hook_event_name: 'PostToolUse' })
  await hook(write('e2'))
  await expect.poll(told).toEqual(['call_start', 'calls_done e1', 'call_end', 'call_start'])
})

test('an edit that was told to be over is not waited for any longer', async () => {
  const { ws, hook, told, write } = deskOf()
  await hook(write('e1'))
  await hook({ ...write('e1'), hook_event_name: 'PostToolUseFailure', error: 'no' })
  await hook(write('e2'))
  await hook({ tool_use_id: 't' })
  await hook(write('e3'))
  await hook({ hook_event_name: 'Stop' })
  for (const id of ['e1', 'e2', 'e3']) writeFileSync(join(ws, id), id)
  await new Promise((done) => setTimeout(done, 100))
  expect(told()).toEqual(['call_start', 'call_end', 'call_start', 'call_start', 'call_start', 'turn_end'])
})

test('of commands that only read nothing is recorded while their session is well known', async () => {
  const { hook, told, write, ws } = deskOf((command) => command === 'ls')
  const read = { tool_use_id: 'r', tool_input: { command: 'ls' } }
  const end = { hook_event_name: 'PostToolUse' }
  // Who knows what this session is.
  await hook(read)
  await hook({ ...read, ...end })
  await expect.poll(told).toEqual(['call_start', 'call_end'])
  await hook(read)
  await hook({ ...read, ...end })
  await hook({ tool_use_id: 'w', tool_input: { command: 'rm x' } })
  await hook({ tool_use_id: 'w', tool_input: { command: 'rm x' }, ...end })
  await expect.poll(told).toEqual(['call_start', 'call_end', 'call_start', 'call_end'])
  // An edit is over when it begins.
  await hook(write('e'))
  await hook(read)
  expect(told().slice(4)).toEqual(['call_start', 'call_start'])
  writeFileSync(join(ws, 'e'), 'e')
  // A session that ended begins anew.
  await hook({ ...read, ...end })
  await hook({ hook_event_name: 'SessionEnd' })
  await hook(read)
  expect(told().slice(-2)).toEqual(['session_end', 'call_start'])
})
