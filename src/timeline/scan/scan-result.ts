import type { RelPath } from '../../schema/path.ts'
import type { Folders } from './folders.ts'
import type { ScanIndex } from './scan-index.ts'

/** The result of a scan, compared with the last one. */
export interface Scan {
  /** The saved index from which this scan started. */
  readonly last: ScanIndex | undefined
  /** The folders with which it was compared. */
  readonly before: Folders
  /** Folders that changed, encoded; most of their trees are not made yet. */
  readonly changed: Map<RelPath, Uint8Array>
  /** Those of them whose trees were made during the scan. */
  readonly made: Set<RelPath>
  readonly gone: Set<RelPath>
  readonly unreadable: Set<RelPath>
  /** Folders with files that have several hard links, each with the inodes of those files if the folder changed. */
  readonly linked: Map<RelPath, readonly number[]>
  /** The folders that were scanned. */
  readonly looked: readonly RelPath[] | 'all'
  readonly reused: Uint8Array[]
  readonly rules: string
  /**
   * Whether the scan checked every unchanged hash in the store, because the last scan may refer to objects without
   * rows.
   */
  readonly distrusted: boolean
}
/** The state an earlier scan reached. */
export interface ScanState {
  readonly last: ScanIndex | undefined
  readonly folders: Folders
  readonly rules: string
  readonly epoch: number
  /** Whether any entry could not be captured. */
  readonly hasSkipped: boolean
}
