import { lstat, type Stat } from '../../host/files/fs.ts'
import { nameOf, parentOf, type RelPath } from '../../schema/path.ts'
import { KIND } from '../../store/tree.ts'
import { decodeFolder, type Folder } from './folder.ts'
import type { Folders } from './folders.ts'

/** Whether an entry looks as it did when it was taken: a write, a change of mode or another file in its place shows. */
export const sameEntry = (stat: Stat, last: Folder, i: number): boolean =>
  stat.ctimeMs === last.sigC[i] &&
  stat.mtimeMs === last.sigM[i] &&
  stat.ino === last.inos[i] &&
  stat.size === last.sizes[i]

/**
 * Whether at a path there plainly is what the last look found there, or nothing if it found nothing. In doubt,
 * and where a symlink leads elsewhere: no.
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
