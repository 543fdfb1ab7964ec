import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { recordedPath as rel } from '../../schema/path.ts'
import { EventCount } from './event-count.ts'
import { FolderWatch } from './folder-watch.ts'

function watchOf(...folders: string[]): FolderWatch {
  const root = fs.mkdtempSync(join(tmpdir(), 'timewarp-watch-'))
  for (const folder of folders) fs.mkdirSync(join(root, folder), { recursive: true })
  const watch = new FolderWatch(
    root,
    { changed: () => {}, rootTouched: () => {}, lost: () => {} },
    new EventCount(() => {}),
  )
  onTestFinished(() => {
    watch.close()
    fs.rmSync(root, { recursive: true })
  })
  return watch
}

test('whoever drops a folder drops all below it, in whatever order they were added', () => {
  const watch = watchOf('a/b/c', 'd')
  expect(watch.add([rel('a/b/c'), rel(''), rel('a/b'), rel('d'), rel('a')])).toBeUndefined()
  watch.drop(rel('a/b'))
  expect(['', 'a', 'a/b', 'a/b/c', 'd'].filter((folder) => watch.has(rel(folder)))).toEqual(['', 'a', 'd'])
})

test('a folder that is not watched itself still leads to those below it', () => {
  const watch = watchOf('a/b/c')
  watch.add([rel(''), rel('a/b/c')])
  watch.drop(rel('a'))
  expect(watch.has(rel('a/b/c'))).toBe(false)
  expect(watch.size).toBe(1)
})

test('what is not there is not watched, and no reason to give up', () => {
  const watch = watchOf('a')
  expect(watch.add([rel(''), rel('a'), rel('gone'), rel('a/gone')])).toBeUndefined()
  expect(watch.size).toBe(2)
})
