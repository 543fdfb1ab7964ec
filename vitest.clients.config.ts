import { defineConfig } from 'vitest/config'

/** Tests with real clients, which have to be installed first: `npm run clients -- NAME…`. Not part of `npm test`. */
export default defineConfig({
  test: {
    include: ['test/clients/**/*.test.ts'],
    globalSetup: ['test/clients/setup.ts'],
    pool: 'forks',
    // Clients are large programs, and the machine is small.
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 60_000,
    reporters: ['default', './test/kit/closing-line.ts'],
  },
})
