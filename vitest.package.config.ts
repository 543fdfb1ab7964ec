import { defineConfig } from 'vitest/config'

/** Tests of the packed file, installed into folders of their own; they need a registry or npm's cache. Not part of `npm test`. */
export default defineConfig({
  test: {
    include: ['test/package/**/*.test.ts'],
    globalSetup: ['test/package/setup.ts'],
    pool: 'forks',
    testTimeout: 180_000,
    hookTimeout: 600_000,
    reporters: ['default', './test/kit/closing-line.ts'],
  },
})
