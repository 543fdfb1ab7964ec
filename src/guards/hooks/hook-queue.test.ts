import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { HookQueue } from './hook-queue.ts'
import { CALL, houseOf } from './testing.ts'

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
  const desk = new HookQueue(waiting, { speaks: (folder) => folder === '/talkative', isHarmless: () => false })
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
  const desk = new HookQueue(rooms, { speaks: () => false, isHarmless })
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
  const { ws, hook, told, calls, write } = deskOf((command) => command === 'ls')
  await hook(write('e1'))
  writeFileSync(join(ws, 'e1'), 'e1')
  await expect.poll(told).toEqual(['call_start', 'calls_done e1'])
  expect(calls[1]?.input).not.toHaveProperty('overdue')
  // Nothing of it is open any more.
  await hook({ tool_use_id: 'r', tool_input: { command: 'ls' } })
  await hook({ tool_use_id: 'r', tool_input: { command: 'ls' }, hook_event_name: 'PostToolUse' })
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
  for (const id of ['e1', 'e2']) writeFileSync(join(ws, id), id)
  await new Promise((done) => setTimeout(done, 150))
  await hook(write('e3'))
  await hook({ hook_event_name: 'Stop' })
  writeFileSync(join(ws, 'e3'), 'e3')
  await new Promise((done) => setTimeout(done, 150))
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

test('a client that reads answers has one, also where nothing is recorded', async () => {
  const { rooms, calls } = houseOf()
  const desk = new HookQueue(rooms, { speaks: () => true, isHarmless: (command) => command === 'ls' })
  const tell = async (more: object) => {
    const event = { event: 'call_start', session_id: 's', workspace: '/ws', call_id: 'c', kind: 'shell', ...more }
    return JSON.parse(await desk.run('generic', Buffer.from(JSON.stringify(event)), {}))
  }
  await tell({ event: 'prompt' })
  expect(await tell({ command: 'ls' })).toMatchObject({ session_id: 's', covered: true, deny: null, snapshot_ids: [] })
  expect(calls).toHaveLength(1)
})
