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

// Takes about half a second; what grew with the square of the lines would take minutes. How fast it is: npm run bench.
test.each([
  ['every twentieth line differs', text(1, 20), text(2, 20), true],
  ['all lines differ', text(1), text(2), false],
  ['the same few lines in another order', repetitive(3), repetitive(5), false],
])('large files are compared, patched and merged: %s', { timeout: 30_000 }, (_, old, current, isApart) => {
  const mode = 0o100644
  const diff = writeDiff([{ path: 'x', status: 'modified', oldMode: mode, newMode: mode, old, new: current }], 'git')
  const { files } = applyPatch(parsePatch(diff), () => ({ bytes: old, mode }))
  expect(Buffer.compare(files[0]?.after?.bytes ?? Buffer.of(), current)).toBe(0)
  const last = Buffer.from('last\n')
  const merged = mergeBytes(old, current, Buffer.concat([old, last]))
  const text = 'bytes' in merged ? merged.bytes : merged.forced
  // Where the last line differs, too, both sides changed the same place.
  expect(['bytes' in merged, Buffer.from(text.subarray(-5)).toString()]).toEqual([isApart, 'last\n'])
  if (isApart) expect(Buffer.compare(text, Buffer.concat([current, last]))).toBe(0)
})
