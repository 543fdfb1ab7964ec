import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

/** What is started: the command line, and the daemon. */
export interface Program {
  readonly launcher: string
  readonly daemon: string
}

const REPOSITORY = join(import.meta.dirname, '..')

export const isBuilt = (repository = REPOSITORY): boolean => existsSync(join(repository, 'dist', 'main.cjs'))

/** Copies the built program into `dir`, a folder that is not there yet: a daemon ends when its program is built anew. */
export function copyProgram(dir: string, repository = REPOSITORY): Program {
  if (!isBuilt(repository))
    return { launcher: join(repository, 'bin/timewarp'), daemon: join(repository, 'src/bin/daemon.ts') }
  mkdirSync(dir)
  for (const part of ['bin', 'dist']) cpSync(join(repository, part), join(dir, part), { recursive: true })
  symlinkSync(join(repository, 'node_modules'), join(dir, 'node_modules'))
  return { launcher: join(dir, 'bin/timewarp'), daemon: join(dir, 'dist/daemon.cjs') }
}
