import { chmodSync } from 'node:fs'
import { expect, test } from 'vitest'
import { untilSays, whenPassing } from '../kit/workspace.ts'
import { newWarm } from './warm.ts'

const SIZES = [200_000, 2_000_000]

/**
 * Without waiting for the clock's tick, only the watch tells that a file was written to while it was read. Not even that
 * does when the kernel stops the writer in the middle of one write: hence what fails is tried again.
 */
const WAYS = SIZES.flatMap((size) => [3, 8].map((pause) => [size, pause] as const))

test.each(WAYS)('%i bytes rewritten every %i ms are captured whole, or reported', { retry: 2 }, async (size, pause) => {
  const warm = newWarm({ busy: 'x'.repeat(size) })
  await warm.warm()
  const { workspace, daemon } = warm
  const writer = workspace.startScript('rewriter.ts', [workspace.at('busy'), `${size}`, 'keep', `${size}`, `${pause}`])
  try {
    await untilSays(writer, 'writing')
    for (let round = 0; round < 15; round++) {
      const call = { workspace: workspace.root, label: 'round' }
      const { snapshot_id, warnings } = (await daemon.call('snapshot', call)).output as Answer
      if (warnings.some((warning) => warning.startsWith('busy is not captured'))) continue
      const { output } = await daemon.call('cat', { workspace: workspace.root, snapshot_id, path: 'busy' })
      expect(lettersOf((output as { content: string }).content)).toMatch(/^[ABx]$/)
    }
  } finally {
    writer.kill('SIGKILL')
  }
})

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

interface Answer {
  readonly snapshot_id: string
  readonly warnings: readonly string[]
}

const lettersOf = (content: string): string => [...new Set(content)].join('')
