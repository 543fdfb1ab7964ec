/** Transcripts as the clients write them, as short as they can be. Shapes taken from the real ones. */

const lines = (...records: (object | string)[]): string =>
  `${records.map((record) => (typeof record === 'string' ? record : JSON.stringify(record))).join('\n')}\n`

const stamp = (n: number): string => `2026-02-28T15:30:${String(n).padStart(2, '0')}.000Z`

const claudeLine = (type: string, content: unknown, n: number, more: object = {}) => ({
  parentUuid: null,
  isSidechain: false,
  type,
  message: { role: type, content },
  uuid: `u${n}`,
  timestamp: stamp(n),
  sessionId: 'sess',
  ...more,
})

export const claude = lines(
  { type: 'queue-operation', operation: 'enqueue', timestamp: stamp(0), sessionId: 'sess', content: 'go' },
  claudeLine('user', 'Make the tests pass', 1),
  { type: 'attachment', attachment: { type: 'date' }, uuid: 'a', sessionId: 'sess' },
  claudeLine('assistant', [{ type: 'thinking', thinking: 'not for anybody' }], 2),
  claudeLine('assistant', [{ type: 'text', text: 'I run them first.' }], 3),
  claudeLine('assistant', [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'npm test' } }], 4),
  claudeLine('assistant', [{ type: 'tool_use', id: 't2', name: 'Read', input: { file_path: 'a.ts' } }], 5),
  claudeLine('user', [{ type: 'tool_result', tool_use_id: 't2', content: [{ type: 'text', text: 'let a' }] }], 6),
  claudeLine('user', [{ type: 'tool_result', tool_use_id: 't1', content: '1 failed', is_error: true }], 7),
  claudeLine('user', 'Caveat: for the model only', 8, { isMeta: true }),
  claudeLine('assistant', [{ type: 'text', text: 'from a branch' }], 8, { isSidechain: true }),
  claudeLine(
    'user',
    [
      { type: 'text', text: 'See this' },
      { type: 'image', source: {} },
    ],
    9,
  ),
  claudeLine('assistant', [{ type: 'text', text: 'Done.' }], 10),
)

const codexLine = (type: string, payload: object, n: number) => ({ timestamp: stamp(n), type, payload })
const message = (role: string, type: string, text: string) => ({ type: 'message', role, content: [{ type, text }] })

export const codex = lines(
  codexLine('session_meta', { session_id: 'x', cwd: '/w' }, 0),
  codexLine('response_item', message('developer', 'input_text', 'rules'), 1),
  codexLine('response_item', message('user', 'input_text', '<environment_context>\n</environment_context>'), 1),
  codexLine('response_item', message('user', 'input_text', 'Make the file'), 2),
  codexLine('event_msg', { type: 'item_completed', item: { type: 'UserMessage' } }, 2),
  codexLine('response_item', { type: 'reasoning', summary: [] }, 3),
  codexLine('response_item', message('assistant', 'output_text', 'I will patch.'), 3),
  codexLine(
    'response_item',
    { type: 'custom_tool_call', call_id: 'c1', name: 'apply_patch', input: '*** Begin Patch' },
    4,
  ),
  codexLine('response_item', { type: 'custom_tool_call_output', call_id: 'c1', output: 'Success' }, 5),
  codexLine(
    'response_item',
    { type: 'function_call', call_id: 'c2', name: 'echo', namespace: 'mcp__mini', arguments: '{"text":"one"}' },
    6,
  ),
  codexLine(
    'response_item',
    { type: 'function_call_output', call_id: 'c2', output: [{ type: 'input_text', text: 'echo: one' }] },
    7,
  ),
  codexLine(
    'response_item',
    { type: 'function_call', call_id: 'c3', name: 'exec_command', arguments: '{"cmd":"sleep 9"}' },
    8,
  ),
)

const geminiCall = {
  id: 'w1',
  name: 'write_file',
  args: { file_path: 'a', content: 'x' },
  result: [{ functionResponse: { id: 'w1', name: 'write_file', response: { output: 'wrote it' } } }],
  status: 'success',
}
const geminiMessages = [
  { id: 'g1', timestamp: stamp(1), type: 'user', content: [{ text: 'Make the file' }] },
  { id: 'g2', timestamp: stamp(2), type: 'gemini', content: 'I will.', toolCalls: [geminiCall] },
  {
    id: 'g3',
    timestamp: stamp(3),
    type: 'user',
    content: [{ functionResponse: { id: 'w1', response: { output: 'wrote it' } } }],
  },
  { id: 'g4', timestamp: stamp(4), type: 'gemini', content: 'All done.' },
]

/** A message is written when it begins, and again when its calls are over. */
export const gemini = lines(
  { sessionId: 'x', projectHash: 'y', startTime: stamp(0), kind: 'main' },
  geminiMessages[0] ?? {},
  { $set: { lastUpdated: stamp(1) } },
  { ...geminiMessages[1], toolCalls: undefined },
  { $set: { lastUpdated: stamp(2) } },
  geminiMessages[1] ?? {},
  geminiMessages[2] ?? {},
  geminiMessages[3] ?? {},
)

export const geminiDocument = JSON.stringify(
  { sessionId: 'x', projectHash: 'y', messages: geminiMessages },
  undefined,
  2,
)

export const opencode = JSON.stringify(
  {
    info: { id: 'ses_1', title: 'a title' },
    messages: [
      { info: { role: 'user', time: { created: 1772292601000 } }, parts: [{ type: 'text', text: 'Make the file' }] },
      {
        info: { role: 'assistant', time: { created: 1772292602000 } },
        parts: [
          { type: 'step-start' },
          { type: 'text', text: 'I will.' },
          {
            type: 'tool',
            tool: 'write',
            callID: 'c1',
            state: { status: 'completed', input: { filePath: 'a' }, output: 'Wrote it.' },
          },
          {
            type: 'tool',
            tool: 'bash',
            callID: 'c2',
            state: { status: 'error', input: { command: 'x' }, error: 'denied' },
          },
        ],
      },
    ],
  },
  undefined,
  2,
)

export const broken = lines(
  '{"type":"user","message":{"role":"user","con',
  claudeLine('user', 'still here', 1),
  'not JSON at all',
  { type: 'of-a-kind-to-come', words: 'hello' },
  '[1, "x", null]',
  claudeLine('assistant', 7, 2),
  claudeLine('assistant', [{ type: 'tool_use' }, null, 'loose', { type: 'tool_result', content: null }], 3),
)
