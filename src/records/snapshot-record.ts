import type { Cause, Skipped, Source } from '../schema/cause.ts'
import type { PathChange } from '../schema/change.ts'

/** The record of one snapshot. Immutable except for `pinned`, `label`, `content`, and what `forget` replaces. */
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
  /** The object that holds the same facts; the records can be rebuilt from it. */
  readonly object: Uint8Array
  readonly pinned: boolean
  /** Whether its trees and contents are still stored; otherwise only this record remains. */
  readonly content: boolean
  /** Whether `changes` has all its changes; a very large set is computed from the trees instead. */
  readonly listed: boolean
  /** How often `forget` has rewritten its object. */
  readonly revision?: number
}
export interface SnapshotFacts {
  readonly exclude_globs: readonly string[]
  readonly env_fingerprint: Record<string, unknown>
  readonly initial_task_hint?: string
  readonly skipped: readonly Skipped[]
  /** Lines added and removed, where the tool that made the change knew. */
  readonly lines_changed?: number
}
export type NewSnapshot = Omit<SnapshotRecord, 'seq' | 'pinned' | 'content'> & {
  /** Relative to the base; empty when they are not listed. */
  readonly changes: readonly PathChange[]
}
/** What attribution needs of snapshots of the last minutes. */
export interface RecentSnapshot extends Pick<SnapshotRecord, 'id' | 'seq' | 'created_at' | 'base' | 'cause'> {
  /** How many paths it changed. */
  readonly changed: number
}
