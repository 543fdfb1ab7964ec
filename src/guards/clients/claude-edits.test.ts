import { expect, test } from 'vitest'
import { announcedBy } from './claude-edits.ts'

const announce = (tool_name: string, tool_input: object) =>
  announcedBy({ hook_event_name: 'PreToolUse', tool_name, tool_input: { file_path: 'a', ...tool_input } })

/** What Claude Code was seen to make of files. */
const wide = (text: string): Buffer => Buffer.from(text, 'utf16le')
const edit = (old_string: string, new_string: string, replace_all?: boolean) =>
  ['Edit', { old_string, new_string, ...(replace_all === undefined ? {} : { replace_all }) }] as const
const several = (...edits: (readonly ['Edit', object])[]) =>
  ['MultiEdit', { edits: edits.map(([, one]) => one) }] as const
const write = (content: string) => ['Write', { content }] as const

test.each([
  ['one', 'one\ntwo\nthree\n', edit('two', 'zwei'), 'one\nzwei\nthree\n'],
  ['all', 'a b a b a\n', edit('a', 'cc', true), 'cc b cc b cc\n'],
  ['nothing of a pattern', 'one\ntwo\n', edit('two', "$& $1 $$ $'"), "one\n$& $1 $$ $'\n"],
  ['other line ends', 'one\r\ntwo\r\n3\r\n', edit('one\ntwo', 'a\nb\nc'), 'a\r\nb\r\nc\r\n3\r\n'],
  ['few other line ends', '1\r\n2\n3\r\n4\n5\n', edit('3', 'a\nb'), '1\n2\na\nb\n4\n5\n'],
  ['many other line ends', '1\r\n2\r\n3\r\n4\n5\r\n', edit('3', 'a\nb'), '1\r\n2\r\na\r\nb\r\n4\r\n5\r\n'],
  ['a mark', '\ufeffone\n', edit('one', 'two'), '\ufefftwo\n'],
  ['wide letters', wide('\ufeffone\r\n'), edit('one', 'ü'), wide('\ufeffü\r\n')],
  ['a text taken out with its line', 'one\ntwo\nthree\n', edit('two', ''), 'one\nthree\n'],
  ['a text taken out of a line', 'one two\n', edit('one ', ''), 'two\n'],
  ['all with their lines', 'one\ntwo\nthree\ntwo', edit('two', '', true), 'one\nthree\ntwo'],
  ['a new file', undefined, edit('', 'fresh\r\n'), 'fresh\r\n'],
  ['an empty file', '', edit('', 'fresh\n'), 'fresh\n'],
  ['several, one after the other', 'one\ntwo\n', several(edit('two', 'three'), edit('three', '3')), 'one\n3\n'],
  ['several, a new file first', undefined, several(edit('', 'one\n'), edit('one', '1')), '1\n'],
  ['all of a new file', undefined, write('ä\n'), 'ä\n'],
  ['all of an old one', 'a\r\nb\r\n', write('x\ny\n'), 'x\ny\n'],
  ['nothing', 'a', write(''), ''],
  ['all after a mark', '\ufeffone\n', write('two\n'), '\ufefftwo\n'],
  ['all in wide letters', wide('\ufeffone\n'), write('two\n'), wide('\ufefftwo\n')],
  ['half a letter', undefined, write('x\ud800y'), 'x\ufffdy'],
])('what an edit makes is known: %s', (_, before, [tool, input], after) => {
  const made = announce(tool, input)?.makes(typeof before === 'string' ? Buffer.from(before) : before)
  expect(made?.toString('latin1')).toBe(Buffer.from(after).toString('latin1'))
})

test.each([
  ['a text that is not there', 'one\n', edit('two', 'x')],
  ['a text that is there twice', 'one one\n', edit('one', 'x')],
  ['a text in a file that is not there', undefined, edit('one', 'x')],
  ['a new file where there is one', 'one\n', edit('', 'x')],
  ['a mark of its own', 'one\n', write('\ufeffx')],
  ['several, one of which is not there', 'one\n', several(edit('two', 'x'), edit('', 'y'))],
  ['none of several', 'one\n', ['MultiEdit', {}] as const],
  ['no text', 'one\n', ['Write', {}] as const],
  ['no texts', 'one\n', ['Edit', { old_string: null, new_string: 1 }] as const],
])('what an edit makes is not known: %s', (_, before, [tool, input]) => {
  expect(announce(tool, input)?.makes(before === undefined ? undefined : Buffer.from(before))).toBeUndefined()
})

test('an edit is announced before it, by a tool whose file shows it', () => {
  const payload = { hook_event_name: 'PreToolUse', tool_name: 'Write', tool_input: { file_path: 'b/a', content: '' } }
  expect(announcedBy(payload)?.file).toBe('b/a')
  for (const other of [
    { hook_event_name: 'PostToolUse' },
    { hook_event_name: 'PostToolUseFailure' },
    { tool_name: 'Bash' },
    { tool_name: 'NotebookEdit' },
    { tool_name: 'constructor' },
    { tool_input: { file_path: 1 } },
    { tool_input: null },
  ])
    expect(announcedBy({ ...payload, ...other })).toBeUndefined()
})
