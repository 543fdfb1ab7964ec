import type { Cause, Skipped, Source } from '../schema/cause.ts'
import type { PathChange } from '../schema/change.ts'

/** What is known of one snapshot. Immutable but for `pinned`, `label` and `content`. */
export interface SnapshotRecord {
  readonly seq: number
  readonly id: string
  readonly workspace: string
  readonly created_at: number
  readonly tree: Uint8Array
  readonly base: string | null
  readonly source: Source
  readonly label: string | null
  readonly description: string | null
  readonly cause: Cause
  readonly files: number
  readonly bytes: number
  readonly added: number
  readonly modified: number
  readonly deleted: number
  readonly stored_bytes: number
  readonly duration_ms: number
  readonly facts: SnapshotFacts
  /** The object that holds all this, from which the records can be made again. */
  readonly object: Uint8Array
  readonly pinned: boolean
  /** Whether its trees and contents are kept; otherwise only this record is left. */
  readonly content: boolean
  /** Whether all its changes are in `changes`; a very large set is derived from the trees instead. */
  readonly listed: boolean
  /** How often its object was written again because something was forgotten from it. */
  readonly revision?: number
}
export interface SnapshotFacts {
  readonly exclude_globs: readonly string[]
  readonly env_fingerprint: Record<string, unknown>
  readonly initial_task_hint?: string
  readonly skipped: readonly Skipped[]
  /** Lines added and removed, where whoever made the change knew. */
  readonly lines_changed?: number
}
export type NewSnapshot = Omit<SnapshotRecord, 'seq' | 'pinned' | 'content'> & {
  /** Against the base; empty when they are not listed. */
  readonly changes: readonly PathChange[]
}
/** What attribution asks of the last minutes. */
export interface RecentSnapshot extends Pick<SnapshotRecord, 'id' | 'seq' | 'created_at' | 'base' | 'cause'> {
  /** How many paths it changed. */
  readonly changed: number
}
