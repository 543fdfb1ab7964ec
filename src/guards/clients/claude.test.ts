import { expect, test } from 'vitest'
import { claude, codex } from './claude.ts'
import type { GuardEvent, Payload, Verdict } from './event.ts'

/** Payloads as the real clients send them; what is the same for all is left out. */
const base = {
  session_id: 'main-session',
  transcript_path: '/conf/projects/ws/main-session.jsonl',
  cwd: '/ws',
  prompt_id: 'p1',
  permission_mode: 'acceptEdits',
}
const said = (hook_event_name: string, more: Payload = {}): Payload => ({ ...base, hook_event_name, ...more })
const events = (payload: Payload, project?: string): readonly GuardEvent[] => claude.hear(payload, { project }).events
const one = (payload: Payload, project?: string): GuardEvent => {
  expect(events(payload, project)).toHaveLength(1)
  return events(payload, project)[0] as GuardEvent
}
const verdict = (part: Partial<Verdict>): Verdict => ({ covered: true, reason: null, deny: null, note: null, ...part })

test('a session begins, whatever it was before; one that goes on after compaction does not begin', () => {
  for (const source of ['startup', 'resume', 'clear'])
    expect(one(said('SessionStart', { source }))).toMatchObject({
      event: 'session_start',
      session_id: 'main-session',
      workspace: '/ws',
      client: 'claude',
      transcript: base.transcript_path,
    })
  expect(events(said('SessionStart', { source: 'compact' }))).toEqual([])
})

test('the workspace is the folder the client was started for, not the one it is in now', () => {
  expect(
    one(said('PreToolUse', { cwd: '/ws/deep', tool_name: 'Bash', tool_input: { command: 'ls' } }), '/ws'),
  ).toMatchObject({ workspace: '/ws', cwd: '/ws/deep' })
})

test('calls of edit tools name their files, those of Bash their command', () => {
  const call = (tool_name: string, tool_input: object) =>
    one(said('PreToolUse', { tool_name, tool_input, tool_use_id: 'toolu_1' }))
  for (const [tool, field] of [
    ['Write', 'file_path'],
    ['Edit', 'file_path'],
    ['MultiEdit', 'file_path'],
    ['NotebookEdit', 'notebook_path'],
  ] as const)
    expect(call(tool, { [field]: '/ws/a' })).toMatchObject({
      event: 'call_start',
      call_id: 'toolu_1',
      tool,
      kind: 'edit',
      paths: ['/ws/a'],
      prompt_id: 'p1',
    })
  expect(call('Bash', { command: 'rm -rf build' })).toMatchObject({ kind: 'shell', command: 'rm -rf build' })
  expect(call('Bash', { command: 'x', run_in_background: true })).toMatchObject({ kind: 'shell', background: true })
  expect(call('Read', { file_path: '/ws/a' }).kind).toBe('read')
  expect(call('Agent', { prompt: 'x' }).kind).toBe('delegate')
  expect(call('mcp__mini__write', {}).kind).toBe('other')
  expect(call('mcp__timewarp__apply_edit_block', {}).kind).toBe('read')
  expect(call('mcp__plugin_timewarp_timewarp__undo', {}).kind).toBe('read')
  expect(call('SomethingNew', {}).kind).toBe('other')
  expect(call('Write', {}).kind).toBe('other')
})

test('long texts of an input are cut, for their content is in the snapshots', () => {
  const input = { file_path: '/ws/a', content: 'x'.repeat(100_000) }
  const event = one(said('PreToolUse', { tool_name: 'Write', tool_input: input, tool_use_id: 't' }))
  expect(JSON.stringify(event.tool_input).length).toBeLessThan(3000)
})

test('a call ends well, with a failure, or by an interrupt', () => {
  const of = { tool_name: 'Bash', tool_input: { command: 'make' }, tool_use_id: 'toolu_2' }
  expect(one(said('PostToolUse', { ...of, tool_response: { stdout: '', interrupted: false } }))).toEqual({
    workspace: '/ws',
    client: 'claude',
    cwd: '/ws',
    session_id: 'main-session',
    prompt_id: 'p1',
    transcript: base.transcript_path,
    event: 'call_end',
    call_id: 'toolu_2',
    tool: 'Bash',
    kind: 'shell',
    tool_input: { command: 'make' },
    command: 'make',
  })
  expect(one(said('PostToolUse', { ...of, tool_response: { interrupted: true } })).interrupted).toBe(true)
  expect(one(said('PostToolUseFailure', { ...of, error: 'Exit code 3\nbad', is_interrupt: false }))).toMatchObject({
    event: 'call_end',
    failed: true,
    error: 'Exit code 3\nbad',
  })
  expect(one(said('PostToolUseFailure', { ...of, error: 'x', is_interrupt: true })).interrupted).toBe(true)
})

test('a command that was sent into the background stays open until it is reported finished', () => {
  const of = { tool_name: 'Bash', tool_input: { command: 'sleep 9' }, tool_use_id: 'toolu_3' }
  expect(one(said('PostToolUse', { ...of, tool_response: { backgroundTaskId: 'b1' } })).background).toBe(true)
  const notified =
    '<task-notification>\n<task-id>b1</task-id>\n<tool-use-id>toolu_3</tool-use-id>\n<status>completed</status>\n</task-notification>'
  expect(one(said('UserPromptSubmit', { prompt: notified }))).toMatchObject({
    event: 'background_end',
    call_id: 'toolu_3',
  })
  expect(events(said('Stop', { background_tasks: [{ id: 'b1', status: 'running' }] })).map((e) => e.event)).toEqual([
    'turn_end',
  ])
  expect(events(said('Stop', { background_tasks: [] })).map((e) => e.event)).toEqual(['background_end', 'turn_end'])
})

test('a prompt is what a person typed', () => {
  expect(one(said('UserPromptSubmit', { prompt: 'make it blue' }))).toMatchObject({
    event: 'prompt',
    prompt_id: 'p1',
    prompt: 'make it blue',
  })
})

test('a sub-agent is a session of its own with a parent', () => {
  const sub = { agent_id: 'a9dd', agent_type: 'general-purpose' }
  expect(one(said('SubagentStart', sub))).toMatchObject({
    event: 'session_start',
    session_id: 'a9dd',
    parent_session_id: 'main-session',
  })
  expect(
    one(said('PreToolUse', { ...sub, tool_name: 'Bash', tool_input: { command: 'x' }, tool_use_id: 't' })),
  ).toMatchObject({ session_id: 'a9dd', parent_session_id: 'main-session', prompt_id: 'p1' })
  expect(events(said('SubagentStop', sub)).map(({ event, session_id }) => [event, session_id])).toEqual([
    ['turn_end', 'a9dd'],
    ['session_end', 'a9dd'],
  ])
  expect(events(said('SubagentStop', { agent_id: 'x', agent_type: '' }))).toEqual([])
  expect(events(said('SubagentStop'))).toEqual([])
})

test('agents that are hooks are nobody', () => {
  const hook = { agent_id: 'hook-agent-2b38', tool_name: 'Write', tool_input: { file_path: '/ws/w' }, tool_use_id: 't' }
  expect(events(said('PreToolUse', hook))).toEqual([])
})

test('garbage comes to nothing', () => {
  for (const payload of [{}, { hook_event_name: 'PreToolUse' }, said('MessageDisplay'), said('constructor'), said('x')])
    expect(claude.hear(payload, {})).toMatchObject({ events: [], ignored: expect.any(String) })
  const odd = said('PreToolUse', { tool_name: 5, tool_input: [1], tool_use_id: {} })
  expect(one(odd)).toMatchObject({ event: 'call_start', tool: 'unknown', kind: 'other' })
})

test('the client hears a denial before a call, and a note where it takes one', () => {
  const deny = [verdict({ deny: 'It would delete the store.' })]
  expect(JSON.parse(claude.reply(said('PreToolUse'), deny))).toEqual({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: 'It would delete the store.',
    },
  })
  expect(claude.reply(said('PostToolUse'), deny)).toBe('')
  const note = [verdict({}), verdict({ note: 'Take it back with: timewarp undo' })]
  expect(JSON.parse(claude.reply(said('SessionStart'), note))).toEqual({
    hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'Take it back with: timewarp undo' },
  })
  expect(claude.reply(said('Stop'), note)).toBe('')
  expect(claude.reply(said('SessionStart'), [])).toBe('')
})

test('Codex: a patch names the files it touches, a sub-agent has no prompt of its own', () => {
  const turn = { session_id: 'c1', turn_id: 'turn-1', cwd: '/ws', tool_use_id: 'call_1' }
  const patch =
    '*** Begin Patch\n*** Add File: a.txt\n+hello\n*** Update File: b c.txt\n*** Move to: d.txt\n@@\n-x\n+*** Add File: no\n*** Delete File: e.txt\n*** End Patch\n'
  const hear = (payload: Payload) => codex.hear({ ...turn, ...payload }, {}).events[0]
  expect(
    hear({ hook_event_name: 'PreToolUse', tool_name: 'apply_patch', tool_input: { command: patch } }),
  ).toMatchObject({
    client: 'codex',
    kind: 'edit',
    paths: ['a.txt', 'b c.txt', 'd.txt', 'e.txt'],
    prompt_id: 'turn-1',
  })
  expect(hear({ hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'ls' } })).toMatchObject({
    kind: 'shell',
    command: 'ls',
  })
  expect(
    hear({ hook_event_name: 'PreToolUse', tool_name: 'shell', tool_input: { command: ['bash', '-lc', 'echo 1'] } }),
  ).toMatchObject({ kind: 'shell', command: 'echo 1' })
  expect(hear({ hook_event_name: 'PreToolUse', tool_name: 'spawn_agent', tool_input: {} })?.kind).toBe('delegate')
  expect(hear({ hook_event_name: 'UserPromptSubmit', prompt: 'go' })).toMatchObject({
    event: 'prompt',
    prompt_id: 'turn-1',
  })
  const sub = hear({ hook_event_name: 'UserPromptSubmit', agent_id: 'a1', agent_type: 'default', prompt: 'do it' })
  expect(sub).toMatchObject({ event: 'session_start', session_id: 'a1', parent_session_id: 'c1', task_hint: 'do it' })
  expect(sub).not.toHaveProperty('prompt_id')
})
