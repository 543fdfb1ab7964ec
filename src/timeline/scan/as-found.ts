import { lstat, type Stat } from '../../host/files/fs.ts'
import { nameOf, parentOf, type RelPath } from '../../schema/path.ts'
import { KIND } from '../../store/tree.ts'
import { decodeFolder, type Folder } from './folder.ts'
import type { Folders } from './folders.ts'

/**
 * Whether an entry's stat is what the last scan recorded. A write, a change of mode or another file in its place shows.
 */
export const sameEntry = (stat: Stat, last: Folder, i: number): boolean =>
  stat.ctimeMs === last.sigC[i] &&
  stat.mtimeMs === last.sigM[i] &&
  stat.ino === last.inos[i] &&
  stat.size === last.sizes[i]

/**
 * Whether a path holds the same regular file that the last scan saw, or is absent in both. False in doubt: on an error,
 * for anything but a regular file, and where a symlink on the way leads elsewhere.
 */
export function isAsFound(root: string, folders: Folders, path: RelPath): boolean {
  const encoded = folders.get(parentOf(path))
  const last = encoded && decodeFolder(encoded)
  const i = last?.names.indexOf(nameOf(path)) ?? -1
  try {
    const stat = lstat(`${root}/${path}`)
    if (stat === undefined || last === undefined || i === -1) return stat === undefined && i === -1
    return last.kinds[i] === KIND.file && sameEntry(stat, last, i)
  } catch {
    return false
  }
}
