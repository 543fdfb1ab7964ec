import { readLink } from '../host/files/fs.ts'

const GONE = ' (deleted)'

/**
 * The user's current folder. If it was deleted, its former path is used: Linux knows it; elsewhere it is in PWD, but
 * not every shell sets that for a program that it starts there.
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
