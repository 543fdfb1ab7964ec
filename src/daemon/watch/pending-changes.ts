import { isName, type RelPath } from '../../schema/path.ts'
import { isLeafAt } from '../../timeline/scan/encoded.ts'
import type { ScanState } from '../../timeline/scan/scan-result.ts'

/** What was told of a workspace and has not been looked at yet. */
export class PendingChanges {
  /** Folders in which something happened, with the names it happened to. */
  readonly dirty = new Map<RelPath, Set<string>>()
  /** Paths that came or went: if they are folders, all that was known below them is in doubt. */
  readonly moved = new Set<RelPath>()

  /** The name '' is the folder itself. What cannot be a name in it, such as "..", is never looked at. */
  mark(folder: RelPath, name: string): void {
    if (name !== '' && !isName(name)) return
    const names = this.dirty.get(folder)
    if (names) names.add(name)
    else this.dirty.set(folder, new Set([name]))
  }

  get isEmpty(): boolean {
    return this.dirty.size === 0 && this.moved.size === 0
  }

  /** Everything in the other, too. */
  add(other: PendingChanges): void {
    for (const [folder, names] of other.dirty) for (const name of names) this.mark(folder, name)
    for (const path of other.moved) this.moved.add(path)
  }

  /** Hands over what is about folders that are wanted; returns which. */
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

/** The known folders among paths that came or went, with all that was known below them. */
export const belowMoved = (moved: Iterable<RelPath>, { folders }: ScanState): RelPath[] =>
  [...moved].flatMap((path) => {
    const folder = folders.get(path)
    if (folder === undefined) return []
    return isLeafAt(folder) ? [path] : [path, ...folders.below(path)]
  })
