import { expect, test } from 'vitest'
import { fuzz } from './fuzz.ts'

// Ten thousand calls are in test/long.
test.each([
  ['library', 20261116, 500],
  ['http', 20261117, 200],
] as const)('calls made up from the schemas meet no bug, by %s', async (over, seed, calls) => {
  expect(await fuzz(seed, calls, over)).toBe(calls)
})
