import type { Clock } from '../../host/clock.ts'
import type { Records } from '../../records/records.ts'
import type { ObjectStore } from '../../store/object-store.ts'
import type { LiveView } from './live-view.ts'

/** What a capture needs. */
export interface CaptureContext {
  readonly home: string
  readonly store: ObjectStore
  readonly records: Records
  readonly clock: Clock
  /** The daemon's view of watched workspaces; undefined when this process watches none. */
  readonly live?: LiveView | undefined
  readonly progress: (message: string, done?: number, total?: number) => void
  /** Fires when the caller wants the capture to stop. */
  readonly signal?: AbortSignal | undefined
}
