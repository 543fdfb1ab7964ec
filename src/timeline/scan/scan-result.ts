import type { RelPath } from '../../schema/path.ts'
import type { Folders } from './folders.ts'
import type { ScanIndex } from './scan-index.ts'

/** What a scan found, compared with the last one. */
export interface Scan {
  /** The scan in the file that this one began with. */
  readonly last: ScanIndex | undefined
  /** The folders it was compared with. */
  readonly before: Folders
  /** Folders that are not as they were, encoded; most of their trees are still to be made. */
  readonly changed: Map<RelPath, Uint8Array>
  /** Those of them whose trees were made early. */
  readonly made: Set<RelPath>
  readonly gone: Set<RelPath>
  readonly unreadable: Set<RelPath>
  /** Folders in which a file has several names, with the inodes of those that are not as they were. */
  readonly linked: Map<RelPath, readonly number[]>
  /** What was looked at. */
  readonly looked: readonly RelPath[] | 'all'
  readonly reused: Uint8Array[]
  readonly rules: string
  /** Whether every hash that did not change was looked up, because the last scan may refer to objects without rows. */
  readonly distrusted: boolean
}
/** Where an earlier scan left off. */
export interface ScanState {
  readonly last: ScanIndex | undefined
  readonly folders: Folders
  readonly rules: string
  readonly epoch: number
  /** Whether any entry could not be captured. */
  readonly hasSkipped: boolean
}
