import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type GitFolders, isLeftOut } from './git-folders.ts'
import { gitSignature } from './signature.ts'

function folder(files: Readonly<Record<string, string>>): { dir: string; place: GitFolders } {
  const dir = mkdtempSync(join(tmpdir(), 'timewarp-signature-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(dir, path, '..'), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
  const place = { gitDir: dir, commonDir: dir, link: null, repositories: [{ path: '', dir, gitDir: dir }] }
  return { dir, place }
}

test('a change that is as young as the look may be followed by one that does not show', () => {
  const { dir, place } = folder({ HEAD: 'ref: refs/heads/main\n' })
  const at = statSync(join(dir, 'HEAD')).ctimeMs
  expect(gitSignature(place, at + 5).isSure).toBe(false)
  expect(gitSignature(place, at + 5000).isSure).toBe(true)
  expect(gitSignature(place, at + 5).text).toBe(gitSignature(place, at + 5000).text)
})

test('where there are many refs their folder tells of a new one', () => {
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`refs/tags/v${i}`, 'x'] as const))
  const { dir, place } = folder({ HEAD: 'x', ...many })
  const before = gitSignature(place, 0).text
  expect(gitSignature(place, 0).text).toBe(before)
  writeFileSync(join(dir, 'refs/tags/new.lock'), 'y')
  rmSync(join(dir, 'refs/tags/new.lock'))
  expect(gitSignature(place, 0).text).not.toBe(before)
})

test('objects, locks and samples are left out; names that merely look like them are not', () => {
  const paths = ['objects', 'modules', 'index.lock', 'hooks/pre-commit.sample', 'worktrees/x/modules', 'lfs']
  expect(paths.filter((path) => !isLeftOut(path))).toEqual([])
  expect(['refs/heads/objects', 'logs/refs/heads/modules', 'hooks/pre-commit'].filter(isLeftOut)).toEqual([])
})
