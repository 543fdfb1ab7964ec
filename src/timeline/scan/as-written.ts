import { lstatExact, microsOf, millisOf, modeIn, type Stamp } from '../../host/files/fs.ts'
import type { RelPath } from '../../schema/path.ts'
import { type Entry, KIND } from '../../store/tree.ts'
import type { ReadOutcome } from './read-stable.ts'

/** The files that Timewarp itself has just written into the workspace. */
export interface WrittenFiles {
  /** The entry written to a path. If the file's stat still matches it, the scan need not read the file. */
  written(path: RelPath): Entry | undefined
  /** The time the file system gave to a change made after all these writes. */
  readonly stamp?: Stamp | undefined
}

/**
 * The entry that Timewarp wrote to a path, if the file's stat still matches it. Timewarp set its modification time, so
 * any write that began later has changed that time. The next scan relies on the change time only if the file system has
 * given a later one to something else (`stamp`); otherwise `sigC` is NaN.
 */
export function asWritten(
  put: WrittenFiles | undefined,
  path: RelPath,
  absolute: string,
): (ReadOutcome & object) | undefined {
  const entry = put?.written(path)
  const stat = entry && lstatExact(absolute)
  if (!entry || entry.kind === KIND.directory || !stat || !(stat.isFile() || stat.isSymbolicLink())) return undefined
  const isSame =
    stat.isSymbolicLink() === (entry.kind === KIND.symlink) &&
    Number(stat.size) === entry.size &&
    microsOf(stat.mtimeNs) === entry.mtime &&
    (entry.kind === KIND.symlink || modeIn(stat) === entry.mode)
  if (!isSame) return undefined
  const { kind, mode, size, mtime, hash } = entry
  const changed = millisOf(stat.ctimeNs)
  return {
    kind,
    mode,
    size,
    mtime,
    sigM: millisOf(stat.mtimeNs),
    sigC: put?.stamp?.dev === stat.dev && millisOf(put.stamp.ns) > changed ? changed : Number.NaN,
    ino: Number(stat.ino),
    hash,
    linked: stat.nlink > 1n,
  }
}
