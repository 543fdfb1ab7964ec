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

/** What a watch tells. Folders are relative to the root. */
export interface WatchListener {
  /** Something happened to an entry of a folder, or to the folder itself. `moved`: a name came or went. */
  changed(folder: RelPath, name: string, moved: boolean): void
  /** Something happened to the root itself: it was moved, removed or unmounted, or its mode or times changed. */
  rootTouched(): void
  /** Events may have been lost: nothing that is known can be relied on. */
  lost(): void
}

/** Tells what happens in the folders of one workspace. A hint: what it says is so, what it does not say may be so too. */
export interface Watch {
  /** Watches these folders from now on; those already watched stay so. Undefined when all are watched. */
  add(folders: Iterable<RelPath>): Blindness | undefined
  /** Whether a folder of this name is being watched. */
  has(folder: RelPath): boolean
  /** Lets go of a folder and all below it: it has another name now, or is gone. */
  drop(folder: RelPath): void
  close(): void
  readonly size: number
}
