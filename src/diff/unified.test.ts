import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { countLines, type DiffFormat, type FileChange, writeDiff } from './unified.ts'

// What git makes of the git format is in git.test.ts.

const [FILE, PROGRAM, LINK] = [0o100644, 0o100755, 0o120000]

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const modified = (old: string, current: string): FileChange => ({
  path: 'x',
  status: 'modified',
  oldMode: FILE,
  newMode: FILE,
  old: bytes(old),
  new: bytes(current),
})
const added = (data: string): FileChange => ({ ...modified('', data), status: 'added', oldMode: null, old: null })
const deleted = (data: string): FileChange => ({ ...modified(data, ''), status: 'deleted', newMode: null, new: null })

const written = (change: FileChange, format: DiffFormat, context?: number): string =>
  new TextDecoder().decode(writeDiff([change], format, context))

test('the same change in three formats', () => {
  const change = { ...modified('f() {\n1\n2\n3\n4\n5\n}\n', 'f() {\n1\n2\n3\n4\nfive\nsix\n}'), path: 'a b' }
  expect(written(change, 'git')).toMatchInlineSnapshot(`
    "diff --git a/a b b/a b
    index 58b5e08..9e7a07d 100644
    --- a/a b	
    +++ b/a b	
    @@ -3,5 +3,6 @@ f() {
     2
     3
     4
    -5
    -}
    +five
    +six
    +}
    \\ No newline at end of file
    "
  `)
  expect(written(change, 'unified')).toMatchInlineSnapshot(`
    "--- a/a b	
    +++ b/a b	
    @@ -3,5 +3,6 @@ f() {
     2
     3
     4
    -5
    -}
    +five
    +six
    +}
    \\ No newline at end of file
    "
  `)
  expect(written(change, 'context')).toMatchInlineSnapshot(`
    "*** a/a b	
    --- b/a b	
    ***************
    *** 3,7 ****
      2
      3
      4
    ! 5
    ! }
    --- 3,8 ----
      2
      3
      4
    ! five
    ! six
    ! }
    \\ No newline at end of file
    "
  `)
})

const hasGnuDiff = spawnSync('diff', ['--version'], { encoding: 'utf8' }).stdout?.includes('GNU') ?? false

const folder = mkdtempSync(join(tmpdir(), 'timewarp-edits-'))
afterAll(() => rmSync(folder, { recursive: true }))

test.skipIf(!hasGnuDiff)('the context format is that of diff -c', () => {
  const digits = Array.from({ length: 30 }, (_, i) => `${i}\n`)
  // Every line is there once and none moves, so there is only one right answer.
  const edit = fc.record({ at: fc.nat(30), remove: fc.nat(2), insert: fc.nat(2), newline: fc.boolean() })
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 4 }), fc.nat(4), (edits, context) => {
      const lines = [...digits]
      for (const [n, { at, remove, insert }] of edits.entries())
        lines.splice(at, remove, ...['new', 'newer'].slice(0, insert).map((word) => `${word} ${n}\n`))
      const current = edits[0]?.newline ? lines.join('') : lines.join('').slice(0, -1)
      writeFileSync(join(folder, 'old'), digits.join(''))
      writeFileSync(join(folder, 'new'), current)
      const args = [`-C${context}`, '--label=a/x', '--label=b/x', 'old', 'new']
      const theirs = spawnSync('diff', args, { cwd: folder, encoding: 'utf8' }).stdout
      expect(written(modified(digits.join(''), current), 'context', context)).toBe(theirs)
    }),
    { seed: 20261119, numRuns: 60 },
  )
})

test('a binary file is a literal both ways in git format and a sentence in the others', () => {
  const change = modified('', '\0\x01\x02\n')
  expect(written(change, 'git')).toMatchInlineSnapshot(`
    "diff --git a/x b/x
    index e69de29bb2d1d6434b8b29ae775ad8c2e48c5391..2ba219bec224c94416e6484e38cc23247b2ceaba 100644
    GIT binary patch
    literal 4
    LcmZQzWa0t<02KfZ

    literal 0
    HcmV?d00001

    "
  `)
  expect(written(change, 'unified')).toBe('Binary files a/x and b/x differ\n')
  expect(written(added('\0'), 'context')).toBe('Binary files /dev/null and b/x differ\n')
  expect(written(deleted('\0'), 'unified')).toBe('Binary files a/x and /dev/null differ\n')
})

test('NUL makes a file binary only within its first 8000 bytes', () => {
  const long = 'x'.repeat(7999)
  expect(written(added(`${long}\0`), 'unified')).toMatch(/^Binary/)
  expect(written(added(`${long}x\0`), 'unified')).toMatch(/^---/)
})

test('a mode says something in git format only', () => {
  const change = { ...modified('a\n', 'a\n'), newMode: PROGRAM }
  expect(written(change, 'git')).toBe('diff --git a/x b/x\nold mode 100644\nnew mode 100755\n')
  expect(written(change, 'unified')).toBe('')
  expect(written(change, 'context')).toBe('')
})

test('an empty file says something in git format only', () => {
  expect(written(added(''), 'git')).toBe('diff --git a/x b/x\nnew file mode 100644\nindex 0000000..e69de29\n')
  expect(written(deleted(''), 'unified')).toBe('')
  expect(written(added(''), 'context')).toBe('')
})

test('what did not change is not mentioned', () => {
  const change = { ...modified('\0', '\0'), oldMode: 0o100600, newMode: 0o100674 }
  for (const format of ['git', 'unified', 'context'] as const) expect(written(change, format)).toBe('')
  expect(writeDiff([], 'git')).toEqual(new Uint8Array())
})

test('a file that became a symlink is deleted and created', () => {
  const change = { ...modified('a\n', 'b'), path: 'é y', newMode: LINK }
  expect(written(change, 'git')).toMatchInlineSnapshot(`
    "diff --git "a/\\303\\251 y" "b/\\303\\251 y"
    deleted file mode 100644
    index 7898192..0000000
    --- "a/\\303\\251 y"	
    +++ /dev/null
    @@ -1 +0,0 @@
    -a
    diff --git "a/\\303\\251 y" "b/\\303\\251 y"
    new file mode 120000
    index 0000000..63d8dbd
    --- /dev/null
    +++ "b/\\303\\251 y"	
    @@ -0,0 +1 @@
    +b
    \\ No newline at end of file
    "
  `)
  expect(countLines(change)).toEqual({ added: 1, removed: 1 })
})

test('lines are counted, except in binary files', () => {
  expect(countLines(modified('a\nb\nc\n', 'a\nB\nc\nd'))).toEqual({ added: 2, removed: 1 })
  expect(countLines(added('a\nb'))).toEqual({ added: 2, removed: 0 })
  expect(countLines(deleted('a\nb\n'))).toEqual({ added: 0, removed: 2 })
  expect(countLines({ ...modified('a\n', 'a\n'), newMode: PROGRAM })).toEqual({ added: 0, removed: 0 })
  expect(countLines(modified('a\n', '\0\n'))).toEqual({ added: 0, removed: 0 })
})
