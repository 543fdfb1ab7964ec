/** The tests that the first design of this project asks for, and what its functions promise beyond them. */

import { execFileSync } from 'node:child_process'
import { describe, expect, it, test } from 'vitest'
import {
  addFileHashesToDiff,
  analyzePatchResult,
  calculateFileHash,
  cleanDiffTimestamps,
  generateUnifiedDiff,
  getGitTimestamp,
  parseMultiFileDiff,
  reverseDiff,
  validateDiffFormat,
} from '../../src/diff/public.ts'

const originalDiff = generateUnifiedDiff('old\n', 'new\n', { oldPath: 'a/file.js', newPath: 'b/file.js' })

describe('Git Integration Tests', () => {
  describe('Path Format Compatibility', () => {
    it('should generate git-compatible paths', async () => {
      // oxlint-disable-next-line typescript/await-thenable -- the test is as the design has it
      const diff = await generateUnifiedDiff('old', 'new', { oldPath: 'a/file.js', newPath: 'b/file.js' })
      expect(diff).toContain('--- a/file.js')
      expect(diff).toContain('+++ b/file.js')
    })
  })

  describe('File Hash Integration', () => {
    it('should add file hashes to diff headers', () => {
      const diffWithHash = addFileHashesToDiff(originalDiff)
      expect(diffWithHash).toMatch(/index [a-f0-9]{7}\.\.[a-f0-9]{7}/)
    })
  })

  describe('Multi-file Diff Parsing', () => {
    it('should parse git multi-file diffs correctly', () => {
      const gitDiff = `diff --git a/file.txt b/file.txt
index 1234567..abcdefg 100644
--- a/file.txt
+++ b/file.txt
@@ -1 +1 @@
-Old
+New`

      const results = parseMultiFileDiff(gitDiff)
      expect(results).toHaveLength(1)
      expect(results[0]?.oldPath).toBe('a/file.txt')
    })
  })

  describe('Timestamp Handling', () => {
    it('should clean git timestamps from diffs', () => {
      const diffWithTimestamps = `--- a/file.txt\t2025-01-29 12:34:56
+++ b/file.txt\t2025-01-29 12:35:00`

      const cleaned = cleanDiffTimestamps(diffWithTimestamps)
      expect(cleaned).not.toContain('2025-01-29')
    })
  })
})

test('hashes are those of git, from the contents or from a diff that has all of them', () => {
  const byGit = execFileSync('git', ['hash-object', '--stdin'], { input: 'hello\n', encoding: 'utf8' })
  expect(calculateFileHash('hello\n')).toBe(byGit.slice(0, 7))
  expect(addFileHashesToDiff(originalDiff)).toBe(
    `diff --git a/file.js b/file.js\nindex ${calculateFileHash('old\n')}..${calculateFileHash('new\n')}\n${originalDiff}`,
  )
  const [old, current] = ['a\nb\nc\nd\ne\n', 'A\nb\nc\nd\ne\n']
  const partial = generateUnifiedDiff(old, current)
  expect(addFileHashesToDiff(partial)).toBe(partial)
  expect(addFileHashesToDiff(partial, (path) => (path === 'file' ? old : undefined))).toContain(
    `index ${calculateFileHash(old)}..${calculateFileHash(current)}`,
  )
})

test('a new and a deleted file get the hash of nothing', () => {
  const created = generateUnifiedDiff('', 'a\n', { oldPath: '/dev/null', newPath: 'b/x' })
  expect(addFileHashesToDiff(created)).toContain(`new file mode 100644\nindex 0000000..${calculateFileHash('a\n')}\n`)
  expect(addFileHashesToDiff(reverseDiff(created))).toContain(`index ${calculateFileHash('a\n')}..0000000\n`)
})

test('times are cleaned from headers and from nothing else', () => {
  const diff = `--- a/my file\t2025-01-29 12:34:56
+++ b/my file 2025-01-29 12:35:00.123 +0100
@@ -1,3 +1,3 @@
 x
--- a/old\t2025
+++ b/new\t2025
 y\t2025
*** a/x\tWed Jan 29 12:34:56 2025
--- b/x\tWed Jan 29 12:34:57 2025\r
***************
`
  expect(cleanDiffTimestamps(diff)).toBe(`--- a/my file\t
+++ b/my file\t
@@ -1,3 +1,3 @@
 x
--- a/old\t2025
+++ b/new\t2025
 y\t2025
*** a/x
--- b/x\r
***************
`)
  expect(cleanDiffTimestamps('no diff\tat all')).toBe('no diff\tat all')
})

test('a diff can carry times, and they are gone again', () => {
  const time = getGitTimestamp(new Date(1_738_154_096_000))
  expect(time).toMatch(/^1738154096 [-+]\d{4}$/)
  const names = { oldPath: 'a/file.js', newPath: 'b/file.js' }
  const diff = generateUnifiedDiff('old\n', 'new\n', { ...names, oldTimestamp: time, newTimestamp: time })
  expect(diff).toContain(`--- a/file.js\t${time}\n`)
  expect(cleanDiffTimestamps(diff)).toBe(originalDiff)
})

test('strings give strings, and bytes give bytes that need not be UTF-8', () => {
  const diff = generateUnifiedDiff(Buffer.from('\xff\n', 'latin1'), Buffer.from('\xfe\n', 'latin1'))
  expect(Buffer.from(diff).toString('latin1')).toBe('--- a/file\n+++ b/file\n@@ -1 +1 @@\n-\xff\n+\xfe\n')
  expect(Buffer.from(reverseDiff(diff)).toString('latin1')).toBe('--- a/file\n+++ b/file\n@@ -1 +1 @@\n-\xfe\n+\xff\n')
  expect(generateUnifiedDiff('same', 'same')).toBe('')
  expect(generateUnifiedDiff('\0', 'x')).toBe('Binary files a/file and b/file differ\n')
})

test('the sample in the design is found wanting, with the line and the reason', () => {
  const sample = `--- a/src/auth.ts
+++ b/src/auth.ts
@@ -10,0 +10,5 @@
+export function authenticate(token: string) {
+  // Implementation
+  return validateToken(token);
+}`
  const problem = 'the hunk header says 0 old and 5 new lines, but 0 old and 4 new ones follow'
  expect(validateDiffFormat(sample)).toEqual({ isValid: false, errors: [{ line: 3, problem }] })
  expect(validateDiffFormat(sample.replace('+10,5', '+11,4'))).toEqual({ isValid: true, errors: [] })
  expect(validateDiffFormat('words').isValid).toBe(false)
  expect(validateDiffFormat('').isValid).toBe(true)
})

test('the parts of a diff are told apart', () => {
  const diff = `${originalDiff}${generateUnifiedDiff('', 'x\ny\n', { oldPath: '/dev/null', newPath: 'b/new' })}`
  expect(parseMultiFileDiff(diff)).toMatchObject([
    {
      oldPath: 'a/file.js',
      newPath: 'b/file.js',
      path: 'file.js',
      change: 'modified',
      linesAdded: 1,
      linesRemoved: 1,
      diffContent: originalDiff,
    },
    {
      oldPath: '/dev/null',
      newPath: 'b/new',
      path: 'new',
      change: 'added',
      linesAdded: 2,
      linesRemoved: 0,
      diffContent: '--- /dev/null\n+++ b/new\n@@ -0,0 +1,2 @@\n+x\n+y\n',
    },
  ])
})

test('an analysis tells what would come of a diff, or what stands in the way', () => {
  const read = (text: string) => () => ({ bytes: Buffer.from(text), mode: 0o100644 })
  const good = analyzePatchResult(originalDiff, read('old\n'))
  expect([good.success, good.detailedError, good.files.map(({ path }) => path)]).toEqual([true, '', ['file.js']])
  const bad = analyzePatchResult(originalDiff, read('other\n'))
  expect(bad.success).toBe(false)
  expect(bad.detailedError).toBe(
    'The patch does not fit file.js: hunk 1 expects "old\\n" in line 1, which is "other\\n".',
  )
  expect(bad.problems.map(({ code }) => code)).toEqual(['PATCH_MISMATCH'])
  expect(bad.files).toEqual([])
})
