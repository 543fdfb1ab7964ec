import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { playAttribution } from '../../bench/attribution.ts'

/** The short version of `npm run bench -- attribution`. */
test('with people and agents at work at the same time, what is called certain is, and nobody’s work is taken back', async () => {
  const options = { seed: 7, seconds: 11, changes: 70, scale: 20, workspaces: 4, dir: tmpdir(), verbose: false }
  const { text, isReached } = await playAttribution(options, () => {})
  expect(isReached, text).toBe(true)
})
