import { expect, test } from 'vitest'
import type { Payload, Verdict } from './event.ts'
import { gemini } from './gemini.ts'
import { generic } from './generic.ts'
import { opencode } from './opencode.ts'

const verdict = (part: Partial<Verdict>): Verdict => ({ covered: true, reason: null, deny: null, note: null, ...part })

const hearGemini = (hook_event_name: string, more: Payload = {}) =>
  gemini.hear({ session_id: 'g1', cwd: '/ws', transcript_path: '/t', hook_event_name, ...more }, {}).events[0]

test('Gemini CLI: session, prompt without what hooks added, turn, end', () => {
  expect(hearGemini('SessionStart')).toMatchObject({ event: 'session_start', session_id: 'g1', client: 'gemini' })
  const prompt =
    '<hook_context>CTX</hook_context>\n\n<hook_context>two\nlines</hook_context>\nmake the <hook_context> file'
  expect(hearGemini('BeforeAgent', { prompt })).toMatchObject({
    event: 'prompt',
    prompt: 'make the <hook_context> file',
  })
  expect(hearGemini('AfterAgent')?.event).toBe('turn_end')
  expect(hearGemini('SessionEnd')?.event).toBe('session_end')
  // It comes before every call of the model, whether anything is compressed or not.
  expect(hearGemini('PreCompress')).toBeUndefined()
})

test('Gemini CLI: calls have no ids, edits name their file, commands their folder', () => {
  const call = (event: string, tool_name: string, tool_input: object, more: Payload = {}) =>
    hearGemini(event, { tool_name, tool_input, ...more })
  expect(call('BeforeTool', 'write_file', { file_path: '/ws/a', content: 'x' })).toMatchObject({
    event: 'call_start',
    kind: 'edit',
    paths: ['/ws/a'],
  })
  expect(call('BeforeTool', 'replace', { file_path: '/ws/a' })).not.toHaveProperty('call_id')
  expect(call('AfterTool', 'run_shell_command', { command: 'make', dir_path: 'sub' })).toMatchObject({
    event: 'call_end',
    kind: 'shell',
    command: 'make',
    cwd: 'sub',
  })
  expect(call('BeforeTool', 'run_shell_command', { command: 'x', is_background: true })?.background).toBe(true)
  const failed = { tool_response: { llmContent: '', error: { message: 'No such file', type: 'x' } } }
  expect(call('AfterTool', 'replace', { file_path: 'a' }, failed)).toMatchObject({
    failed: true,
    error: 'No such file',
  })
  expect(call('BeforeTool', 'read_file', {})?.kind).toBe('read')
  expect(call('BeforeTool', 'mcp_mini_echo', {})?.kind).toBe('other')
  expect(call('BeforeTool', 'mcp_timewarp_undo', {})?.kind).toBe('read')
})

test('Gemini CLI: the answer', () => {
  expect(gemini.reply({ hook_event_name: 'BeforeTool' }, [verdict({ deny: 'no' })])).toBe(
    '{"decision":"deny","reason":"no"}',
  )
  expect(JSON.parse(gemini.reply({ hook_event_name: 'SessionStart' }, [verdict({ note: 'hi' })]))).toEqual({
    hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'hi' },
  })
  expect(gemini.reply({ hook_event_name: 'AfterAgent' }, [verdict({ note: 'hi', deny: 'x' })])).toBe('')
})

const hearOpencode = (payload: Payload) => opencode.hear({ directory: '/ws', ...payload }, {}).events[0]
const eventOf = (type: string, properties: object) => ({ hook: 'event', event: { type, properties } })

test('opencode: sessions with their parents, prompts, turns', () => {
  const created = eventOf('session.created', { sessionID: 's2', info: { id: 's2', parentID: 's1' } })
  expect(hearOpencode(created)).toMatchObject({
    event: 'session_start',
    session_id: 's2',
    parent_session_id: 's1',
    workspace: '/ws',
    client: 'opencode',
  })
  const parts = [
    { type: 'text', text: 'make it' },
    { type: 'text', text: 'file contents', synthetic: true },
    { type: 'file', url: 'x' },
  ]
  expect(
    hearOpencode({ hook: 'chat.message', input: { sessionID: 's1' }, output: { message: { id: 'm1' }, parts } }),
  ).toMatchObject({ event: 'prompt', session_id: 's1', prompt_id: 'm1', prompt: 'make it' })
  const delegated = { hook: 'chat.message', parent: 's1', input: { sessionID: 's2' }, output: { parts } }
  expect(hearOpencode(delegated)).toMatchObject({
    event: 'session_start',
    session_id: 's2',
    parent_session_id: 's1',
    task_hint: 'make it',
  })
  expect(hearOpencode(eventOf('session.idle', { sessionID: 's1' }))?.event).toBe('turn_end')
  expect(hearOpencode({ hook: 'experimental.session.compacting', input: { sessionID: 's1' } })?.event).toBe('compact')
  expect(hearOpencode(eventOf('session.deleted', { info: { id: 's1' } }))?.event).toBe('session_end')
})

test('opencode: calls begin, end, and fail without an end', () => {
  const of = { tool: 'bash', sessionID: 's1', callID: 'c1' }
  const args = { command: 'make', workdir: '/ws/sub' }
  expect(hearOpencode({ hook: 'tool.execute.before', input: of, output: { args } })).toMatchObject({
    event: 'call_start',
    call_id: 'c1',
    kind: 'shell',
    command: 'make',
    cwd: '/ws/sub',
  })
  const after = (exit: number) =>
    hearOpencode({ hook: 'tool.execute.after', input: { ...of, args }, output: { metadata: { exit } } })
  expect(after(0)).toMatchObject({ event: 'call_end', call_id: 'c1' })
  expect(after(0)).not.toHaveProperty('failed')
  expect(after(3)).toMatchObject({ failed: true, error: 'exit code 3' })
  const part = (status: string) => ({ type: 'tool', ...of, state: { status, input: args, error: 'denied' } })
  expect(hearOpencode(eventOf('message.part.updated', { part: part('error') }))).toMatchObject({
    event: 'call_end',
    call_id: 'c1',
    failed: true,
    error: 'denied',
  })
  expect(hearOpencode(eventOf('message.part.updated', { part: part('running') }))).toBeUndefined()
  const edit = { tool: 'edit', sessionID: 's1', callID: 'c2' }
  expect(
    hearOpencode({ hook: 'tool.execute.before', input: edit, output: { args: { filePath: '/ws/a' } } }),
  ).toMatchObject({ kind: 'edit', paths: ['/ws/a'] })
  const patch = { patchText: '*** Begin Patch\n*** Update File: x/y.ts\n*** End Patch' }
  expect(
    hearOpencode({ hook: 'tool.execute.before', input: { ...edit, tool: 'apply_patch' }, output: { args: patch } }),
  ).toMatchObject({ kind: 'edit', paths: ['x/y.ts'] })
})

test('opencode: the answer is for the plugin', () => {
  expect(opencode.reply({}, [verdict({})])).toBe('')
  expect(JSON.parse(opencode.reply({}, [verdict({ deny: 'no' })]))).toEqual({ deny: 'no', note: null })
})

test('any other client uses the words of the engine', () => {
  const event = { event: 'call_start', session_id: 'x', workspace: '/ws', tool: 'edit', kind: 'edit', paths: ['a'] }
  expect(generic.hear(event, {}).events).toEqual([{ client: 'generic', ...event }])
  expect(generic.hear({ ...event, workspace: undefined, cwd: '/other' }, {}).events[0]?.workspace).toBe('/other')
  for (const bad of [{}, { event: 'x' }, { session_id: 'x' }, { event: 'turn_end', session_id: 'x' }])
    expect(generic.hear(bad, {})).toMatchObject({ events: [], ignored: expect.any(String) })
  expect(JSON.parse(generic.reply({}, [verdict({ note: 'hi' })])).note).toBe('hi')
})
