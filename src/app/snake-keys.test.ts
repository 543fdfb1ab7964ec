import { expect, test } from 'vitest'
import { z } from 'zod'
import { ApplyEdits } from '../protocol/edits.ts'
import { snakeKeys } from './snake-keys.ts'

test('fields in camel case are known at any depth', () => {
  const edits = [
    { op: 'block', path: 'a', searchBlock: 'x', replaceBlock: 'y', expectedHash: 'absent' },
    { op: 'ranged', path: 'a', startLine: 1, end_line: 2, content: '' },
  ]
  expect(snakeKeys({ edits, dryRun: true, sessionId: 's' }, ApplyEdits.input)).toEqual({
    edits: [
      { op: 'block', path: 'a', search_block: 'x', replace_block: 'y', expected_hash: 'absent' },
      { op: 'ranged', path: 'a', start_line: 1, end_line: 2, content: '' },
    ],
    dry_run: true,
    session_id: 's',
  })
})

test('what a schema leaves open stays as it is, and so does what no field is called', () => {
  const inner = z.object({ file_path: z.string() })
  const schema = z.object({
    tool_input: z.unknown(),
    by_name: z.record(z.string(), inner).optional(),
    maybe_one: inner.nullable().default(null),
  })
  const free = { filePath: 'a', nested: [{ dryRun: 1 }] }
  const input = { toolInput: free, byName: { aKey: { filePath: 'a' } }, maybeOne: { filePath: 'a', noField: 1 } }
  expect(snakeKeys(input, schema)).toEqual({
    tool_input: free,
    by_name: { aKey: { filePath: 'a' } },
    maybe_one: { file_path: 'a', noField: 1 },
  })
})

test.each([null, 'text', 7, ['a'], undefined])('%j is not for it to judge', (input) => {
  expect(snakeKeys(input, ApplyEdits.input)).toEqual(input)
})
