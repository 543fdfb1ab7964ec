import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { untilStill } from '../../../test/kit/tick.ts'
import { Rules } from '../../config/rules.ts'
import { recordedPath as rel } from '../../schema/path.ts'
import { decodeFolder } from './folder.ts'
import { type FolderScanContext, scanFolder } from './scan-folder.ts'

let root: string

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'look-')))
})
afterEach(() => rmSync(root, { recursive: true }))

const scene = (take: () => void): FolderScanContext => ({
  root,
  enter: (path) => join(root, path),
  rules: () => new Rules({ defaults: [], own: [], tracked: [] }),
  maxBytes: 1e6,
  sink: { take },
  patient: true,
  relist: false,
  isKnown: () => false,
  isStored: undefined,
})

/** Looks at a folder that has lain still. */
async function look(take: () => void) {
  mkdirSync(join(root, 'folder'))
  writeFileSync(join(root, 'folder/a'), 'a')
  untilStill(root)
  const found = scanFolder(scene(take), rel('folder'), undefined)
  if (found.state !== 'changed') throw new Error(found.state)
  return decodeFolder(found.folder)
}

test('a new folder that lies still is looked at once, and trusted from then on', async () => {
  const folder = await look(() => {})
  expect(folder.names).toEqual(['a'])
  expect(folder.ctimeMs).toBeGreaterThan(0)
})

test('what comes into a new folder while it is looked at is seen', async () => {
  const folder = await look(() => writeFileSync(join(root, 'folder/b'), 'b'))
  expect(folder.names).toEqual(['a', 'b'])
})

test('a new folder that goes while it is looked at is gone', async () => {
  await expect(look(() => rmSync(join(root, 'folder'), { recursive: true, force: true }))).rejects.toThrow('gone')
})
