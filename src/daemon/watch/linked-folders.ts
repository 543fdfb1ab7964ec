import type { RelPath } from '../../schema/path.ts'
import type { Folders } from '../../timeline/scan/folders.ts'
import type { LinkedPaths } from '../../timeline/scan/live-view.ts'
import type { Scan } from '../../timeline/scan/scan-result.ts'

/** Folders with hard-linked files: a write through another name is reported only there, or nowhere. */
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

  /** After a scan: `linked` are the folders with hard links among those that it scanned. */
  update({ linked, looked }: LinkedPaths): void {
    if (looked === 'all') this.#paths.clear()
    else for (const path of looked) this.#paths.delete(path)
    this.add(linked)
  }
}

/** Folders that may hold the other names of files that the scan has newly found to be hard-linked. */
export function holdersOf(seen: Scan, searched: Set<number>, folders: Folders | undefined): RelPath[] {
  const inodes = new Set([...seen.linked.values()].flat().filter((ino) => !searched.has(ino)))
  if (inodes.size === 0 || folders === undefined) return []
  for (const ino of inodes) searched.add(ino)
  return folders.holding(inodes)
}
