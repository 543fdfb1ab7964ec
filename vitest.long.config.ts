import { defineConfig } from 'vitest/config'

/**
 * Tests that take long, or need root and mounts. TIMEWARP_ROUNDS is the fraction of their rounds that are run (0.02),
 * TIMEWARP_SEED what their chance begins with. Not part of `npm test`.
 */
export default defineConfig({
  test: {
    include: ['test/long/**/*.test.ts'],
    pool: 'forks',
    // Each of them keeps the machine busy by itself.
    fileParallelism: false,
    testTimeout: 7_200_000,
    hookTimeout: 120_000,
    reporters: ['default', './test/kit/closing-line.ts'],
  },
})
