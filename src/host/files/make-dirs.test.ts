import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { makeDirs } from './make-dirs.ts'

const dir = mkdtempSync(join(tmpdir(), 'timewarp-dirs-'))
afterAll(() => rmSync(dir, { recursive: true }))

test('folders above are made, and one that is there is as good', () => {
  makeDirs(join(dir, 'a/b/c'), 0o700)
  makeDirs(join(dir, 'a/b/c'), 0o700)
  expect(statSync(join(dir, 'a/b/c')).mode & 0o777).toBe(0o700)
})

test('a link to a folder is as good; a file or a link to nothing is not', () => {
  symlinkSync(dir, join(dir, 'link'))
  symlinkSync(join(dir, 'nothing'), join(dir, 'dangling'))
  writeFileSync(join(dir, 'file'), '')
  makeDirs(join(dir, 'link'))
  expect(() => makeDirs(join(dir, 'file'))).toThrow(/EEXIST/)
  expect(() => makeDirs(join(dir, 'dangling'))).toThrow(/EEXIST/)
  expect(() => makeDirs(join(dir, 'file/below'))).toThrow(/ENOTDIR/)
})

test.runIf(process.platform === 'linux')('where the file system takes no folder, it says so at once', () => {
  expect(() => makeDirs('/proc/timewarp/below')).toThrow(/EPERM|EACCES/)
})
