import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as library from '../../src/diff/public.ts'

const root = join(import.meta.dirname, '../..')

test('pin: the names of the library', () => {
  expect(Object.keys(library).sort()).toEqual([
    'Fault',
    'addFileHashesToDiff',
    'analyzePatchResult',
    'applyPatch',
    'calculateFileHash',
    'checkPatch',
    'cleanDiffTimestamps',
    'countLines',
    'diffLines',
    'formatPatch',
    'generateUnifiedDiff',
    'getGitTimestamp',
    'mergeBytes',
    'parseMultiFileDiff',
    'parsePatch',
    'reverseDiff',
    'reversePatch',
    'validateDiffFormat',
    'writeDiff',
  ])
})

test('pin: where the package has it', () => {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, unknown>
  }
  expect(exports['./diff']).toEqual({ types: './dist/diff.d.ts', default: './dist/diff.js' })
})

// `npm test` builds first; a single run of the tests need not.
test.skipIf(!existsSync(join(root, 'dist/diff.js')))('the built library works under its name', () => {
  const code = `import { generateUnifiedDiff } from 'timewarp/diff'; process.stdout.write(generateUnifiedDiff('a', 'b'))`
  const printed = execFileSync('node', ['--input-type=module', '-e', code], { cwd: root, encoding: 'utf8' })
  expect(printed).toContain('--- a/file\n+++ b/file\n@@ -1 +1 @@\n')
})
