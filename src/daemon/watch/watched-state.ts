import type { ScanIndex } from '../../timeline/scan/scan-index.ts'
import type { ScanState } from '../../timeline/scan/scan-result.ts'
import type { PendingChanges } from './pending-changes.ts'
import type { Blindness } from './watch.ts'

/** What an audit begins with. */
export interface AuditStart {
  /** What the daemon takes for the present, but for what was reported. */
  readonly state: ScanState
  /** The last scan in the file; it saves reading what did not change. */
  readonly last: ScanIndex
  /** What was reported and not looked at before, and everything reported since. */
  readonly reported: PendingChanges
}

/**
 * How much is known of a workspace.
 * - cold: nothing since the last look; the next one looks at everything, and watches from then on
 * - warm: what happened since the last look has been told
 * - blind: it cannot be watched; every look is at everything
 */
export type WatchMode = 'cold' | 'warm' | 'blind'
export type WatchSignal = 'looked' | 'lost' | 'blinded' | 'retry'

/** What a signal makes of each state; where nothing stands, nothing changes. */
const TABLE: Readonly<Record<WatchMode, Partial<Record<WatchSignal, WatchMode>>>> = {
  cold: { looked: 'warm', blinded: 'blind' },
  warm: { lost: 'cold', blinded: 'blind' },
  blind: { retry: 'cold' },
}

export const after = (sight: WatchMode, signal: WatchSignal): WatchMode => TABLE[sight][signal] ?? sight

/** In words, for `status`. */
export const BLINDNESS: Readonly<Record<Blindness, string>> = {
  limit: 'the system allows no more watches; raise fs.inotify.max_user_watches',
  silent: 'its file system sends no events',
  gone: 'its folder is not there',
  refused: 'the system refuses to watch it',
}
