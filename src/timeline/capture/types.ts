import type { SnapshotRecord } from '../../records/snapshot-record.ts'
import type { Cause, Source } from '../../schema/cause.ts'
import type { RelPath } from '../../schema/path.ts'
import type { Batch } from '../../store/object-store.ts'
import type { Ending } from '../attribution/share.ts'
import type { CaptureContext } from '../scan/context.ts'
import type { WatchView } from '../scan/live-view.ts'
import type { SomeFolders } from '../scan/scan.ts'
import type { Scan, ScanState } from '../scan/scan-result.ts'
import type { ScanScope } from '../scan/scan-scope.ts'
import type { Workspace } from '../workspace/workspace.ts'
import type { Assembled } from './assemble.ts'
import type { Trees } from './trees.ts'

export interface CaptureRequest {
  readonly source: Source
  readonly cause: Cause
  readonly label?: string | undefined
  readonly description?: string | undefined
  readonly pin?: boolean
  /** How many lines it adds and removes, where that is known. */
  readonly lines_changed?: number | undefined
  /** What is known besides: more of the environment, what the session is about. */
  readonly facts?: { readonly env_fingerprint?: Readonly<Record<string, unknown>>; readonly initial_task_hint?: string }
  /** Record a snapshot even if nothing changed. */
  readonly always?: boolean
  /** Record nothing unless something changed, whatever else is asked for. */
  readonly ifChanged?: boolean
  /** The caller holds the workspace's lease: do not wait for it. */
  readonly inAct?: boolean
  /** Another look follows at once: its scan is the one to keep for the next command. */
  readonly passing?: boolean
  /** When the work began that this records (`performance.now`), if it was before this capture. */
  readonly started?: number | undefined
  /** Look there in any case, also when nobody saw anything happen. */
  readonly also?: ScanScope
  /** Where new objects go, for whoever has been storing others already; the caller ends it. */
  readonly batch?: Batch | undefined
  /** Trees read already, to be asked first. */
  readonly trees?: Trees
  /** Look at these folders alone; everything else is as this capture left it. */
  readonly only?: SomeFolders
  /** The tool call that ends with this look; the changes it made are told apart from everybody else's. */
  readonly ending?: Ending | undefined
  /** Calls that were told or seen to have ended: what they left is theirs, even if something else was expected of them. */
  readonly ended?: ReadonlySet<number> | undefined
  /** What is recorded although nothing changed: a moment worth a name. */
  readonly mark?: { readonly label: string; readonly description?: string; readonly cause: Cause } | undefined
}

export interface Captured {
  readonly snapshot: SnapshotRecord
  /** All that were recorded, the oldest first: several where the changes were several people’s. */
  readonly recorded: readonly SnapshotRecord[]
  readonly created: boolean
  readonly assembled: Assembled
  /** Knows the trees of this state and of the one before without asking the store. */
  readonly trees: Trees
  /** Where the scan left off, for a look at some folders more. */
  readonly since: ScanState
  readonly warnings: readonly string[]
  readonly duration_ms: number
}

/** A state that has been looked at and is about to be recorded. */
export interface Publication {
  readonly ctx: CaptureContext
  readonly workspace: Workspace
  readonly request: CaptureRequest
  readonly batch: Batch
  readonly trees: Trees
  readonly seen: Scan
  readonly assembled: Assembled
  readonly epoch: number
  readonly acts: number
  readonly started: number
  /** Writes trees of this state again that are stored, but damaged. */
  readonly healTrees: () => void
  /** Whether the look was at this path; undefined: it was at everything, or may not be repeated. */
  readonly hasLookedAt?: WatchView['hasLookedAt'] | undefined
}

/** The newest snapshot, another process's, differs from the state before at paths that were not looked at. */
export interface Elsewhere {
  readonly elsewhere: readonly RelPath[]
}
