import { fingerprintOf } from '../../config/rules.ts'
import type { Workspace } from '../workspace/workspace.ts'
import type { Folders } from './folders.ts'
import type { ScanState } from './scan-result.ts'

/** What the store knows to be there: every state that was reached before rests on it. */
export interface StoreState {
  /** The epoch in which the look begins. */
  readonly epoch: number
  readonly index: { has(hash: Uint8Array): boolean }
}

/**
 * Whether every object that a state refers to has a row.
 *
 * The row of a root tree is made in the transaction that makes the last rows of all it refers to, and rows are taken
 * away only when the epoch rises. So it suffices that the epoch is the same and that the root tree has a row. It has none
 * when the records have gone back since: the machine died before they were synced, their log was lost, or an older copy was
 * put in their place.
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
