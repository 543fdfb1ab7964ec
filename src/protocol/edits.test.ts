import { expect, test } from 'vitest'
import { z } from 'zod'
import type { FaultCode } from '../base/fault.ts'
import { FAULTS } from '../base/fault.ts'
import { grammarOf } from '../cli/parse/grammar.ts'
import { COMMANDS } from '../cli/verbs.ts'
import type { EditOp } from '../edits/ops.ts'
import { CATALOGUE, findTool } from './catalogue.ts'
import * as edits from './edits.ts'
import { COMMON_FAULTS, type Spec } from './spec.ts'

const specs = Object.values(edits).filter((each) => 'faults' in each) as unknown as Spec[]

test('pin: tools, verbs and the names of the seed', () => {
  const names = specs.map((spec) => [spec.name, findTool(spec.name)?.aliases[0], spec.verb?.name ?? spec.name])
  expect(names.sort(([a = ''], [b = '']) => (a < b ? -1 : 1))).toEqual([
    ['apply_edit_block', 'ApplyEditBlock', 'edit'],
    ['apply_edits', 'ApplyEdits', 'apply_edits'],
    ['apply_ranged_edit', 'ApplyRangedEdit', 'edit-lines'],
    ['apply_unified_diff', 'ApplyUnifiedDiff', 'patch'],
    ['apply_whole_file_edit', 'ApplyWholeFileEdit', 'write'],
    ['create_directory', 'CreateDirectory', 'mkdir'],
    ['delete', 'Delete', 'rm'],
    ['rename', 'Rename', 'mv'],
  ])
})

test('no verb is taken by another command', () => {
  const own = new Set(specs.map(({ name }) => name))
  const others = CATALOGUE.filter(({ tool }) => !own.has(tool)).map(({ verb }) => verb)
  const taken = new Set([...COMMANDS.keys(), 'help', ...others])
  expect(specs.map((spec) => spec.verb?.name ?? spec.name).filter((verb) => taken.has(verb))).toEqual([])
})

test('every field is described, every fault known and none told twice', () => {
  for (const { name, input, faults } of specs) {
    const { properties = {} } = z.toJSONSchema(input, { io: 'input' })
    for (const [field, schema] of Object.entries(properties))
      expect((schema as { description?: string }).description, `${name}.${field}`).toBeTruthy()
    expect(faults.filter((code: FaultCode) => !(code in FAULTS) || COMMON_FAULTS.includes(code))).toEqual([])
    expect(new Set(faults).size).toBe(faults.length)
    expect(() => z.toJSONSchema(input, { io: 'input' })).not.toThrow()
  }
})

test('the words of every verb are fields of its input', () => {
  for (const spec of specs)
    expect(grammarOf(spec.name, spec).words.map(({ name }) => name)).toEqual(spec.verb?.words ?? [])
})

test('each tool takes the fields of its kind of edit', () => {
  const ops = {
    block: 'apply_edit_block',
    whole: 'apply_whole_file_edit',
    ranged: 'apply_ranged_edit',
    diff: 'apply_unified_diff',
  }
  const toolOf = (op: string): string => ops[op as keyof typeof ops] ?? op
  for (const { shape } of edits.Edit.options) {
    const { op, ...fields } = shape
    const tool = specs.find(({ name }) => name === toolOf(op.value))
    for (const [field, schema] of Object.entries(fields)) expect(tool?.input.shape[field], field).toBe(schema)
  }
})

test('what apply_edits takes is what is planned', () => {
  const given = {
    edits: [
      { op: 'block', path: 'a', search_block: 'x', replace_block: 'y', expected_hash: 'absent' },
      { op: 'rename', from: 'a', to: 'b' },
    ],
  }
  const ops: readonly EditOp[] = edits.ApplyEdits.input.parse(given).edits
  expect(ops).toEqual(given.edits)
  const refused = [
    { edits: [] },
    { edits: [{ op: 'explode', path: 'a' }] },
    { edits: [{ op: 'delete', path: 'a', recursive: true }] },
    { edits: [{ op: 'delete', path: 'a', expected_hash: 'ABC' }] },
    { edits: [{ op: 'block', path: 'a', search_block: '', replace_block: '', occurrence: 0 }] },
    { edits: [{ op: 'ranged', path: 'a', start_line: 0, end_line: 0, content: '' }] },
    { edits: [{ op: 'whole', path: 'a', content_base64: '%' }] },
  ]
  for (const input of refused)
    expect(edits.ApplyEdits.input.safeParse(input).success, JSON.stringify(input)).toBe(false)
})

const answer: edits.EditAnswer = {
  snapshot_id: 's_2',
  base_id: 's_1',
  affected_files: ['a.ts', 'new\nline'],
  preview_diff: '--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-x\n+y\n',
  lines_added: 1,
  lines_removed: 1,
  hashes: {},
  warnings: ['a.ts had CRLF line ends only, and now has LF.'],
  dry_run: false,
}

test('an edit is told with what it changed and how to take it back', () => {
  expect(edits.ApplyEditBlock.text(answer)).toMatchInlineSnapshot(`
    "Changed 2 paths: 1 line added, 1 removed.
      a.ts
      "new\\nline"
    Warning: a.ts had CRLF line ends only, and now has LF.
    Snapshot: s_2
    Undo with: timewarp undo"
  `)
})

test('a dry run is told as the diff', () => {
  const dry = { ...answer, snapshot_id: null, base_id: null, warnings: [], dry_run: true }
  expect(edits.Rename.text(dry)).toMatchInlineSnapshot(`
    "Would change 2 paths: 1 line added, 1 removed.
    --- a/a.ts
    +++ b/a.ts
    @@ -1 +1 @@
    -x
    +y"
  `)
})

test('an edit that changes nothing says so, and many paths are cut short', () => {
  expect(edits.Delete.text({ ...answer, affected_files: [], warnings: [] })).toBe('Nothing changed.')
  const many = Array.from({ length: 25 }, (_, i) => `f${i}`)
  expect(edits.Delete.text({ ...answer, affected_files: many, warnings: [] })).toContain('  f19\n  … and 5 more\n')
})
