import * as fs from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { newWorkspace } from '../kit/workspace.ts'
import { Warm } from './warm.ts'

/** A daemon that takes a workspace up leaves the looking to threads. */

const FOLDERS = 450
const path = (i: number): string => `d${i}/file`
const files = (some: readonly number[], text: (i: number) => string): Record<string, string> =>
  Object.fromEntries(some.map((i) => [path(i), text(i)]))

test.each([
  ['what is little is stored together', 100, 1],
  ['what is much goes into packs of their own', 20_000, 2],
])('%s', async (_what, size, packs) => {
  const all = Array.from({ length: FOLDERS }, (_, i) => i)
  const workspace = newWorkspace(files(all, (i) => `first ${i}`))
  await workspace.snapshot()
  const count = (): number => fs.readdirSync(join(workspace.home, 'objects')).length
  const before = count()
  const some = all.filter((i) => i % 7 === 0)
  // Some of them alike, and not of a kind that shrinks.
  const text = (i: number): string => Array.from({ length: size }, (_, at) => (i % 5) * at * 7919 + at).join('\n')
  workspace.write(files(some, text))
  const warm = new Warm(workspace)
  onTestFinished(() => warm.close())
  const { snapshot_id, modified } = await warm.warm()
  expect(modified).toBe(some.length)
  expect(count() - before).toBeGreaterThanOrEqual(packs)
  if (packs === 1) expect(count() - before).toBe(1)
  expect(await workspace.call('fsck', {})).toMatchObject({ ok: true })
  workspace.write(files(some, () => 'lost'))
  await workspace.restore(snapshot_id)
  for (const i of some) expect(workspace.read(path(i))).toBe(text(i))
})
