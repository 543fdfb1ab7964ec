import type { RelPath } from '../../schema/path.ts'

/** Why a workspace cannot be watched at the moment. */
export type Blindness =
  /** The system allows no more watches. */
  | 'limit'
  /** The file system sends no events. */
  | 'silent'
  /** The folder is not there. */
  | 'gone'
  /** The system refuses for another reason. */
  | 'refused'

/** Receives the reports of a watch. Folders are relative to the root. */
export interface WatchListener {
  /** An entry of a folder changed, or the folder itself (name ''). `moved`: created, deleted or renamed. */
  changed(folder: RelPath, name: string, moved: boolean): void
  /** The root itself was moved, removed or unmounted, or its mode or times changed. */
  rootTouched(): void
  /** Events may have been lost: the known state cannot be trusted. */
  lost(): void
}

/** Reports changes in the folders of one workspace. What it reports did happen; more may have happened. */
export interface Watch {
  /** Watches these folders, too. May be called again for watched folders. Undefined when all are watched. */
  add(folders: Iterable<RelPath>): Blindness | undefined
  /** Whether a folder at this path is being watched. */
  has(folder: RelPath): boolean
  /** Stops watching a folder and all below it: it was renamed or deleted. */
  drop(folder: RelPath): void
  close(): void
  readonly size: number
}
