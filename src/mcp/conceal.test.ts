import { expect, test } from 'vitest'
import { mergeConfig } from '../schema/config.ts'
import { concealment } from './conceal.ts'

const concealed = concealment(mergeConfig([]), '/ws')
const SECRET = 'hunter2-and-more'
const diff = `diff --git a/.env b/.env\n--- a/.env\n+++ b/.env\n@@ -1 +1 @@ PASSWORD=${SECRET}\n-PASSWORD=old\n+PASSWORD=${SECRET}\n`

test.each([
  { path: '.env', content: `PASSWORD=${SECRET}\n`, content_base64: null, size: 3 },
  { path: '"caf\\303\\251/.env"', content: `PASSWORD=${SECRET}\n` },
  { path: 'keys/id_rsa', content: null, content_base64: Buffer.from(SECRET).toString('base64') },
  { diff, files: [{ path: '.env', status: 'modified' }] },
  { diff: '', diff_base64: Buffer.from(diff).toString('base64') },
  { snapshots: [{ snapshot_id: 's', diff, cause: { tool_input: [{ op: 'whole', path: '.env', content: SECRET }] } }] },
  { path: 'a.txt', lines: [{ line: 1, path: '.env', text: SECRET }] },
  { path: '.env', lines: [{ line: 1, path: 'a.txt', text: SECRET }] },
  { preview_diff: diff, reversed_diff: diff, combined_diff: diff },
  { conflicts: [{ path: '.env', present: SECRET, wanted: SECRET }], hunks: [{ path: '.env', head: SECRET }] },
  { cause: { tool_input: { file_path: '/ws/.env', old_string: SECRET, new_string: SECRET } } },
  { cause: { tool_input: { file_path: '/ws/.env', edits: [{ old_string: SECRET }] } } },
])('nothing of a file with secrets gets out: %#', (given) => {
  const told = JSON.stringify(concealed.output(given))
  expect(told).not.toContain(SECRET)
  expect(told).not.toContain(Buffer.from(SECRET).toString('base64'))
  expect(Object.keys(concealed.output(given)).sort()).toEqual(Object.keys(given).sort())
})

test('everything else is left as it is', () => {
  const given = {
    path: 'src/a.ts',
    content: 'text',
    lines: [{ path: 'src/a.ts', text: 'x' }],
    diff: diff.replaceAll('.env', 'a.txt'),
    more: [null, 1, true, { path: '.env', size: 3, status: 'modified' }],
  }
  expect(concealed.output(given)).toEqual(given)
})

test('names of settings stay, values do not', () => {
  expect(concealed.output({ path: '.env', content: 'A=1\nB=2\n' })).toEqual({
    path: '.env',
    content: 'A=***REDACTED***\nB=***REDACTED***\n',
  })
})

test('a failure tells nothing of it either', () => {
  const near = { code: 'SEARCH_NOT_FOUND', message: `Line 1 is ${SECRET}`, hint: SECRET } as const
  const told = concealed.fault({ ...near, data: { path: '.env', found: SECRET, wanted: 'x' } })
  expect(told).toMatchObject({ code: 'SEARCH_NOT_FOUND', data: { path: '.env' } })
  expect(JSON.stringify(told)).not.toContain(SECRET)
  const plain = { ...near, data: { path: 'a.txt', found: 'x' } }
  expect(concealed.fault(plain)).toBe(plain)
})
