import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

/** The file of a program of its own: beside the bundle when bundled, in its room when run from the sources. */
export function besideFile(room: string, name: string): URL {
  const here = import.meta.url
  return here.endsWith('.ts') ? new URL(`../${room}/${name}.ts`, here) : new URL(`./${name}.cjs`, here)
}

/** What that file exports. Loaded here and now: for libraries that few commands need and that take time to load. */
export const loadBeside = <T>(room: string, name: string): T =>
  createRequire(import.meta.url)(fileURLToPath(besideFile(room, name))) as T
