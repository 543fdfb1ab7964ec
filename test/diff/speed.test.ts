import { expect, test } from 'vitest'
import { applyPatch, mergeBytes, parsePatch, writeDiff } from '../../src/diff/public.ts'

const LINES = 50_000

/** Always the same, and no two lines alike for the same `salt`. */
const lines = (salt: number, every = 1): string[] =>
  Array.from(
    { length: LINES },
    (_, i) => `  const v${i} = call(${i % every === 0 ? (i * 7919 + salt) % 1_000_003 : i})\n`,
  )
const text = (salt: number, every?: number): Buffer => Buffer.from(lines(salt, every).join(''))
const repetitive = (step: number): Buffer =>
  Buffer.from(Array.from({ length: LINES }, (_, i) => `line ${(i * i * step) % 307}\n`).join(''))

// Far above what it takes (about 0.05 s, and 0.5 s for the repetitive ones): this finds what grows, not what is slow.
test.each([
  ['every twentieth line differs', text(1, 20), text(2, 20), 2000],
  ['all lines differ', text(1), text(2), 2000],
  ['the same few lines in another order', repetitive(3), repetitive(5), 10_000],
])('large files are compared, patched and merged in time: %s', (_, old, current, most) => {
  const start = performance.now()
  const mode = 0o100644
  const diff = writeDiff([{ path: 'x', status: 'modified', oldMode: mode, newMode: mode, old, new: current }], 'git')
  const { files } = applyPatch(parsePatch(diff), () => ({ bytes: old, mode }))
  expect(Buffer.compare(files[0]?.after?.bytes ?? Buffer.of(), current)).toBe(0)
  expect('bytes' in mergeBytes(old, current, Buffer.concat([Buffer.from('first\n'), old]))).toBeTypeOf('boolean')
  expect(performance.now() - start).toBeLessThan(most)
})
