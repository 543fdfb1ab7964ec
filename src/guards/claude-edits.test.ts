import { expect, test } from 'vitest'
import { editOf } from './claude-edits.ts'

const shows = (tool_name: string, tool_input: object, content: string): boolean | undefined =>
  editOf({ hook_event_name: 'PreToolUse', cwd: '/ws', tool_name, tool_input })?.shows(Buffer.from(content))

const edit = (old_string: string, new_string: string) => ({ file_path: 'a', old_string, new_string })
const notebook = (...cells: object[]): string => JSON.stringify({ cells })

test.each([
  ['all that was to be written', 'Write', { file_path: 'a', content: 'ä\n' }, 'ä\n', true],
  ['half of it', 'Write', { file_path: 'a', content: 'ä\nb\n' }, 'ä\n', false],
  ['more than it', 'Write', { file_path: 'a', content: 'ä\n' }, 'ä\nb\n', false],
  ['nothing, as wanted', 'Write', { file_path: 'a', content: '' }, '', true],
  ['the new text in the place of the old', 'Edit', edit('one', 'two'), 'a two b', true],
  ['both', 'Edit', edit('one', 'two'), 'one two', false],
  ['neither', 'Edit', edit('one', 'two'), 'three', false],
  ['the old text as part of the new', 'Edit', edit('one', 'one more'), 'one more', true],
  ['the old text, which the new one goes on with', 'Edit', edit('one', 'one more'), 'one', false],
  ['nothing where the old text was', 'Edit', edit('one', ''), 'two', true],
  ['the old text, which was to go', 'Edit', edit('one', ''), 'one', false],
  ['other line ends', 'Edit', edit('a\nb', 'c\nd'), 'x\r\nc\r\nd\r\n', true],
  ['the last of several', 'MultiEdit', { file_path: 'a', edits: [edit('1', '2'), edit('2', '3')] }, '3', true],
  ['not the last of several', 'MultiEdit', { file_path: 'a', edits: [edit('1', '2'), edit('2', '3')] }, '2', false],
  [
    'a cell with the new source',
    'NotebookEdit',
    { notebook_path: 'a', new_source: 'x\ny' },
    notebook({ source: ['x\n', 'y'] }),
    true,
  ],
  ['another cell', 'NotebookEdit', { notebook_path: 'a', new_source: 'x' }, notebook({ source: 'y' }), false],
  [
    'no such cell',
    'NotebookEdit',
    { notebook_path: 'a', edit_mode: 'delete', cell_id: 'c' },
    notebook({ id: 'd' }),
    true,
  ],
  [
    'the cell that was to go',
    'NotebookEdit',
    { notebook_path: 'a', edit_mode: 'delete', cell_id: 'c' },
    notebook({ id: 'c' }),
    false,
  ],
  ['half a notebook', 'NotebookEdit', { notebook_path: 'a', edit_mode: 'delete', cell_id: 'c' }, '{"cells":[', false],
])('a file shows an edit or not: %s', (_, tool, input, content, isShown) => {
  expect(shows(tool, input, content)).toBe(isShown)
})

test('an edit is announced before it, by a tool that edits, of a file', () => {
  const payload = { hook_event_name: 'PreToolUse', cwd: '/ws', tool_name: 'Write', tool_input: { file_path: 'b/a' } }
  expect(editOf(payload)?.file).toBe('/ws/b/a')
  expect(editOf({ ...payload, tool_input: { file_path: '/c' } })?.file).toBe('/c')
  for (const other of [
    { hook_event_name: 'PostToolUse' },
    { hook_event_name: 'PostToolUseFailure' },
    { tool_name: 'Bash' },
    { tool_name: 'constructor' },
    { tool_input: { file_path: 1 } },
    { tool_input: null },
  ])
    expect(editOf({ ...payload, ...other })).toBeUndefined()
})

test('input that makes no sense shows nothing', () => {
  for (const tool of ['Write', 'Edit', 'MultiEdit', 'NotebookEdit'])
    for (const input of [{}, { content: 1 }, { old_string: null }, { edits: 'x' }, { edits: [] }, { new_source: 3 }])
      expect(shows(tool, { file_path: 'a', ...input }, 'x')).toBe(false)
})
