import { defineConfig } from 'tsdown'

/** One bundle with a chunk per tool, and one file per worker thread. */
export default defineConfig({
  entry: {
    main: 'src/bin/main.ts',
    library: 'src/library.ts',
    'scan-worker': 'src/timeline/scan-worker.ts',
    'write-worker': 'src/timeline/write-worker.ts',
  },
  format: 'esm',
  platform: 'node',
  target: 'node22.15',
  outDir: 'dist',
  outExtensions: () => ({ js: '.js' }),
  dts: false,
  clean: true,
  deps: { alwaysBundle: [/.*/] },
  minify: 'dce-only',
})
