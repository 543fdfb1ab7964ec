import { delimiter, join } from 'node:path'
import { lstat, realPath, type Stat, stat } from '../files/fs.ts'
import { runQuietly } from './run.ts'

/** A program as the shell would find it, and a string that changes when the program does. */
interface Program {
  readonly path: string
  readonly signature: string
}

export function findProgram(name: string): Program | undefined {
  for (const dir of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(dir, name)
    const found = dir === '' ? undefined : lookAt(path)
    if (!found?.isFile() || (found.mode & 0o111) === 0) continue
    const real = realPath(path)
    return { path, signature: `${real}:${found.size}:${found.mtimeMs}:${lstat(real)?.ino ?? 0}` }
  }
  return undefined
}

/** Like the shell, ignores what it may not access, such as another user's folder in PATH. */
function lookAt(path: string): Stat | undefined {
  try {
    return stat(path)
  } catch {
    return undefined
  }
}

const PATIENCE_MS = 500

/** The output of a program about itself; undefined when it fails. */
export const askProgram = (path: string, args: readonly string[], cwd: string): string | undefined =>
  runQuietly(path, args, { cwd, timeoutMs: PATIENCE_MS })?.toString().trim()
