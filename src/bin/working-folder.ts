import { readLink } from '../host/files/fs.ts'

const GONE = ' (deleted)'

/**
 * Where the user stands. A folder that somebody deleted is still the place that is meant: Linux knows what it was called,
 * elsewhere the shell does. Not every shell says so to a program that it starts there.
 */
export function workingFolder(told: string | undefined): string {
  try {
    return process.cwd()
  } catch {
    return nameOfGone() || told || '/'
  }
}

function nameOfGone(): string | undefined {
  try {
    const name = readLink('/proc/self/cwd')
    return name.endsWith(GONE) ? name.slice(0, -GONE.length) : name
  } catch {
    return undefined
  }
}
