import { writeFileSync } from 'node:fs'
import { defineConfig, type UserConfig } from 'tsdown'
import { licences } from './scripts/licences.ts'

/**
 * Text that goes beyond ASCII makes Node keep all of a file with two bytes per character, and a program start ten
 * milliseconds later. What `String.raw` gives would differ: it is not used with such text.
 */
const escape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
const ascii = {
  name: 'ascii',
  generateBundle(_: unknown, files: Record<string, { code?: string }>): void {
    for (const file of Object.values(files)) if (file.code) file.code = file.code.replace(/[^\0-\x7f]/g, escape)
  },
}

/** What is bundled comes with its licences. Each program adds what it contains; the last one to be written has all. */
const bundled = new Set<string>()
const notices = {
  name: 'licences',
  writeBundle(_: unknown, files: Record<string, { moduleIds?: readonly string[] }>): void {
    for (const { moduleIds = [] } of Object.values(files)) for (const id of moduleIds) bundled.add(id)
    writeFileSync('dist/licences.txt', licences(bundled))
  },
}

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
  // What a package has as ES modules: its other form may load its parts by names that no bundler sees.
  inputOptions: { resolve: { mainFields: ['module', 'main'] } },
  minify: 'dce-only',
  plugins: [ascii, notices],
})

/**
 * All types of one entry in one file, from the declarations that `tsc` has put into dist/types: what the entry does not
 * reach stays out of the package.
 */
const types = (name: string, source: string): UserConfig => ({
  entry: { [name]: `dist/types/src/${source}.d.ts` },
  format: 'esm',
  platform: 'node',
  outDir: 'dist',
  outExtensions: () => ({ dts: '.d.ts' }),
  dts: { emitDtsOnly: true, dtsInput: true },
  clean: false,
})

/** What the programs load from the folder in which they are. */
export const BESIDE: Readonly<Record<string, string>> = {
  'scan-worker': 'src/timeline/scan/scan-worker.ts',
  'write-worker': 'src/timeline/restore/write-worker.ts',
  recommended: 'src/secrets/recommended.ts',
}

export default defineConfig([
  bundle('client', 'src/bin/client.ts'),
  bundle('main', 'src/bin/main.ts'),
  bundle('daemon', 'src/bin/daemon.ts'),
  bundle('mcp', 'src/bin/mcp.ts'),
  bundle('mcp-http', 'src/bin/mcp-http.ts'),
  bundle('library', 'src/library.ts', 'esm'),
  types('library', 'library'),
  bundle('diff', 'src/diff/public.ts', 'esm'),
  types('diff', 'diff/public'),
  ...Object.entries(BESIDE).map(([name, entry]) => bundle(name, entry)),
])
