import { defineConfig } from 'vitest/config'

/** Tests of which `npm test` plays a part: here they play all of it. */
const SCALED = [
  'test/crash/{concurrent-gc,damage,edits,killed,points,restore-back}.test.ts',
  'test/diff/round-trip.test.ts',
  'test/e2e/{growth,redact}.test.ts',
  'test/live/equal.test.ts',
  'test/model/timeline.test.ts',
  'test/travel/{chat,crash,random}.test.ts',
]

/**
 * Tests that take long, or need root and mounts. TIMEWARP_ROUNDS is the fraction of their rounds that are run (0.02),
 * TIMEWARP_SEED what their chance begins with. Not part of `npm test`.
 */
export default defineConfig({
  test: {
    include: ['test/long/**/*.test.ts', ...SCALED],
    env: { TIMEWARP_TEST_FULL: '1' },
    setupFiles: 'test/kit/setup.ts',
    globalSetup: ['test/kit/children.ts'],
    pool: 'forks',
    // Each of them keeps the machine busy by itself.
    fileParallelism: false,
    testTimeout: 7_200_000,
    hookTimeout: 120_000,
    reporters: ['default', './test/kit/closing-line.ts'],
  },
})
