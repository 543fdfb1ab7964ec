import { defineConfig, type UserConfig } from 'tsdown'

/**
 * One file per program: finding and opening many small ones costs more than reading one. Code still runs when needed.
 * Programs are CommonJS: Node starts them sooner, above all in threads, and makes no copy of what its own modules export.
 */
const bundle = (name: string, entry: string, format: 'cjs' | 'esm' = 'cjs'): UserConfig => ({
  entry: { [name]: entry },
  format,
  platform: 'node',
  target: 'node22.15',
  outDir: 'dist',
  outExtensions: () => ({ js: format === 'cjs' ? '.cjs' : '.js' }),
  outputOptions: { codeSplitting: false },
  dts: false,
  clean: false,
  deps: { alwaysBundle: [/.*/] },
  minify: 'dce-only',
})

export default defineConfig([
  bundle('client', 'src/bin/client.ts'),
  bundle('main', 'src/bin/main.ts'),
  bundle('daemon', 'src/bin/daemon.ts'),
  bundle('mcp', 'src/bin/mcp.ts'),
  bundle('mcp-http', 'src/bin/mcp-http.ts'),
  bundle('library', 'src/library.ts', 'esm'),
  bundle('diff', 'src/diff.ts', 'esm'),
  bundle('scan-worker', 'src/timeline/scan-worker.ts'),
  bundle('write-worker', 'src/timeline/write-worker.ts'),
  bundle('recommended', 'src/privacy/recommended.ts'),
])
