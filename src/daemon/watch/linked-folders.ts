import type { RelPath } from '../../schema/path.ts'
import type { Folders } from '../../timeline/scan/folders.ts'
import type { LinkedPaths } from '../../timeline/scan/live-view.ts'
import type { Scan } from '../../timeline/scan/scan-result.ts'

/** Folders with files that have several names: a write through another name is reported there only, or nowhere. */
export class LinkedFolders {
  #paths = new Set<RelPath>()

  get size(): number {
    return this.#paths.size
  }

  has(path: RelPath): boolean {
    return this.#paths.has(path)
  }

  [Symbol.iterator](): Iterator<RelPath> {
    return this.#paths.values()
  }

  add(paths: Iterable<RelPath>): void {
    for (const path of paths) this.#paths.add(path)
  }

  /** After a look that found `linked` among what it looked at. */
  update({ linked, looked }: LinkedPaths): void {
    if (looked === 'all') this.#paths.clear()
    else for (const path of looked) this.#paths.delete(path)
    this.add(linked)
  }
}

/** Where the other names may be of files that have only now been found to have several. */
export function holdersOf(seen: Scan, searched: Set<number>, folders: Folders | undefined): RelPath[] {
  const inodes = new Set([...seen.linked.values()].flat().filter((ino) => !searched.has(ino)))
  if (inodes.size === 0 || folders === undefined) return []
  for (const ino of inodes) searched.add(ino)
  return folders.holding(inodes)
}
