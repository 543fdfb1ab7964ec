import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

/** Folders of tests that start no process: nothing but memory and temporary folders. */
const PURE = ['test/*.test.ts', 'test/{diff,model,pins,privacy}/**/*.test.ts']

const common = { pool: 'forks', testTimeout: 180_000, hookTimeout: 60_000, setupFiles: 'test/kit/setup.ts' } as const

export default defineConfig({
  test: {
    // Most tests wait for processes and disks: more files at a time than there are cores keep these busy.
    maxWorkers: Math.max(3, availableParallelism()),
    reporters: ['default', './test/kit/closing-line.ts'],
    projects: [
      {
        // All files of a worker share one process and one set of modules: whoever changes something puts it back.
        test: { ...common, name: 'unit', isolate: false, include: ['src/**/*.test.ts', ...PURE] },
      },
      {
        test: {
          ...common,
          name: 'system',
          include: ['test/**/*.test.ts'],
          // Apart: npm run test:clients, test:package, and test:long for what takes long or needs root.
          exclude: ['test/{clients,long,package}/**', ...PURE],
          globalSetup: ['test/kit/children.ts'],
        },
      },
    ],
  },
})
