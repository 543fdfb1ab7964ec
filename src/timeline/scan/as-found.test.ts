import { lstatSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { recordedPath as rel } from '../../schema/path.ts'
import { KIND } from '../../store/tree.ts'
import { isAsFound } from './as-found.ts'
import { encodeFolder, newFolder } from './folder.ts'
import { Folders } from './folders.ts'

/** A folder with a file and a symlink, and what a look found in it. */
function found() {
  const root = mkdtempSync(join(tmpdir(), 'timewarp-as-found-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  writeFileSync(join(root, 'file'), 'content\n')
  symlinkSync('file', join(root, 'link'))
  const folder = newFolder(['file', 'link'])
  folder.names.forEach((name, i) => {
    const { size, mtimeMs, ctimeMs, ino } = lstatSync(join(root, name))
    folder.kinds[i] = name === 'link' ? KIND.symlink : KIND.file
    for (const [column, value] of [
      [folder.sizes, size],
      [folder.sigM, mtimeMs],
      [folder.sigC, ctimeMs],
      [folder.inos, ino],
    ] as const)
      column[i] = value
  })
  const folders = new Folders(undefined)
  folders.set(rel(''), encodeFolder(folder))
  return { root, is: (path: string) => isAsFound(root, folders, rel(path)) }
}

test('a file is as it was found, and so is nothing', () => {
  const { is } = found()
  expect(['file', 'new', 'no/such/folder', 'file/below'].map(is)).toEqual([true, true, true, true])
})

test('what a symlink leads to is not looked at, so it is never sure', () => {
  expect(found().is('link')).toBe(false)
})

test('a write, another time, a removal and a newcomer show', () => {
  const { root, is } = found()
  writeFileSync(join(root, 'new'), '')
  expect(is('new')).toBe(false)
  utimesSync(join(root, 'file'), 1, 1)
  expect(is('file')).toBe(false)
  rmSync(join(root, 'file'))
  expect(is('file')).toBe(false)
})
