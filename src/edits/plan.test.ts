import { expect, test } from 'vitest'
import { type RelPath, parseRelPath as rel } from '../schema/path.ts'
import type { EditOp } from './ops.ts'
import { planEdits } from './plan.ts'
import {
  bytes,
  drawn,
  edited,
  faultOf,
  file,
  folder,
  hash,
  link,
  noDiff,
  plan,
  presentOf,
  world,
} from './plan-testing.ts'

const block = (path: string, search_block: string, replace_block: string): EditOp => ({
  op: 'block',
  path: rel(path),
  search_block,
  replace_block,
})
const whole = (path: string, content: string): EditOp => ({ op: 'whole', path: rel(path), content })
const ranged = (path: string, start_line: number, end_line: number, content: string): EditOp => ({
  op: 'ranged',
  path: rel(path),
  start_line,
  end_line,
  content,
})
const remove = (path: string): EditOp => ({ op: 'delete', path: rel(path) })
const make = (path: string): EditOp => ({ op: 'create_directory', path: rel(path) })
const rename = (from: string, to: string): EditOp => ({ op: 'rename', from: rel(from), to: rel(to) })

const result = (before: Parameters<typeof world>[0], ...ops: EditOp[]) => drawn(edited(world(before), ops))
const fault = (before: Parameters<typeof world>[0], ...ops: EditOp[]) => faultOf(() => plan(world(before), ops))

test('a file is edited in place and keeps its mode', () => {
  expect(result({ 'a.sh': file('echo 1', 0o755) }, block('a.sh', '1', '2'))).toEqual({ 'a.sh': '755 echo 2' })
  expect(result({ 'a.sh': file('echo 1', 0o700) }, whole('a.sh', 'x'))).toEqual({ 'a.sh': '700 x' })
  expect(result({ 'a.sh': file('echo 1', 0o600) }, ranged('./a.sh', 1, 1, 'x'))).toEqual({ 'a.sh': '600 x' })
})

test('what stays at its path came from nowhere', () => {
  const ops = [block('a', 'x', 'y'), rename('b', 'c'), whole('b', 'new')]
  const { changes } = plan(world({ a: 'x', b: 'z' }), ops)
  expect(changes.map(({ path, from }) => [path, from])).toEqual([
    ['a', undefined],
    ['b', undefined],
    ['c', 'b'],
  ])
})

test('a new file is 0644, and the folders above it are made', () => {
  const before = world({ 'a/b': 'x' })
  const { changes, make: made, remove: removed } = plan(before, [whole('a/c/d/new', 'n'), block('a/e', '', 'made')])
  expect(made).toEqual([
    { path: 'a/c', mode: 0o755 },
    { path: 'a/c/d', mode: 0o755 },
  ])
  expect(removed).toEqual([])
  expect(changes).toEqual([
    { path: 'a/c/d/new', after: { kind: 'file', bytes: bytes('n'), mode: 0o644 } },
    { path: 'a/e', after: { kind: 'file', bytes: bytes('made'), mode: 0o644 } },
  ])
})

test('whole takes bytes of any kind, and one of the two ways to give them', () => {
  const op = (given: object): EditOp => ({ op: 'whole', path: rel('a'), ...given })
  const after = plan(world({ a: Uint8Array.of(0, 0xff) }), [op({ content_base64: 'AP8B' })]).changes[0]?.after
  expect(after?.bytes).toEqual(Uint8Array.of(0, 0xff, 1))
  expect(fault({}, op({})).message).toBe('Give either content or content_base64.')
  expect(fault({}, op({ content: '', content_base64: '' })).code).toBe('BAD_INPUT')
})

test('a later edit sees what the earlier ones did, and a path is told once', () => {
  const ops = [
    block('a', 'one', 'two'),
    block('a', 'two', 'three'),
    ranged('a', 2, 2, 'end'),
    rename('a', 'sub/b'),
    block('sub/b', 'end', 'END'),
  ]
  const { changes, make: made } = plan(world({ a: 'one\n' }), ops)
  expect(made).toEqual([{ path: 'sub', mode: 0o755 }])
  expect(changes.map(({ path, from }) => [path, from])).toEqual([
    ['a', undefined],
    ['sub/b', 'a'],
  ])
  expect(result({ a: 'one\n' }, ...ops)).toEqual({ sub: '/', 'sub/b': 'three\nEND\n' })
})

test('edits that come to nothing are no change, and a warning says so', () => {
  for (const ops of [
    [whole('a', 'x')],
    [rename('a', 'b'), rename('b', 'a')],
    [make('d')],
    [whole('n', '1'), remove('n')],
    [remove('d'), make('d')],
  ]) {
    const { changes, make: made, remove: removed, warnings } = plan(world({ a: 'x', d: folder }), ops)
    expect([changes, made, removed]).toEqual([[], [], []])
    expect(warnings).toEqual(['Nothing changes: everything already is as the edit asks.'])
  }
})

test('any edit that cannot be done stops all of them, and says which it was', () => {
  expect(fault({ a: 'x' }, whole('a', 'y'), block('a', 'x', 'z'))).toMatchObject({
    code: 'SEARCH_NOT_FOUND',
    data: { path: 'a', edit: 2 },
  })
  expect(fault({ a: 'x' }, block('a', 'y', 'z')).data).not.toHaveProperty('edit')
})

test('delete takes a file, a link or a folder with everything in it', () => {
  const before = { 'd/a': 'x', 'd/e/b': 'y', 'd/l': link('/etc'), f: 'z' }
  expect(result(before, remove('d'))).toEqual({ f: 'z' })
  expect(result(before, remove('d/l'), remove('f'))).toEqual({ d: '/', 'd/a': 'x', 'd/e': '/', 'd/e/b': 'y' })
  const { changes, remove: removed } = plan(world(before), [remove('d')])
  expect(changes.map(({ path, before: was, after }) => [path, was?.kind, after])).toEqual([
    ['d/a', 'file', undefined],
    ['d/e/b', 'file', undefined],
    ['d/l', 'symlink', undefined],
  ])
  expect(removed).toEqual(['d/e', 'd'])
})

test('what came into a folder goes and moves with it, what left it does not', () => {
  expect(result({ 'd/a': 'x' }, whole('d/n/new', 'n'), remove('d'))).toEqual({})
  expect(result({ 'd/a': 'x' }, whole('d/n/new', 'n'), rename('d/a', 'a'), rename('d', 'e'))).toEqual({
    a: 'x',
    e: '/',
    'e/n': '/',
    'e/n/new': 'n',
  })
  expect(result({ 'd/a': 'x' }, remove('d'), make('d'), whole('d/b', 'b'))).toEqual({ d: '/', 'd/b': 'b' })
})

test('rename moves files, links and whole folders, with their modes', () => {
  const before = { 'd/run': file('x', 0o755), 'd/e/l': link('run'), 'd/empty': { ...folder, mode: 0o700 } }
  const { changes, make: made, remove: removed } = plan(world(before), [rename('d', 'new/place')])
  expect(changes.map(({ path, from }) => `${from ?? ''} > ${path}`)).toEqual([
    ' > d/e/l',
    ' > d/run',
    'd/e/l > new/place/e/l',
    'd/run > new/place/run',
  ])
  expect(changes[1]?.before).toBe(changes[3]?.after)
  expect(made.map(({ path, mode }) => `${path} ${mode.toString(8)}`)).toEqual([
    'new 755',
    'new/place 755',
    'new/place/e 755',
    'new/place/empty 700',
  ])
  expect(removed).toEqual(['d/empty', 'd/e', 'd'])
  expect(result(before, rename('d', 'new/place'))).toMatchObject({
    'new/place/run': '755 x',
    'new/place/e/l': '-> run',
  })
})

test('files change places, and a file becomes a folder or the other way round', () => {
  expect(result({ a: '1', b: '2' }, rename('a', 't'), rename('b', 'a'), rename('t', 'b'))).toEqual({ a: '2', b: '1' })
  expect(result({ a: '1' }, rename('a', 't'), rename('t', 'a/b'))).toEqual({ a: '/', 'a/b': '1' })
  expect(result({ 'a/b': '1' }, rename('a/b', 't'), remove('a'), rename('t', 'a'))).toEqual({ a: '1' })
})

test('a file that only moves is not read', () => {
  const loaded = new Set<RelPath>()
  planEdits([rename('d', 'e'), remove('f')], presentOf(world({ 'd/a': 'x', f: 'y' }), loaded), noDiff)
  expect([...loaded]).toEqual([])
})

test('rename refuses what is missing, what exists and a folder into itself', () => {
  const before = { a: 'x', d: folder, l: link('a') }
  expect(fault(before, rename('b', 'c'))).toMatchObject({ code: 'PATH_MISSING', data: { path: 'b' } })
  for (const to of ['d', 'a', 'l', '.']) expect(fault(before, rename('a', to)).code).toBe('PATH_EXISTS')
  expect(fault(before, rename('d', 'd/e'))).toMatchObject({ code: 'RENAME_INSIDE', data: { from: 'd', to: 'd/e' } })
  expect(fault(before, remove('b')).code).toBe('PATH_MISSING')
})

test('a file where a folder is meant is refused, and the other way round', () => {
  const before = { 'd/a': 'x' }
  expect(fault(before, whole('d', 'y'))).toMatchObject({
    code: 'PATH_KIND',
    data: { path: 'd', wanted: 'file', found: 'directory' },
  })
  expect(fault(before, whole('d/a/b', 'y'))).toMatchObject({
    code: 'PATH_KIND',
    data: { path: 'd/a', wanted: 'directory', found: 'file' },
  })
  expect(fault(before, make('d/a')).message).toBe('d/a is a file, not a directory.')
  expect(fault(before, rename('d/a', 'd/a/b')).code).toBe('PATH_KIND')
  expect(fault(before, whole('.', 'y')).data).toMatchObject({ path: '.' })
})

test('nothing is written through a symlink or onto one', () => {
  const before = { l: link('d'), 'd/a': 'x', 'd/up': link('..') }
  const refused = [
    whole('l/a', 'y'),
    block('l/a', 'x', 'y'),
    remove('l/a'),
    make('l/n/m'),
    rename('l/a', 'b'),
    rename('d/a', 'l/b'),
  ]
  for (const op of refused) expect(fault(before, op)).toMatchObject({ code: 'PATH_SYMLINK', data: { link: 'l' } })
  expect(fault(before, whole('d/up/x', 'y'))).toMatchObject({ data: { path: 'd/up/x', link: 'd/up' } })
  for (const op of [whole('l', 'y'), block('l', '', 'y'), ranged('l', 1, 1, ''), make('l')])
    expect(fault(before, op)).toMatchObject({ code: 'PATH_SYMLINK', data: { path: 'l', link: 'l' } })
})

test('a symlink that made way is not followed either', () => {
  const before = world({ 'd/a': 'x', 'l/a': 'behind the link', l: link('d') })
  const ops = [rename('l', 'm'), make('l'), whole('l/a', 'new')]
  expect(plan(before, ops).changes.find(({ path }) => path === 'l/a')?.before).toBeUndefined()
  expect(fault({ l: link('d') }, rename('l', 'm'), whole('m/a', 'x'))).toMatchObject({
    code: 'PATH_SYMLINK',
    data: { link: 'm' },
  })
})

test('the folders of git and of Timewarp, and the root, are not edited', () => {
  const before = { 'v/.git/config': 'x', 'v/a': 'y', '.gitignore': 'z' }
  const refused = ['.git/hooks/x', '.timewarp/state.json', 'v/.git', 'v/.GIT/config', 'a/b/.timewarp/c', './/.git']
  for (const path of refused)
    for (const op of [whole(path, ''), make(path), remove(path), rename('v/a', path), rename(path, 'q')])
      expect(fault(before, op), path).toMatchObject({ code: 'PATH_PROTECTED' })
  expect(fault(before, remove('v'))).toMatchObject({
    code: 'PATH_PROTECTED',
    data: { path: 'v/.git', why: '.git is not for edits' },
  })
  expect(fault(before, rename('v', 'w'))).toMatchObject({ code: 'PATH_PROTECTED' })
  expect(result(before, remove('.gitignore'))).not.toHaveProperty(['.gitignore'])
})

test('a quoted path is the file it means', () => {
  const { changes } = plan(world({}), [whole('"\\377"', 'x')])
  expect(changes[0]?.path).toBe('\udcff')
  expect(fault({}, block('"\\377"', 'a', 'b'))).toMatchObject({ data: { path: '"\\377"' } })
})

test('an edit of what somebody changed is refused', () => {
  const given = (op: EditOp, expected_hash: string): EditOp => ({ ...op, expected_hash })
  const ops = [block('a', 'x', 'y'), whole('a', 'y'), ranged('a', 1, 1, 'y'), remove('a'), rename('a', 'b')]
  for (const op of ops) {
    expect(plan(world({ a: 'x' }), [given(op, hash('x'))]).changes.length).toBeGreaterThan(0)
    expect(fault({ a: 'x' }, given(op, hash('other')))).toMatchObject({
      code: 'FILE_CHANGED',
      data: { path: 'a', expected: hash('other'), found: hash('x') },
    })
    expect(fault({}, given(op, hash('x')))).toMatchObject({ code: 'FILE_CHANGED', data: { found: 'absent' } })
    expect(fault({ a: 'x' }, given(op, 'absent'))).toMatchObject({ code: 'FILE_CHANGED' })
  }
  expect(result({}, given(whole('a', 'x'), 'absent'), given(make('d'), 'absent'))).toEqual({ a: 'x', d: '/' })
  expect(fault({ d: folder }, given(make('d'), 'absent'))).toMatchObject({ data: { found: 'directory' } })
})

test('of several edits each may expect the file as it was, or as the others left it', () => {
  const given = (op: EditOp, expected_hash: string): EditOp => ({ ...op, expected_hash })
  const was = given(block('a', 'x', 'y'), hash('x x2'))
  expect(result({ a: 'x x2' }, given(block('a', 'x2', 'z'), hash('x x2')), was)).toEqual({ a: 'y z' })
  expect(result({ a: 'x' }, whole('a', 'y'), given(block('a', 'y', 'z'), hash('y')))).toEqual({ a: 'z' })
  expect(result({ a: 'x' }, rename('a', 'b'), given(block('b', 'x', 'z'), hash('x')))).toEqual({ b: 'z' })
  expect(result({ a: 'x' }, remove('a'), given(whole('a', 'z'), 'absent'))).toEqual({ a: 'z' })
  expect(fault({ a: 'x' }, whole('a', 'y'), given(whole('a', 'z'), hash('q')))).toMatchObject({
    code: 'FILE_CHANGED',
    data: { edit: 2, found: hash('y') },
  })
})

test('a file that loses its byte order mark or gets other line ends is warned of', () => {
  const warnings = (before: string, ...ops: EditOp[]) => plan(world({ a: before }), ops).warnings
  expect(warnings('\ufeffx', whole('a', 'y'))).toEqual(['a began with a byte order mark, and no longer does.'])
  expect(warnings('x\r\n', block('a', 'x', 'x\ny'))).toEqual(['a had CRLF line ends only, and now has LF.'])
  expect(warnings('x\n', whole('a', 'x\r\n'))).toEqual(['a had LF line ends only, and now has CRLF.'])
  expect(warnings('x\r\n', block('a', 'x', 'y'), ranged('a', 2, 2, 'z'))).toEqual([])
  expect(warnings('x\r\ny\n', whole('a', 'x\n'))).toEqual([])
  expect(warnings('x\r\n', remove('a'))).toEqual([])
})
