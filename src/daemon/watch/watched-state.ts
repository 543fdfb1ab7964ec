import type { ScanIndex } from '../../timeline/scan/scan-index.ts'
import type { ScanState } from '../../timeline/scan/scan-result.ts'
import type { PendingChanges } from './pending-changes.ts'
import type { Blindness } from './watch.ts'

/** What an audit begins with. */
export interface AuditStart {
  /** The state that the daemon assumes, apart from what was reported. */
  readonly state: ScanState
  /** The last saved scan; with it the audit need not read unchanged files. */
  readonly last: ScanIndex
  /** What was reported and not yet scanned when the audit began, and everything reported since. */
  readonly reported: PendingChanges
}

/**
 * How much the daemon knows of a workspace.
 * - cold: nothing since the last scan; the next one reads everything, and the daemon watches from then on
 * - warm: everything that changed since the last scan has been reported
 * - blind: the daemon cannot watch it; every scan reads everything
 */
export type WatchMode = 'cold' | 'warm' | 'blind'
export type WatchSignal = 'looked' | 'lost' | 'blinded' | 'retry'

/** The next mode for each mode and signal; without an entry the mode stays. */
const TABLE: Readonly<Record<WatchMode, Partial<Record<WatchSignal, WatchMode>>>> = {
  cold: { looked: 'warm', blinded: 'blind' },
  warm: { lost: 'cold', blinded: 'blind' },
  blind: { retry: 'cold' },
}

export const after = (sight: WatchMode, signal: WatchSignal): WatchMode => TABLE[sight][signal] ?? sight

/** For `status`. */
export const BLINDNESS: Readonly<Record<Blindness, string>> = {
  limit: 'the system allows no more watches; raise fs.inotify.max_user_watches',
  silent: 'its file system sends no events',
  gone: 'its folder is not there',
  refused: 'the system refuses to watch it',
}
