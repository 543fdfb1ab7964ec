import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { childProcess } from '../builtins.ts'
import { chmod, lstat, readNames, realPath, removeAll } from './fs.ts'
import { makeDirs } from './make-dirs.ts'

/** A temporary folder for a demonstration: created below the system's temporary folder, removed at the end. */

/** The real path of a new, empty folder. */
export const makeScratch = (prefix: string): string => realPath(mkdtempSync(join(tmpdir(), prefix)))

export const removeScratch = (dir: string): void => removeAll(dir)

/** Writes a file, making the folders above it. */
export function writeText(path: string, text: string, mode = 0o644): void {
  makeDirs(dirname(path))
  writeFileSync(path, text)
  chmod(path, mode)
}

export interface ScratchFile {
  readonly bytes: Uint8Array
  readonly mode: number
}

/** Every file below `dir` by its path in it, in order; the names in `except` are left out at the top. */
export function readFiles(dir: string, except: readonly string[] = []): Map<string, ScratchFile> {
  const files = new Map<string, ScratchFile>()
  for (const name of readNames(dir).filter((name) => !except.includes(name))) collect(dir, name, files)
  return files
}

function collect(root: string, path: string, files: Map<string, ScratchFile>): void {
  const full = join(root, path)
  const stat = lstat(full)
  if (stat?.isDirectory()) for (const name of readNames(full)) collect(root, join(path, name), files)
  else if (stat?.isFile()) files.set(path, { bytes: readFileSync(full), mode: stat.mode & 0o7777 })
}

/** Deletes everything in `dir`, but not `dir` itself, with the system's `rm -rf`; returns the deleted names. */
export function wipe(dir: string): string[] {
  const names = readNames(dir)
  const { status } = childProcess().spawnSync('rm', ['-rf', '--', ...names], { cwd: dir })
  if (status !== 0) throw new Error(`rm -rf failed in ${dir}`)
  return names
}
