import { chmodSync, closeSync, openSync, writeSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { setPointHook } from '../../src/host/points.ts'
import { whenPassing } from '../kit/workspace.ts'
import { newWarm, type Warm } from './warm.ts'

/**
 * Without waiting for the clock's tick, only the watch tells that a file was written to while it was read: here it is
 * half written before the reading and whole after it, within one tick. test/long races real writers.
 */
test.each([200_000, 2_000_000])('%i bytes that are written while they are read are captured whole', async (size) => {
  const warm = newWarm({ busy: 'A'.repeat(size) })
  await warm.warm()
  const half = size / 2
  const writing = openSync(warm.workspace.at('busy'), 'r+')
  const put = (at: number): void => void writeSync(writing, 'B'.repeat(half), at)
  let readings = 0
  setPointHook((name) => {
    if (name === 'read:begun' && readings++ === 0) put(0)
    if (name === 'read:between' && readings === 1) put(half)
  })
  onTestFinished(() => {
    setPointHook(undefined)
    closeSync(writing)
  })
  // Told of, so that it is looked at.
  put(0)
  const { snapshot_id, warnings } = await warm.warm()
  expect(readings).toBeGreaterThan(1)
  expect(warnings).toEqual([])
  expect(await contentIn(warm, snapshot_id)).toBe('B')
})

test('a writer that stops in the middle is captured as it stands, and whole by the next capture', async () => {
  const warm = newWarm({ busy: 'A'.repeat(1000) })
  await warm.warm()
  warm.workspace.write({ busy: 'B'.repeat(500) + 'A'.repeat(500) })
  expect(await contentIn(warm, (await warm.warm()).snapshot_id)).toBe('BA')
  warm.workspace.write({ busy: 'B'.repeat(1000) })
  expect(await contentIn(warm, (await warm.warm()).snapshot_id)).toBe('B')
})

/** The letters of the file, each once. */
async function contentIn(warm: Warm, snapshot_id: string): Promise<string> {
  const call = { workspace: warm.workspace.root, snapshot_id, path: 'busy' }
  const { output } = await warm.daemon.call('cat', call)
  return [...new Set((output as { content: string }).content)].join('')
}

test('what happens in a folder while it is looked at is looked at again', async () => {
  const warm = newWarm({ 'a/b': 'first', 'c/d': 'first' })
  await warm.warm()
  warm.workspace.write({ 'a/b': 'second' })
  whenPassing('capture:looked', () => warm.workspace.write({ 'a/b': 'third!', 'a/e': 'new', 'c/d': 'later' }))
  const { snapshot_id } = await warm.warm()
  const read = async (path: string): Promise<string> => {
    const { output } = await warm.daemon.call('cat', { workspace: warm.workspace.root, snapshot_id, path })
    return (output as { content: string }).content
  }
  expect([await read('a/b'), await read('a/e'), await read('c/d')]).toEqual(['third!', 'new', 'first'])
})

test('a folder found in a look stays watched when the one above it is told of meanwhile', async () => {
  const warm = newWarm({ 'a/file': '1' })
  await warm.warm()
  warm.workspace.write({ 'a/new/file': '1' })
  whenPassing('capture:looked', () => {
    warm.workspace.write({ 'a/new/file': '2', 'a/new/more': '1' })
    // Told of as if the folder had moved: its watch is let go, and with it those below.
    chmodSync(warm.workspace.at('a'), 0o700)
  })
  await warm.warm()
  warm.workspace.write({ 'a/new/file': 'three' })
  expect(await warm.warm()).toMatchObject({ created: true, modified: 1 })
})
