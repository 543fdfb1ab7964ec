import * as fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { expectRecorded, newNestedWarm, ROOT_WAYS } from './root-ways.ts'
import { newWarm } from './warm.ts'

/** A watch belongs to a folder, not to its path. When another folder takes the root's path, no change in it is missed. */

const ROUNDS = 4

test.each(Object.entries(ROOT_WAYS))('a root that is %s', async (_, way) => {
  const warm = newNestedWarm()
  await warm.warm()
  for (let round = 1; round <= ROUNDS; round++) {
    way(warm.workspace.root, round)
    await expectRecorded(warm, round)
  }
})

test('a root that is made again by a restore', async () => {
  const warm = newWarm({ a: '1', 'sub/b': '2' })
  const { root } = warm.workspace
  const call = (tool: string, input = {}) => warm.daemon.call(tool, { workspace: root, ...input })
  await warm.warm()
  for (let round = 1; round <= 5; round++) {
    fs.rmSync(root, { recursive: true })
    await call('restore', { snapshot_id: 'latest' })
    expect(warm.workspace.read('sub/b')).toBe('2')
    for (const name of fs.readdirSync(root)) fs.rmSync(join(root, name), { recursive: true })
    await call('undo')
    expect(warm.workspace.read('a')).toBe('1')
    expect(warm.workspace.read('sub/b')).toBe('2')
  }
})

test('a new name of a file whose folder changes at the same time', async () => {
  const warm = newWarm({ 'a/n': 'one', 'a/other': '' })
  await warm.warm()
  fs.linkSync(warm.workspace.at('a/n'), warm.workspace.at('h'))
  fs.appendFileSync(warm.workspace.at('h'), ' more')
  fs.utimesSync(warm.workspace.at('a/other'), 1, 1)
  expect((await warm.warm()).tree).toBe((await warm.cold()).tree)
})
