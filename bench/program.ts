import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

/** What is started: the command line, and the daemon. */
export interface Program {
  readonly launcher: string
  readonly daemon: string
}

const REPOSITORY = join(import.meta.dirname, '..')

export const isBuilt = (): boolean => existsSync(join(REPOSITORY, 'dist', 'main.cjs'))

/** Copies the built program into `dir`, a folder that is not there yet: a daemon ends when its program is built anew. */
export function copyProgram(dir: string): Program {
  if (!isBuilt()) return { launcher: join(REPOSITORY, 'bin/timewarp'), daemon: join(REPOSITORY, 'src/bin/daemon.ts') }
  mkdirSync(dir)
  for (const part of ['bin', 'dist']) cpSync(join(REPOSITORY, part), join(dir, part), { recursive: true })
  symlinkSync(join(REPOSITORY, 'node_modules'), join(dir, 'node_modules'))
  return { launcher: join(dir, 'bin/timewarp'), daemon: join(dir, 'dist/daemon.cjs') }
}
