import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // Real clients are installed apart (npm run test:clients); what takes long or needs root: npm run test:long.
    exclude: ['test/clients/**', 'test/long/**'],
    pool: 'forks',
    // Most tests wait for processes and disks: two files at a time are faster also where there are only two cores.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 180_000,
    hookTimeout: 60_000,
    reporters: ['default', './test/kit/closing-line.ts'],
  },
})
