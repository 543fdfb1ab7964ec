import { expect, test } from 'vitest'
import { Fault, formatPatch, type PatchHunk, parsePatch } from '../../src/diff/public.ts'

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')
const parse = (text: string) => parsePatch(latin1(text))
const only = (text: string) => {
  const [file, ...more] = parse(text).files
  expect(more).toEqual([])
  return file!
}
/** The hunk as a text again, a line end shown as such. */
const shown = ({ lines }: PatchHunk): string[] =>
  lines.map(({ mark, bytes }) => mark + JSON.stringify(Buffer.from(bytes).toString('latin1')).slice(1, -1))
const hunksOf = (text: string): string[][] => {
  const { body } = only(text)
  return body.kind === 'text' ? body.hunks.map(shown) : []
}

const HUNK = '@@ -1 +1 @@\n-a\n+b\n'

function refusal(text: string): string {
  try {
    parse(text)
  } catch (error) {
    if (error instanceof Fault && error.code === 'PATCH_BAD') {
      const { line, problem } = (error as Fault<'PATCH_BAD'>).data
      return `${line}: ${problem}`
    }
    throw error
  }
  return 'taken'
}

const HEAD = '--- a/x\n+++ b/x\n'

test.each([
  [
    'fewer lines than counted',
    `${HEAD}@@ -1,3 +1,3 @@\n a\n-b\n+c\n`,
    '3: the hunk header says 3 old and 3 new lines, but 2 old and 2 new ones follow',
  ],
  [
    'more lines than counted',
    `${HEAD}@@ -1,2 +1,2 @@\n a\n-b\n+c\n d\n`,
    '7: the hunk above has more lines than its header says',
  ],
  [
    'more added lines than counted',
    `${HEAD}@@ -1,2 +1 @@\n a\n-b\n+c\n`,
    '6: the hunk above has more lines than its header says',
  ],
  [
    'the sample of the first design',
    `${HEAD}@@ -10,0 +10,5 @@\n+a\n+b\n+c\n+}`,
    '3: the hunk header says 0 old and 5 new lines, but 0 old and 4 new ones follow',
  ],
  [
    'a line without mark',
    `${HEAD}@@ -1,3 +1,3 @@\n a\nb\n c\n`,
    '3: the hunk header says 3 old and 3 new lines, but 1 old and 1 new ones follow',
  ],
  [
    'a header that is none',
    `${HEAD}@@ -1,x +1 @@\n-a\n+b\n`,
    '3: this is not the header of a hunk; it looks like @@ -1,3 +1,4 @@',
  ],
  ['no hunk', `${HEAD}nothing\n`, '3: a hunk should begin here (@@ -1,3 +1,4 @@)'],
  ['nothing at all', HEAD, '3: a hunk should begin here (@@ -1,3 +1,4 @@)'],
  ['old line 0', `${HEAD}@@ -0,1 +1 @@\n-a\n+b\n`, '3: old lines are counted from 1'],
  [
    'overlapping hunks',
    `${HEAD}@@ -1,2 +1,2 @@\n a\n-b\n+c\n@@ -2 +2 @@\n-c\n+d\n`,
    '7: the hunk begins before the end of the one above it, old line 2',
  ],
  ['a hunk without file', `From: me\n\n${HUNK}`, '3: a hunk stands here without the name of a file before it'],
  [
    'a line after the last',
    `${HEAD}@@ -1 +1,2 @@\n-a\n+b\n\\ No newline at end of file\n+c\n`,
    '7: a line follows one that is marked as the last of its file',
  ],
  [
    'a hunk after the last line',
    `${HEAD}@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n@@ -9 +9 @@\n-x\n+y\n`,
    '9: a hunk follows a line that is marked as the last of its file',
  ],
  ['a merge', 'diff --cc x\nindex 1,2..3\n', '1: the diff of a merge has several old sides and cannot be applied'],
  ['a bad mode', 'diff --git a/x b/x\nold mode 644\n', '2: a mode has six octal digits'],
  ['a bad index', 'diff --git a/x b/x\nindex 123\n', '2: an index line has two hashes: index 1234567..89abcde 100644'],
  ['half a rename', 'diff --git a/x b/y\nrename from x\n', '1: a rename or copy needs both its names'],
  [
    'other names',
    `diff --git a/x b/x\nindex 1234567..89abcde\n--- a/y\n+++ b/y\n${HUNK}`,
    '1: the names in the --- and +++ lines are not those in this line',
  ],
  ['bad quoting', `--- "a/x\\q"\n+++ b/x\n${HUNK}`, '1: there is no valid file name here'],
  ['nothing on either side', `--- /dev/null\n+++ /dev/null\n${HUNK}`, '1: both names are /dev/null'],
  [
    'bad base 85',
    'diff --git a/x b/x\nindex 1234567..89abcde\nGIT binary patch\nliteral 4\nLcmZQzWa0t<02K"Z\n\n',
    '5: this is not a line of binary data',
  ],
  [
    'data cut short',
    'diff --git a/x b/x\nindex 1234567..89abcde\nGIT binary patch\nliteral 5\nLcmZQzWa0t<02KfZ\n\n',
    '4: the data does not come to the 5 bytes announced',
  ],
  [
    'no data',
    'diff --git a/x b/x\nindex 1234567..89abcde\nGIT binary patch\n\n',
    '4: "literal" or "delta" and a size should be here',
  ],
  [
    'halves that differ',
    '*** a/x\n--- b/x\n***************\n*** 1,2 ****\n! a\n  b\n--- 1,2 ----\n! A\n  c\n',
    '9: the unchanged lines in the two halves of this hunk differ',
  ],
  [
    'a half too short',
    '*** a/x\n--- b/x\n***************\n*** 1,3 ****\n! a\n  b\n--- 1,2 ----\n! A\n  b\n',
    '4: the range says 3 lines, but there are 2',
  ],
])('refused, with line and reason: %s', (_, text, expected) => {
  expect(refusal(text)).toBe(expected)
})

test('a refusal is a fault with a hint', () => {
  expect(() => parse('@@ -1 +1 @@\n-a\n+b\n')).toThrowError(
    'The patch cannot be read, line 1: a hunk stands here without the name of a file before it.',
  )
})

test.each([
  [
    'a mail',
    `From 1234 Mon Sep 17\nSubject: x\n\n--- \n x | 2 +-\n\ndiff --git a/x b/x\nindex 1234567..89abcde 100644\n${HEAD}${HUNK}-- \n2.39.5\n\n`,
    1,
  ],
  [
    'git log -p',
    `commit 1\n\n    message\n\ndiff --git a/x b/x\nindex 1234567..89abcde 100644\n${HEAD}${HUNK}\ncommit 2\n\n    --- quoted\n\ndiff --git a/y b/y\nindex 1234567..89abcde 100644\n--- a/y\n+++ b/y\n${HUNK}`,
    2,
  ],
  [
    'svn',
    `Index: x\n===================================================================\n--- x\t(revision 1)\n+++ x\t(working copy)\n${HUNK}`,
    1,
  ],
  ['a quoted first line', `diff --git a/x b/x\nas I said\n${HEAD}${HUNK}`, 1],
  ['only in', `Only in old: y\ndiff -ru old/x new/x\n--- old/x\n+++ new/x\n${HUNK}`, 1],
  ['no diff', 'just words\n- and a list\n', 0],
])('text around the diffs is passed over and kept: %s', (_, text, count) => {
  const patch = parse(text)
  expect(patch.files.length).toBe(count)
  expect(Buffer.from(formatPatch(patch)).toString('latin1')).toBe(text)
})

test.each([
  ['a and b', 'a/x', 'b/x', ['x', 'x']],
  ['git diff -R', 'b/x', 'a/x', ['x', 'x']],
  ['mnemonic', 'i/x', 'w/x', ['x', 'x']],
  ['none', 'src/x', 'src/x', ['src/x', 'src/x']],
  ['none, in a folder called a', 'a/x', 'a/x', ['a/x', 'a/x']],
  ['folders', 'old/src/x', 'new/src/x', ['src/x', 'src/x']],
  ['far away', '/tmp/1/old/x', '/tmp/1/new/x', ['x', 'x']],
  ['two files', 'x.orig', 'x', ['x.orig', 'x']],
  ['new', '/dev/null', 'b/x', [null, 'x']],
  ['gone', 'a/x', '/dev/null', ['x', null]],
  ['new without prefix', '/dev/null', 'lib/x', [null, 'lib/x']],
  ['quoted', '"a/q\\"\\303\\251\\n"', '"b/q\\"\\303\\251\\n"', ['q"é\n', 'q"é\n']],
  ['spaces', 'a/x y\t', 'b/x y\t', ['x y', 'x y']],
  ['with times', 'a/x\t2025-01-29 12:34:56', 'b/x\t2025-01-29 12:35:00.000000000 +0100', ['x', 'x']],
  ['times behind a space', 'a/x y 2025-01-29 12:34:56', 'b/x y 2025-01-29 12:35:00.5 +0100', ['x y', 'x y']],
  ['CRLF', 'a/x\r', 'b/x\r', ['x', 'x']],
])('names: %s', (_, old, current, paths) => {
  const file = only(`--- ${old}\n+++ ${current}\n${HUNK}`)
  expect([file.old.path, file.new.path]).toEqual(paths)
})

test.each([
  ['plain', 'a/x b/x', 'x'],
  ['spaces', 'a/x y b/x y', 'x y'],
  ['the separator in the name', 'a/x b/x b/x b/x', 'x b/x'],
  ['quoted', '"a/x\\ty" "b/x\\ty"', 'x\ty'],
  ['no prefix', 'x y x y', 'x y'],
  ['long prefixes', 'before/x y after/it/x y', 'x y'],
])('the name when only the first line has it: %s', (_, names, path) => {
  const file = only(`diff --git ${names}\nold mode 100644\nnew mode 100755\n`)
  expect([file.old.path, file.new.path, file.old.mode, file.new.mode]).toEqual([path, path, 0o100644, 0o100755])
})

test('line ends, marks of all kinds and missing ends are kept as they are', () => {
  expect(
    hunksOf(
      `${HEAD}@@ -1,4 +1,4 @@ f() {\r\n \xef\xbb\xbfone\r\n-two\r\r\n--- x\n+++ y\n+\xff\n \n\\ No newline at end of file\n`,
    ),
  ).toEqual([[' \xef\xbb\xbfone\\r\\n', '-two\\r\\r\\n', '--- x\\n', '+++ y\\n', '+\xff\\n', ' ']])
})

test('an empty line is an unchanged empty line, and a text may end before its last LF', () => {
  expect(hunksOf(`${HEAD}@@ -1,2 +1,2 @@\n\n-a\n+b`)).toEqual([[' \\n', '-a\\n', '+b\\n']])
  expect(hunksOf(`${HEAD}@@ -1,2 +1,2 @@\n-a\n+b\n+`.replace('1,2 +1', '1 +1'))).toEqual([['-a\\n', '+b\\n', '+\\n']])
})

test('what the headers of git say', () => {
  const text = `diff --git "a/o\\tld" b/new name
old mode 100644
new mode 100755
similarity index 90%
rename from "o\\tld"
rename to new name
index 1234567..89abcde
--- "a/o\\tld"
+++ b/new name\t
${HUNK}`
  const { change, old, new: current, likeness } = only(text)
  expect({ change, old, current, likeness }).toEqual({
    change: 'renamed',
    old: { path: 'o\tld', prefix: 'a/', stamp: null, mode: 0o100644, hash: '1234567' },
    current: { path: 'new name', prefix: 'b/', stamp: '', mode: 0o100755, hash: '89abcde' },
    likeness: 'similarity index 90%',
  })
})
