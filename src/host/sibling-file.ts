import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

/**
 * The file of a separate entry point: beside the bundle when bundled, in its folder of `src` when run from the sources.
 */
export function siblingFile(folder: string, name: string): URL {
  const here = import.meta.url
  return here.endsWith('.ts') ? new URL(`../${folder}/${name}.ts`, here) : new URL(`./${name}.cjs`, here)
}

/** Loads that file synchronously and returns its exports: for libraries that few commands need and that load slowly. */
export const loadSibling = <T>(folder: string, name: string): T =>
  createRequire(import.meta.url)(fileURLToPath(siblingFile(folder, name))) as T
