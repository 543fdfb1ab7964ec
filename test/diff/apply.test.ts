import { expect, test } from 'vitest'
import {
  type ApplyOptions,
  applyPatch,
  checkPatch,
  Fault,
  parsePatch,
  reversePatch,
  writeDiff,
} from '../../src/diff/public.ts'
import { differences, freshFolder, run, writeFiles } from './git.ts'

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1')
const digits = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, i) => `${from + i}\n`).join('')

type World = Record<string, string>

function apply(diff: string | Uint8Array, world: World, options: ApplyOptions = {}) {
  const read = (path: string) => (world[path] === undefined ? undefined : { bytes: bytes(world[path]), mode: 0o100644 })
  const { files, offsets } = applyPatch(parsePatch(Buffer.from(diff)), read, options)
  const after: Record<string, string | null> = {}
  for (const { path, from, after: now } of files) {
    if (from !== undefined) after[from] ??= null
    after[path] = now ? Buffer.from(now.bytes).toString('latin1') : null
  }
  return { after, offsets }
}

const diffOf = (old: string, current: string, context = 3): Uint8Array =>
  writeDiff(
    [{ path: 'x', status: 'modified', oldMode: 0o100644, newMode: 0o100644, old: bytes(old), new: bytes(current) }],
    'unified',
    context,
  )

function refusal(diff: string | Uint8Array, world: World, options: ApplyOptions = {}): Fault {
  try {
    apply(diff, world, options)
  } catch (error) {
    if (error instanceof Fault) return error
  }
  throw new Error('it was applied')
}

const CHANGED = digits(1, 30).replace('\n15\n', '\nfifteen\n')

test('a hunk applies elsewhere only when all its lines are there, and says so', () => {
  const diff = diffOf(digits(1, 30), CHANGED)
  expect(apply(diff, { x: digits(1, 30) })).toEqual({ after: { x: CHANGED }, offsets: [] })
  const offset = { path: 'x', hunk: 1, line: 16, offset: 4, others: [] }
  expect(apply(diff, { x: `new\n\n\n\n${digits(1, 30)}` })).toEqual({
    after: { x: `new\n\n\n\n${CHANGED}` },
    offsets: [offset],
  })
  expect(apply(diff, { x: digits(5, 30) }).offsets).toEqual([{ ...offset, line: 8, offset: -4 }])
})

test('with exact there is no elsewhere', () => {
  const diff = diffOf(digits(1, 30), CHANGED)
  expect(refusal(diff, { x: `new\n${digits(1, 30)}` }, { exact: true }).code).toBe('PATCH_MISMATCH')
})

test('the nearest place is taken, and the others are told', () => {
  const block = 'begin\na\nb\nold\nc\nd\nend\n'
  const diff = diffOf(
    digits(1, 9) + block + digits(10, 19),
    digits(1, 9) + block.replace('old', 'new') + digits(10, 19),
  )
  const present = [block, block, block].join(digits(50, 60))
  const { after, offsets } = apply(diff, { x: `${digits(70, 72)}${present}${digits(80, 82)}` })
  expect(offsets).toEqual([{ path: 'x', hunk: 1, line: 4, offset: -6, others: [22, 40] }])
  expect(after['x']?.split('new').length).toBe(2)
})

test('a hunk goes on with the offset of the one before', () => {
  const part = 'f\na\nb\nc\nold\nd\ne\ng\n'
  const old = part + digits(1, 9) + part
  const current = part.replace('old', 'new') + digits(1, 9) + part.replace('old', 'new')
  const inserted = `${digits(50, 66)}`
  const { offsets } = apply(diffOf(old, current), { x: inserted + part + digits(1, 9) + part })
  expect(offsets.map(({ hunk, offset }) => [hunk, offset])).toEqual([
    [1, 17],
    [2, 17],
  ])
})

test('a refusal says which hunk, which line, and what is there instead', () => {
  const diff = diffOf(digits(1, 30), CHANGED)
  const fault = refusal(diff, { x: digits(1, 30).replace('\n13\n', '\nthirteen\n') })
  expect(fault.message).toBe('The patch does not fit x: hunk 1 expects "13\\n" in line 13, which is "thirteen\\n".')
  expect(fault.data).toEqual({
    path: 'x',
    problem: 'hunk 1 expects "13\\n" in line 13, which is "thirteen\\n"',
    hunk: 1,
    line: 13,
    expected: '13\n',
    found: 'thirteen\n',
    already: false,
  })
  expect(refusal(diff, { x: digits(1, 30).replaceAll('\n', '\r\n') }).data).toMatchObject({ found: '12\r\n' })
  expect(refusal(diff, { x: digits(1, 13) }).message).toContain(
    'hunk 1 expects "14\\n" in line 14, but there are 13 lines',
  )
  expect(refusal(diff, {}).message).toBe('The patch does not fit x: it does not exist.')
})

test('a patch that was applied already is noticed', () => {
  const fault = refusal(diffOf(digits(1, 30), CHANGED), { x: CHANGED })
  expect(fault.data).toMatchObject({ already: true })
  expect(fault.hint).toContain('applied already')
})

test('without unchanged lines below, a hunk is the end of the file, unless the diff has none anywhere', () => {
  const diff = diffOf('a\n', 'b\n')
  expect(refusal(diff, { x: 'a\nmore\n' }).message).toContain('ends the file, but 1 more lines follow')
  const inner = diffOf(digits(1, 30), CHANGED, 0)
  expect(refusal(inner, { x: digits(1, 30) }).code).toBe('PATCH_MISMATCH')
  expect(apply(inner, { x: digits(1, 30) }, { zeroContext: true }).after).toEqual({ x: CHANGED })
})

test('nothing is joined to a line without line end', () => {
  const zeroContext = true
  expect(refusal('--- a/x\n+++ b/x\n@@ -1,0 +2 @@\n+b\n', { x: 'a' }, { zeroContext }).message).toContain(
    'adds lines behind one without line end',
  )
  const ends = '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n'
  expect(refusal(ends, { x: 'a\nc\n' }, { zeroContext }).message).toContain('ends the file, but 1 more lines follow')
})

const GIT = 'diff --git'
const rename = (from: string, to: string): string => `${GIT} a/${from} b/${to}\nrename from ${from}\nrename to ${to}\n`

test('two files swap their names', () => {
  expect(apply(rename('a', 'b') + rename('b', 'a'), { a: '1', b: '2' }).after).toEqual({ a: '2', b: '1' })
})

test('a copy is made of what was there before the patch, also when that changes', () => {
  const change = `${GIT} a/x b/x\nindex 1..2\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n`.replace(
    '1..2',
    '1234567..89abcde',
  )
  const copy = `${GIT} a/x b/y\ncopy from x\ncopy to y\n`
  expect(apply(change + copy, { x: 'a\n' }).after).toEqual({ x: 'b\n', y: 'a\n' })
  expect(() => reversePatch(parsePatch(Buffer.from(change + copy)))).toThrowError('line 8: a copy cannot be reversed')
})

test('patches of the same file in one text go on from each other, also through renames', () => {
  const step = (path: string, a: string, b: string): string =>
    `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-${a}\n+${b}\n`
  const series = step('x', 'a', 'b') + rename('x', 'y') + step('y', 'b', 'c') + rename('y', 'z')
  const read = (path: string) => (path === 'x' ? { bytes: bytes('a\n'), mode: 0o100600 } : undefined)
  const { files } = applyPatch(parsePatch(Buffer.from(series)), read)
  expect(files).toEqual([
    { path: 'z', from: 'x', before: read('x'), after: { bytes: new Uint8Array(bytes('c\n')), mode: 0o100600 } },
  ])
  const back = applyPatch(reversePatch(parsePatch(Buffer.from(series))), (path) =>
    path === 'z' ? { bytes: bytes('c\n'), mode: 0o100600 } : undefined,
  )
  expect(back.files.map(({ path, from }) => [path, from])).toEqual([['x', 'z']])
})

test.each([
  [
    'new, but there',
    '--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n',
    { x: '' },
    'it should be added, but exists already',
  ],
  ['renamed over another', rename('x', 'y'), { x: '', y: '' }, 'it should be renamed, but exists already'],
  ['deleted, but longer', `${GIT} a/x b/x\ndeleted file mode 100644\n`, { x: 'a' }, 'something of it would be left'],
  [
    'a symlink, but a file',
    `${GIT} a/x b/x\nindex 1234567..89abcde 120000\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n`,
    { x: 'a\n' },
    'not what the patch is for',
  ],
])('refused: %s', (_, diff, world, problem) => {
  expect(refusal(diff, world as World).message).toContain(problem)
})

test.each([
  ['only that it differs', 'Binary files a/x and b/x differ\n', 'git diff --binary'],
  ['a submodule', `${GIT} a/y b/y\nnew file mode 160000\n`, 'mode 160000'],
  [
    'binary without hashes',
    `${GIT} a/y b/y\nnew file mode 100644\nGIT binary patch\nliteral 0\nHcmV?d00001\n\n`,
    'index line',
  ],
])('cannot be applied: %s', (_, diff, problem) => {
  const fault = refusal(diff, { x: '' })
  expect([fault.code, fault.message.includes(problem)]).toEqual(['PATCH_BAD', true])
})

test.each(['../x', '/etc/x', 'a/../../x', './x', 'a//x'])('no path leads outside: %s', (path) => {
  expect(refusal(`${GIT} a/${path} b/${path}\nnew file mode 100644\n`, {}).code).toBe('PATH_OUTSIDE')
})

test('all that stands in the way is told, one fault per file', () => {
  const step = (path: string): string => `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-a\n+b\n`
  const patch = parsePatch(Buffer.from(step('x') + step('y') + step('z')))
  const read = (path: string) => (path === 'y' ? { bytes: bytes('a\n'), mode: 0o644 } : undefined)
  expect(checkPatch(patch, read).map(({ message }) => message)).toEqual([
    'The patch does not fit x: it does not exist.',
    'The patch does not fit z: it does not exist.',
  ])
})

test('a file that is new although the diff does not say so is made', () => {
  expect(apply('--- a/new\n+++ b/new\n@@ -0,0 +1,2 @@\n+a\n+b\n', {}).after).toEqual({ new: 'a\nb\n' })
})

test('of two names the one that exists is meant', () => {
  const diff = '--- x.orig\n+++ x\n@@ -1 +1 @@\n-a\n+b\n'
  expect(apply(diff, { x: 'a\n' }).after).toEqual({ x: 'b\n' })
  expect(apply(diff, { 'x.orig': 'a\n' }).after).toEqual({ 'x.orig': 'b\n' })
})

test('permissions that git does not know stay', () => {
  const patch = parsePatch(Buffer.from(`${GIT} a/x b/x\nold mode 100644\nnew mode 100755\n`))
  const modes = (mode: number): (number | undefined)[] =>
    [patch, reversePatch(patch)].map(
      (each) => applyPatch(each, () => ({ bytes: bytes(''), mode })).files[0]?.after?.mode,
    )
  expect(modes(0o100640)).toEqual([0o100750, 0o100640])
  expect(modes(0o100755)).toEqual([0o100755, 0o100644])
})

test('whatever moved, a patch applies when git applies it, with the same bytes', () => {
  const folder = freshFolder()
  let [taken, refused] = [0, 0]
  for (let i = 0; i < 60; i++) {
    const old = digits(1, 40)
    const at = 3 + ((i * 7) % 34)
    const current = old.replace(`\n${at}\n`, `\n${at} changed\n`)
    const cut = (i * 11) % 20
    const present = `${'+\n'.repeat(i % 4)}${digits(1 + cut, 40 - ((i * 5) % 9))}`
    const diff = diffOf(old, current, i % 5 === 0 ? 1 : 3)
    writeFiles(folder, new Map([['x', { mode: 0o100644, bytes: bytes(present) }]]))
    const { status } = run(folder, 'git', ['apply', '--whitespace=nowarn'], diff)
    if (status === 0) {
      taken++
      expect(apply(diff, { x: present }).after['x']).toBe(differences(folder, 'cat', ['x']).toString('latin1'))
    } else {
      refused++
      expect(refusal(diff, { x: present }).code).toBe('PATCH_MISMATCH')
    }
  }
  expect([taken > 20, refused > 10]).toEqual([true, true])
})
