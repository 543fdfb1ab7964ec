import fc from 'fast-check'
import { expect, test } from 'vitest'
import { writeDiff } from '../diff/unified.ts'
import { recordedPath as rel } from '../schema/path.ts'
import { fileChange } from './file-change.ts'
import type { EditOp } from './ops.ts'
import { previewOf } from './plan-preview.ts'
import { file, hash, link, plan, world } from './plan-testing.ts'

const preview = (before: Parameters<typeof world>[0], ...ops: EditOp[]) => {
  const { diff, ...rest } = previewOf(plan(world(before), ops))
  return { ...rest, diff: Buffer.from(diff).toString() }
}

test('a plan is told as a diff, with what it affects and the hashes afterwards', () => {
  const ops: EditOp[] = [
    { op: 'block', path: rel('run'), search_block: '2', replace_block: 'two\nmore' },
    { op: 'delete', path: rel('d') },
    { op: 'create_directory', path: rel('new/empty') },
  ]
  expect(preview({ run: file('1\n2\n', 0o755), 'd/l': link('run') }, ...ops)).toEqual({
    affected_files: ['d/l', 'new/empty', 'run'],
    lines_added: 2,
    lines_removed: 2,
    hashes: { 'd/l': 'absent', run: hash('1\ntwo\nmore\n') },
    diff: [
      'diff --git a/d/l b/d/l',
      'deleted file mode 120000',
      'index e5224d5..0000000',
      '--- a/d/l',
      '+++ /dev/null',
      '@@ -1 +0,0 @@',
      '-run',
      '\\ No newline at end of file',
      'diff --git a/run b/run',
      'index 1191247..c9440b3 100755',
      '--- a/run',
      '+++ b/run',
      '@@ -1,2 +1,3 @@',
      ' 1',
      '-2',
      '+two',
      '+more',
      '',
    ].join('\n'),
  })
})

test('a folder that goes empty is affected, one that holds what is affected is not named', () => {
  const before = { 'd/e': { ...link(''), kind: 'directory' as const } }
  expect(preview(before, { op: 'delete', path: rel('d') }).affected_files).toEqual(['d/e'])
  expect(preview({}, { op: 'whole', path: rel('x/y'), content: '' }).affected_files).toEqual(['x/y'])
})

test('a move is a rename, unless something else happens at either end', () => {
  const rename: EditOp = { op: 'rename', from: rel('a'), to: rel('d/b') }
  const moved = preview({ a: 'x\n' }, rename)
  expect(moved).toMatchObject({ affected_files: ['a', 'd/b'], lines_added: 0, lines_removed: 0 })
  expect(moved.diff).toBe('diff --git a/a b/d/b\nsimilarity index 100%\nrename from a\nrename to d/b\n')
  const replaced = preview({ a: 'x\n' }, rename, { op: 'whole', path: rel('a'), content: 'y\n' })
  expect(replaced).toMatchObject({ lines_added: 2, lines_removed: 1 })
  expect(replaced.diff).not.toContain('rename')
})

test('of many edits in a row each is told as if nothing were remembered of the others', () => {
  const state = (text: string) => ({ kind: 'file' as const, mode: 0o644, bytes: Buffer.from(text) })
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 2 }), { minLength: 2, maxLength: 200 }), (texts) => {
      for (const [i, text] of texts.slice(1).entries()) {
        const before = texts[i] as string
        const told = preview({ a: before }, { op: 'whole', path: rel('a'), content: text }).diff
        const plain = writeDiff(before === text ? [] : [fileChange('a', state(before), state(text))], 'git')
        expect(told).toBe(Buffer.from(plain).toString())
      }
    }),
    { numRuns: 20 },
  )
})
