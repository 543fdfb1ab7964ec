import { expect, test } from 'vitest'
import { rounds } from '../kit/rounds.ts'
import { newWorkspace, untilSays } from '../kit/workspace.ts'
import { newWarm } from '../live/warm.ts'

/**
 * Captures race with a process that keeps rewriting a file. A writer that the kernel stops in the middle of one write
 * leaves what no clock and no watch tells from a whole file: that may happen, but hardly ever.
 */

const CAPTURES = rounds(150)
const MOST_TORN = Math.max(1, CAPTURES / 50)

type Capture = () => Promise<{ readonly warnings: readonly string[]; readonly content: () => Promise<string> }>

async function tornOf(capture: Capture, isWhole: (content: string) => boolean): Promise<number> {
  let torn = 0
  for (let round = 0; round < CAPTURES; round++) {
    const { warnings, content } = await capture()
    if (warnings.some((warning) => warning.startsWith('busy is not captured'))) continue
    if (!isWhole(await content())) torn++
  }
  return torn
}

test.each([200_000, 2_000_000].flatMap((size) => [3, 8].map((pause) => [size, pause] as const)))(
  'with a daemon, %i bytes rewritten every %i ms are captured whole, or reported',
  async (size, pause) => {
    const warm = newWarm({ busy: 'x'.repeat(size) })
    await warm.warm()
    const { workspace, daemon } = warm
    const args = [workspace.at('busy'), `${size}`, 'keep', `${size}`, `${pause}`]
    await untilSays(workspace.startScript('rewriter.ts', args), 'writing')
    const call = { workspace: workspace.root }
    const capture: Capture = async () => {
      const { output } = await daemon.call('snapshot', { ...call, label: 'round' })
      const { snapshot_id, warnings } = output as { snapshot_id: string; warnings: string[] }
      const read = async (): Promise<string> =>
        ((await daemon.call('cat', { ...call, snapshot_id, path: 'busy' })).output as { content: string }).content
      return { warnings, content: read }
    }
    expect(await tornOf(capture, (content) => new Set(content).size === 1)).toBeLessThanOrEqual(MOST_TORN)
  },
)

const SIZE = 6_000_000

/** Whether the file really looked like this between two calls of the writer, who may pause there for long. */
function isBetweenPieces(content: string, piece: number): boolean {
  const [, first = '', rest = ''] = /^(A*|B*)(A*|B*)$/.exec(content) ?? []
  return content.length === first.length + rest.length && first.length % piece === 0 && (rest === '' || piece < SIZE)
}

test.each([
  ['in place, at once', 'keep', SIZE, 25],
  ['in place, piece by piece', 'keep', 100_000, 25],
  ['in place, without a pause', 'keep', 500_000, 0],
  ['cut first, at once', 'cut', SIZE, 25],
  ['cut first, piece by piece', 'cut', 100_000, 25],
] as const)('without a daemon, a file rewritten %s is captured whole or reported', async (_, before, piece, pause) => {
  const workspace = newWorkspace({ busy: Buffer.alloc(SIZE, 'A'), calm: 'x' })
  const args = [workspace.at('busy'), `${SIZE}`, before, `${piece}`, `${pause}`]
  await untilSays(workspace.startScript('rewriter.ts', args), 'writing')
  const capture: Capture = async () => {
    const { snapshot_id, warnings } = await workspace.call('snapshot', { label: 'round' })
    const read = async (): Promise<string> => (await workspace.call('cat', { snapshot_id, path: 'busy' })).content ?? ''
    return { warnings, content: read }
  }
  expect(await tornOf(capture, (content) => isBetweenPieces(content, piece))).toBeLessThanOrEqual(MOST_TORN)
})
