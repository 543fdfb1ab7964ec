import { defineConfig } from 'vitest/config'

/** What takes long, or needs root and mounts. TIMEWARP_ROUNDS makes it shorter: 0.02 is a fiftieth of all rounds. */
export default defineConfig({
  test: {
    include: ['test/long/**/*.test.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 7_200_000,
    hookTimeout: 60_000,
    reporters: ['default', './test/kit/closing-line.ts'],
  },
})
