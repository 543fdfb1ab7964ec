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
  /** The number of lines added and removed, where it is known. */
  readonly lines_changed?: number | undefined
  /** Further facts: more of the environment, what the session is about. */
  readonly facts?: { readonly env_fingerprint?: Readonly<Record<string, unknown>>; readonly initial_task_hint?: string }
  /** Record a snapshot even if nothing changed. */
  readonly always?: boolean
  /** Record nothing unless something changed, even with a label, a pin or `always`. */
  readonly ifChanged?: boolean
  /** The caller holds the workspace's lease: do not wait for it. */
  readonly inAct?: boolean
  /** Another capture follows at once, and its scan is the one to save: do not save this one. */
  readonly passing?: boolean
  /** When the recorded work began (`performance.now`), if that was before this capture. */
  readonly started?: number | undefined
  /** Scan these places in any case, even if no event was reported there. */
  readonly also?: ScanScope
  /** The batch for new objects, for a caller that has already stored some; the caller ends it. */
  readonly batch?: Batch | undefined
  /** A cache of trees that the caller has filled already. */
  readonly trees?: Trees
  /** Scan only these folders; the rest is as in `since`. */
  readonly only?: SomeFolders
  /** The tool call that ends with this capture; its changes are recorded apart from all others. */
  readonly ending?: Ending | undefined
  /**
   * Calls reported or observed to have ended: what they left is attributed to them, even if other content was expected.
   */
  readonly ended?: ReadonlySet<number> | undefined
  /** What to record even if nothing changed: a moment worth a label. */
  readonly mark?: { readonly label: string; readonly description?: string; readonly cause: Cause } | undefined
}

export interface Captured {
  readonly snapshot: SnapshotRecord
  /** All snapshots that were recorded, the oldest first: several when the changes had several causes. */
  readonly recorded: readonly SnapshotRecord[]
  readonly created: boolean
  readonly assembled: Assembled
  /** Has the trees of this state and of the one before without reading the store. */
  readonly trees: Trees
  /** The state the scan reached, from which some folders can be scanned again. */
  readonly since: ScanState
  readonly warnings: readonly string[]
  readonly duration_ms: number
}

/** A scanned state that is about to be recorded. */
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
  /** Stores damaged trees of this state again. */
  readonly healTrees: () => void
  /** Whether the scan covered this path; undefined: it covered everything, or must not be repeated. */
  readonly hasLookedAt?: WatchView['hasLookedAt'] | undefined
}

/**
 * The newest snapshot, by another process, differs from the scanned state at these paths, which the scan did not cover.
 */
export interface Elsewhere {
  readonly elsewhere: readonly RelPath[]
}
