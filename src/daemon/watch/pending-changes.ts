import { isName, type RelPath } from '../../schema/path.ts'
import { isLeafAt } from '../../timeline/scan/encoded.ts'
import type { ScanState } from '../../timeline/scan/scan-result.ts'

/** What events reported about a workspace since the last scan. */
export class PendingChanges {
  /** Folders in which something changed, with the changed names. */
  readonly dirty = new Map<RelPath, Set<string>>()
  /** Paths that were created, deleted or renamed. If one is a folder, nothing known below it can be trusted. */
  readonly moved = new Set<RelPath>()

  /** The name '' is the folder itself. A name that no entry can have, such as "..", is ignored. */
  mark(folder: RelPath, name: string): void {
    if (name !== '' && !isName(name)) return
    const names = this.dirty.get(folder)
    if (names) names.add(name)
    else this.dirty.set(folder, new Set([name]))
  }

  get isEmpty(): boolean {
    return this.dirty.size === 0 && this.moved.size === 0
  }

  /** Adds everything that `other` holds. */
  add(other: PendingChanges): void {
    for (const [folder, names] of other.dirty) for (const name of names) this.mark(folder, name)
    for (const path of other.moved) this.moved.add(path)
  }

  /** Moves the changes of the wanted folders and paths to `to`; returns those folders and paths. */
  hand(to: PendingChanges, isDirtyWanted: (path: RelPath) => boolean, isMovedWanted: (path: RelPath) => boolean) {
    const dirty = [...this.dirty].filter(([folder]) => isDirtyWanted(folder))
    for (const [folder, names] of dirty) {
      this.dirty.delete(folder)
      for (const name of names) to.mark(folder, name)
    }
    const moved = [...this.moved].filter(isMovedWanted)
    for (const path of moved) {
      this.moved.delete(path)
      to.moved.add(path)
    }
    return { dirty: dirty.map(([folder]) => folder), moved }
  }
}

/** The known folders among paths that were created, deleted or renamed, with all known folders below them. */
export const belowMoved = (moved: Iterable<RelPath>, { folders }: ScanState): RelPath[] =>
  [...moved].flatMap((path) => {
    const folder = folders.get(path)
    if (folder === undefined) return []
    return isLeafAt(folder) ? [path] : [path, ...folders.below(path)]
  })
