import { expect, test } from 'vitest'
import { addEntries, ourEntries, removeEntries } from './settings-text.ts'

const entry = { hooks: [{ type: 'command', command: '/opt/timewarp/bin/timewarp-hook', args: ['claude'] }] }
const ENTRIES = { PreToolUse: [{ matcher: 'x', ...entry }], Stop: [entry, { matcher: 'y', ...entry }] }
const isOurs = (hook: object): boolean => JSON.stringify(hook).includes('timewarp-hook')

function added(text: string): { text: string; pieces: readonly string[] } {
  const edit = addEntries(text, ENTRIES)
  if ('problem' in edit) throw new Error(edit.problem)
  return edit
}
const removed = (text: string, pieces: readonly string[] = []): string => {
  const edit = removeEntries(text, pieces, isOurs)
  if ('problem' in edit) throw new Error(edit.problem)
  return edit.text
}

const SETTINGS: Readonly<Record<string, string>> = {
  empty: '',
  blank: ' \n',
  braces: '{}',
  'braces with a line': '{\n}\n',
  'one line': '{"model":"opus","env":{"A":"1"}}',
  usual: '{\n  "model": "opus",\n  "permissions": { "allow": ["Bash(ls)"] }\n}\n',
  tabs: '{\n\t"model": "opus"\n}',
  'four spaces, CRLF': '{\r\n    "model": "opus"\r\n}\r\n',
  comments: '// mine\n{\n  // about the model\n  "model": "opus", // the large one\n  /* end */\n}\n',
  'trailing comma': '{\n  "model": "opus",\n}\n',
  'byte order mark': '\uFEFF{"model":"opus"}\n',
  'empty hooks': '{\n  "hooks": {}\n}\n',
  'empty lists': '{\n  "hooks": { "PreToolUse": [], "Stop": [ ] }\n}\n',
  'hooks of others':
    '{\n  "hooks": {\n    "PreToolUse": [\n      { "matcher": "Bash", "hooks": [{ "type": "command", "command": "lint" }] },\n    ],\n    "Notification": [{ "hooks": [] }]\n  },\n  "model": "opus"\n}\n',
  'odd names': '{ "a\\"b": "\\\\", "$&": "$1", "ü": "\\u00fc" }',
  'a comment alone': '// nothing yet',
}

for (const [name, text] of Object.entries(SETTINGS)) {
  test(`${name}: hooks come in, everything else stays, and they leave no trace`, () => {
    const edit = added(text)
    expect(ourEntries(edit.text, isOurs)).toEqual(ENTRIES)
    // Whatever was there is still there, in its order.
    for (let at = 0, rest = edit.text; at < text.length; at++) {
      const found = rest.indexOf(text[at] as string)
      expect(found, `${name} at ${at}`).toBeGreaterThanOrEqual(0)
      rest = rest.slice(found + 1)
    }
    expect(removed(edit.text, edit.pieces)).toBe(text)
  })

  test(`${name}: what a person changed meanwhile stays`, () => {
    const edit = added(text)
    const changed = edit.text.replace('opus', () => 'haiku')
    expect(removed(changed, edit.pieces)).toBe(text.replace('opus', () => 'haiku'))
  })

  test(`${name}: hooks are found without a receipt, also in a text that was written anew`, () => {
    const again = removed(added(text).text)
    expect(ourEntries(again, isOurs)).toEqual({})
    if (name === 'a comment alone' || name === 'byte order mark' || name === 'comments' || name.includes('trailing'))
      return
    if (name === 'hooks of others') return
    const anew = JSON.stringify(JSON.parse(added(text).text), null, 3)
    const bare = removed(anew, added(text).pieces)
    expect(ourEntries(bare, isOurs)).toEqual({})
    const { hooks: _, ...others } = (text.trim() === '' ? {} : JSON.parse(text)) as { hooks?: object }
    expect(JSON.parse(bare)).toEqual(others)
  })
}

test('line ends and indentation are those of the file', () => {
  const crlf = added(SETTINGS['four spaces, CRLF'] as string).text
  expect(crlf.replaceAll('\r\n', '')).not.toContain('\n')
  expect(crlf).toContain('\r\n    "hooks": {\r\n        "PreToolUse"')
  expect(added(SETTINGS['tabs'] as string).text).toContain('\n\t"hooks": {\n\t\t"PreToolUse"')
})

test('a hook that somebody put beside ours stays', () => {
  const text = JSON.stringify({
    hooks: { Stop: [{ hooks: [entry.hooks[0], { type: 'command', command: 'mine' }] }], PreToolUse: [entry] },
  })
  expect(JSON.parse(removed(text))).toEqual({ hooks: { Stop: [{ hooks: [{ type: 'command', command: 'mine' }] }] } })
})

test('settings that cannot be understood are refused with the place', () => {
  const problem = (text: string) => (addEntries(text, ENTRIES) as { problem: string }).problem
  expect(problem('{"a": 1')).toMatch(/not valid JSON .* at line 1, column 8/)
  expect(problem('{\n  "a" 1\n}')).toBe('It is not valid JSON (ColonExpected at line 2, column 7)')
  expect(problem('{"a": nope}')).toMatch(/InvalidSymbol at line 1, column 7/)
  expect(problem('[]')).toBe('It is not an object')
  expect(problem('{"hooks": []}')).toBe('"hooks" is not an object')
  expect(problem('{"hooks": {"Stop": {}}}')).toBe('"hooks.Stop" is not a list')
  expect(problem('{} {}')).toMatch(/EndOfFileExpected/)
  expect(problem('['.repeat(500))).toMatch(/not valid JSON/)
  expect(problem('['.repeat(200_000))).toBe('It is nested too deeply')
})
