import { defineConfig, type UserConfig } from 'tsdown'

/** One file per program: finding and opening many small ones costs more than reading one. Code still runs when needed. */
const bundle = (name: string, entry: string): UserConfig => ({
  entry: { [name]: entry },
  format: 'esm',
  platform: 'node',
  target: 'node22.15',
  outDir: 'dist',
  outExtensions: () => ({ js: '.js' }),
  outputOptions: { codeSplitting: false },
  dts: false,
  clean: false,
  deps: { alwaysBundle: [/.*/] },
  minify: 'dce-only',
})

export default defineConfig([
  bundle('main', 'src/bin/main.ts'),
  bundle('library', 'src/library.ts'),
  bundle('scan-worker', 'src/timeline/scan-worker.ts'),
  bundle('write-worker', 'src/timeline/write-worker.ts'),
])
