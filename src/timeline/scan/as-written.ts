import { lstatExact, microsOf, millisOf, modeIn, type Stamp } from '../../host/files/fs.ts'
import type { RelPath } from '../../schema/path.ts'
import { type Entry, KIND } from '../../store/tree.ts'
import type { ReadOutcome } from './read-stable.ts'

/** What we have just put into the workspace ourselves. */
export interface WrittenFiles {
  /** What was put at a path: if it still looks so, it need not be read. */
  written(path: RelPath): Entry | undefined
  /** What the disk stamped a change with after all of it. */
  readonly stamp?: Stamp | undefined
}

/**
 * What was put there, if it is still what is there: its modification time was given to it, so a write that began since
 * has changed that. Its change time is relied on later if the disk has put a later one on something else before this look.
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
