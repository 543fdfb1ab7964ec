import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { nameFromBytes } from '../../base/quote.ts'
import { type RelPath, recordedPath } from '../../schema/path.ts'
import { fsPath } from './fs.ts'
import { OpenFolders } from './open-folders.ts'

let dir: string
let root: string
let folders: OpenFolders

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'open-folders-'))
  root = join(dir, 'root')
  mkdirSync(join(root, 'a/b/c'), { recursive: true })
  mkdirSync(join(dir, 'outside/b/c'), { recursive: true })
  writeFileSync(join(dir, 'outside/b/c/file'), 'outside')
  writeFileSync(join(root, 'a/b/c/file'), 'inside')
  folders = new OpenFolders(root)
})

afterEach(() => {
  folders.close()
  rmSync(dir, { recursive: true, force: true })
})

const rel = (path: string): RelPath => recordedPath(path)
const read = (path: string): string => readFileSync(fsPath(folders.child(rel(path))), 'utf8')

test('finds a file in a folder below', () => {
  expect(read('a/b/c/file')).toBe('inside')
})

test.each(['a', 'a/b', 'a/b/c'])('refuses a path when %s has been replaced by a link', (link) => {
  renameSync(join(root, link), join(dir, 'moved'))
  symlinkSync(join(dir, 'outside', link.slice(2)), join(root, link))
  expect(() => read('a/b/c/file')).toThrow('ENOTDIR')
})

test('refuses a link that leads to a folder inside', () => {
  symlinkSync('a', join(root, 'link'))
  expect(() => read('link/b/c/file')).toThrow('ENOTDIR')
})

test('a folder that is open is still the one that was opened when a link takes its place', () => {
  const at = folders.child(rel('a/b/c/file'))
  renameSync(join(root, 'a'), join(dir, 'moved'))
  symlinkSync(join(dir, 'outside'), join(root, 'a'))
  expect(readFileSync(at, 'utf8')).toBe('inside')
})

test('follows the root when it is renamed', () => {
  renameSync(root, join(dir, 'elsewhere'))
  expect(read('a/b/c/file')).toBe('inside')
})

test.each([
  ['with what the system writes behind the names of deleted folders', 'a (deleted)'],
  ['with a line feed', 'a\nb'],
  ['that is not UTF-8', nameFromBytes(Buffer.from('caf\xe9', 'latin1'))],
])('finds a folder with a name %s', (_, name) => {
  mkdirSync(fsPath(join(root, name)))
  writeFileSync(fsPath(join(root, `${name}/file`)), 'odd')
  expect(read(`${name}/file`)).toBe('odd')
})

test('finds a folder deeper than a path may be long', () => {
  let deep = 'a'
  for (let at = 0; at < 40; at++) {
    deep += `/${'d'.repeat(200)}`
    mkdirSync(folders.child(rel(deep)))
    folders.rest()
  }
  writeFileSync(folders.child(rel(`${deep}/file`)), 'deep')
  expect(read(`${deep}/file`)).toBe('deep')
})
