import { fingerprintOf } from '../../config/rules.ts'
import type { Workspace } from '../workspace/workspace.ts'
import type { Folders } from './folders.ts'
import type { ScanState } from './scan-result.ts'

/** What the store holds now; a saved state is valid only against it. */
export interface StoreState {
  /** The epoch in which the scan begins. */
  readonly epoch: number
  readonly index: { has(hash: Uint8Array): boolean }
}

/**
 * Whether every object that a state refers to has a row.
 *
 * The transaction that writes a root tree's row also writes the last rows of everything the tree refers to, and rows
 * are removed only when the epoch rises. So it suffices that the epoch is the same and that the root tree has a row.
 * The row is missing when the database has gone back: the machine died before it was synced, its log was lost, or an
 * older copy has replaced it.
 */
export const isStored = (folders: Folders, epoch: number, basis: StoreState): boolean => {
  if (epoch !== basis.epoch) return false
  const { tree } = folders
  return tree === undefined || basis.index.has(tree)
}

/** Whether a state was reached under other rules, or relies on objects that may have no rows. */
export const isStale = (state: ScanState | undefined, { rules, config }: Workspace, basis: StoreState): boolean =>
  state === undefined ||
  !isStored(state.folders, state.epoch, basis) ||
  state.rules !== fingerprintOf(rules, config.max_file_bytes)
