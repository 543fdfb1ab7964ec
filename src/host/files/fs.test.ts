import { expect, test } from 'vitest'
import { microsIn, microsOf, millisOf } from './fs.ts'

const SECOND = 1_000_000_000n
/** Moments from 1970 to 2100, most of them of our days; nanoseconds of every kind. */
const MOMENTS = [0n, 1n, 999n, 1_700_000_000n, 1_763_000_000n, 2_199_023_255n, 2_199_023_256n, 4_000_000_000n]
const PARTS = [0n, 1n, 499n, 500n, 999n, 1000n, 123_456_000n, 123_456_789n, 999_999_000n, 999_999_999n]

test('microseconds told by a plain stat are those of an exact one, or are not told', () => {
  let told = 0
  const agree = (ns: bigint): void => {
    const micros = microsIn(millisOf(ns))
    if (micros === undefined) return
    told++
    expect(micros, `${ns}`).toBe(microsOf(ns))
  }
  for (const moment of MOMENTS) for (const part of PARTS) agree(moment * SECOND + part)
  for (let i = 0n; i < 20_000n; i++) agree(1_763_000_000n * SECOND + ((i * 7_919_317n) % SECOND))
  expect(told).toBeGreaterThan(14_000)
})

test('what is before 1970 is not told', () => {
  expect(microsIn(-0.5)).toBeUndefined()
})
