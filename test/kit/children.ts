import { existsSync, globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { build, type InlineConfig } from 'tsdown'
import { BESIDE } from '../../tsdown.config.ts'

/**
 * Bundles the programs that tests start, before the first test: a few files, instead of some 150 sources that Node would
 * strip of their types at every start. They are made anew whenever a source is newer.
 */

const ROOT = join(import.meta.dirname, '../..')
const OUT = join(ROOT, 'dist/test')
const CHILDREN = ['child', 'looper', 'paused', 'slow-pin']

const common: InlineConfig = {
  cwd: ROOT,
  config: false,
  clean: false,
  dts: false,
  logLevel: 'error',
  platform: 'node',
  target: 'node22.15',
  outDir: OUT,
  deps: { alwaysBundle: [/.*/] },
}

/** When the newest of the files was written; 0 when there is none. */
const newest = (files: readonly string[]): number => Math.max(0, ...files.map((file) => statSync(file).mtimeMs))

function isCurrent(): boolean {
  const made = [
    ...CHILDREN.map((name) => join(OUT, `${name}.js`)),
    ...Object.keys(BESIDE).map((name) => join(OUT, `${name}.cjs`)),
  ]
  if (!made.every((file) => existsSync(file))) return false
  const sources = ['src/**/*.ts', 'test/kit/*.ts', 'package-lock.json', 'tsdown.config.ts']
  return newest(globSync(sources, { cwd: ROOT }).map((name) => join(ROOT, name))) < Math.min(...made.map(mtimeOf))
}

const mtimeOf = (file: string): number => statSync(file).mtimeMs

export default async function bundleChildren(): Promise<void> {
  if (isCurrent()) return
  const entry = Object.fromEntries(CHILDREN.map((name) => [name, `test/kit/${name}.ts`]))
  // What an older run left stays: another may be using it.
  await build({ ...common, entry, format: 'esm', outExtensions: () => ({ js: '.js' }) })
  await build({ ...common, entry: BESIDE, format: 'cjs', outExtensions: () => ({ js: '.cjs' }) })
}
