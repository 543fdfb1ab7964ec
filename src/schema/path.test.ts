import { expect, test } from 'vitest'
import { Fault } from '../base/fault.ts'
import {
  foldersAbove,
  joinPath,
  parseEditedPath,
  parseFilePath,
  parsePathGlob,
  parseRelPath,
  ROOT,
  recordedPath,
} from './path.ts'

function codeOf(act: () => unknown): string {
  try {
    act()
    return 'accepted'
  } catch (error) {
    return (error as Fault).code
  }
}

test('a path from outside is brought into its one form', () => {
  expect(parseRelPath('./a//b/./c/')).toBe('a/b/c')
  expect(parseRelPath('.')).toBe('')
  expect(parseRelPath('...')).toBe('...')
  expect(parseRelPath('"\\303\\251\\377"')).toBe('é\udcff')
})

test.each([
  ['..', 'PATH_OUTSIDE'],
  ['a/../..', 'PATH_OUTSIDE'],
  ['a/../b', 'PATH_OUTSIDE'],
  ['"\\056\\056"', 'PATH_OUTSIDE'],
  ['"a/\\056./b"', 'PATH_OUTSIDE'],
  ['/etc/passwd', 'PATH_OUTSIDE'],
  ['"/etc"', 'PATH_OUTSIDE'],
  ['a\0', 'PATH_OUTSIDE'],
  ['"a\\000b"', 'PATH_OUTSIDE'],
  ['\ud800', 'PATH_OUTSIDE'],
  ['\udcc3\udca9', 'PATH_OUTSIDE'],
  ['', 'BAD_INPUT'],
  ['""', 'BAD_INPUT'],
  ['x'.repeat(256), 'PATH_TOO_LONG'],
  ['é'.repeat(128), 'PATH_TOO_LONG'],
  ['x/'.repeat(2049), 'PATH_TOO_LONG'],
  ['x'.repeat(255), 'accepted'],
  ['x/'.repeat(2048), 'accepted'],
  ['..a/a../.../. /..  ', 'accepted'],
  ['\udcff', 'accepted'],
])('%j: %s', (text, code) => expect(codeOf(() => parseRelPath(text))).toBe(code))

test('the root is no file, and neither it nor what is git’s or ours is edited', () => {
  expect(codeOf(() => parseFilePath('./'))).toBe('PATH_KIND')
  for (const path of ['.', './/', '.git', 'a/.GIT/b', '.timewarp/x', './/.git'])
    expect(
      codeOf(() => parseEditedPath(path)),
      path,
    ).toBe('PATH_PROTECTED')
  expect(parseEditedPath('.gitignore')).toBe('.gitignore')
})

test('a glob stays as it is, unless it leads outside', () => {
  for (const glob of ['*.ts', '/src/**', 'a b', '!x']) expect(parsePathGlob(glob)).toBe(glob)
  for (const glob of ['../*', 'a/../../*', '*\0', '"\\056\\056"'])
    expect(
      codeOf(() => parsePathGlob(glob)),
      glob,
    ).toBe('PATH_OUTSIDE')
})

test('names and recorded paths that lead outside are damage', () => {
  for (const name of ['', '.', '..', 'a/b', 'a\0']) expect(codeOf(() => joinPath(ROOT, name))).toBe('PATH_DAMAGED')
  for (const path of ['..', '../a', 'a/..', 'a//b', '/a', 'a/', './a', 'a\0b', 'a/./b'])
    expect(
      codeOf(() => recordedPath(path)),
      path,
    ).toBe('PATH_DAMAGED')
  expect(recordedPath('')).toBe(ROOT)
  expect(foldersAbove(recordedPath('a/b/c'))).toEqual(['a', 'a/b'])
})
