import { expect, test } from 'vitest'
import { recordedPath as rel } from '../schema/path.ts'
import type { EditOp } from './ops.ts'
import {
  bytes,
  diffOf,
  drawn,
  edited,
  fakeDiff,
  faultOf,
  file,
  folder,
  hash,
  link,
  plan,
  world,
} from './plan-testing.ts'

const result = (before: Parameters<typeof world>[0], ...ops: EditOp[]) => drawn(edited(world(before), ops, fakeDiff))
const fault = (before: Parameters<typeof world>[0], ...ops: EditOp[]) =>
  faultOf(() => plan(world(before), ops, fakeDiff))

test('a diff adds, changes, deletes and moves files', () => {
  const before = { a: 'x', run: file('y', 0o755), 'd/gone': 'z', old: 'o' }
  const diff = diffOf(
    { path: 'a', text: 'X' },
    { path: 'run', text: 'Y' },
    { path: 'd/gone' },
    { path: 'n/new', from: 'old', text: 'O' },
    { path: 'exe', text: 'e', mode: 0o100755 },
  )
  expect(result(before, diff)).toEqual({ a: 'X', run: '755 Y', d: '/', n: '/', 'n/new': 'O', exe: '755 e' })
  expect(plan(world(before), [diff], fakeDiff).changes.find(({ path }) => path === 'n/new')?.from).toBe('old')
})

test('it is given bytes, and sees what earlier edits did', () => {
  const seen: (string | undefined)[] = []
  const ops: EditOp[] = [
    { op: 'whole', path: rel('a'), content: 'new' },
    { op: 'diff', diff_base64: 'AP8=' },
  ]
  plan(world({ a: 'old' }), ops, (diff, read) => {
    seen.push(
      Buffer.from(diff).toString('hex'),
      Buffer.from(read('a')?.bytes ?? []).toString(),
      read('b')?.bytes.toString(),
    )
    return []
  })
  expect(seen).toEqual(['00ff', 'new', undefined])
})

test('what a diff does, it does at once', () => {
  const before = { a: '1', b: '2' }
  expect(result(before, diffOf({ path: 'b', from: 'a', text: '1' }, { path: 'a', from: 'b', text: '2' }))).toEqual({
    a: '2',
    b: '1',
  })
  expect(result({ a: '1' }, diffOf({ path: 'a/b', text: '2' }, { path: 'a' }))).toEqual({ a: '/', 'a/b': '2' })
  expect(result({ 'a/b/c': '1' }, diffOf({ path: 'a', text: '2' }, { path: 'a/b/c' }))).toEqual({ a: '2' })
})

test('a binary file, or one that is not UTF-8, may be patched', () => {
  const after = plan(world({ a: Uint8Array.of(0, 0xff) }), [diffOf({ path: 'a', text: 'x' })], fakeDiff).changes[0]
    ?.after
  expect(after?.bytes).toEqual(bytes('x'))
})

test('a diff reaches no further than any other edit', () => {
  const before = { a: 'x', d: folder, 'd/b': 'y', l: link('d') }
  expect(fault(before, diffOf({ path: '../a', text: '' })).code).toBe('PATH_OUTSIDE')
  expect(fault(before, diffOf({ path: '.git/config', text: '' })).code).toBe('PATH_PROTECTED')
  expect(fault(before, diffOf({ path: 'l/b', text: '' })).code).toBe('PATH_SYMLINK')
  expect(fault(before, diffOf({ path: 'l', text: '' })).code).toBe('PATH_SYMLINK')
  expect(fault(before, diffOf({ path: 'n', text: 'a', mode: 0o120000 })).code).toBe('PATH_SYMLINK')
  expect(fault(before, diffOf({ path: 'd', text: '' })).code).toBe('PATH_KIND')
  expect(fault(before, diffOf({ path: 'a/b', text: '' })).code).toBe('PATH_KIND')
  expect(fault(before, diffOf({ path: 'gone' })).code).toBe('PATH_MISSING')
  expect(fault(before, diffOf({ path: 'n', from: 'gone', text: '' })).code).toBe('PATH_MISSING')
  expect(fault(before, diffOf({ path: 'd/b', from: 'a', text: '' })).code).toBe('PATH_EXISTS')
})

test('a path that looks quoted is taken as it is', () => {
  expect(result({}, diffOf({ path: '"\\141"', text: 'x' }))).toEqual({ '"\\141"': 'x' })
})

test('a result that was not read is checked all the same', () => {
  const blind = (path: string) =>
    faultOf(() =>
      plan(world({ l: link('d'), 'd/a': '' }), [{ op: 'diff', diff: '' }], () => [
        { path, after: { bytes: bytes(''), mode: 0o644 } },
      ]),
    )
  expect([blind('l').code, blind('l/x').code, blind('d').code]).toEqual(['PATH_SYMLINK', 'PATH_SYMLINK', 'PATH_KIND'])
  expect(blind('d/../../x').code).toBe('PATH_OUTSIDE')
})

test('a hash is expected of the one file the diff changes', () => {
  const given = (op: EditOp, expected_hash: string): EditOp => ({ ...op, expected_hash })
  expect(result({ a: 'x' }, given(diffOf({ path: 'a', text: 'y' }), hash('x')))).toEqual({ a: 'y' })
  expect(result({ a: 'x' }, given(diffOf({ path: 'b', from: 'a', text: 'y' }), hash('x')))).toEqual({ b: 'y' })
  expect(fault({ a: 'x' }, given(diffOf({ path: 'a', text: 'y' }), hash('z'))).code).toBe('FILE_CHANGED')
  expect(fault({ a: 'x' }, given(diffOf({ path: 'a' }, { path: 'b', text: '' }), hash('x')))).toMatchObject({
    code: 'BAD_INPUT',
    message: 'expected_hash is for one file; this diff changes 2.',
  })
})
