import type { Records } from '../../records/records.ts'
import type { ObjectStore } from '../../store/object-store.ts'

/** What checking, repairing and removing need. */
export interface MaintenanceContext {
  readonly home: string
  readonly store: ObjectStore
  readonly records: Records
  readonly now: () => number
}
