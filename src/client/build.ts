import { dirname, join } from 'node:path'
import about from '../../package.json' with { type: 'json' }
import { stat } from '../host/files/fs.ts'

/** Identifies the running program: its version, and the file it was started from as it is now. */
export interface Build {
  readonly version: string
  readonly stamp: string
}

/**
 * The main program of a build lies beside all others; when run from the sources there is none, and all builds are
 * equal.
 */
export function buildOf(program: string): Build {
  const main = stat(join(dirname(program), 'main.cjs'))
  return { version: about.version, stamp: main ? `${main.mtimeMs}-${main.size}` : 'source' }
}

export const buildText = ({ version, stamp }: Build): string => `${version} ${stamp}`

/** Whether the other build has a later version. */
export function isNewer(text: string, than: Build): boolean {
  const [theirs, ours] = [numbers(text.split(' ')[0] ?? ''), numbers(than.version)]
  for (let i = 0; i < 3; i++) {
    const difference = (theirs[i] ?? 0) - (ours[i] ?? 0)
    if (difference !== 0) return difference > 0
  }
  return false
}

const numbers = (version: string): number[] => version.split(/[.-]/).map(Number)
