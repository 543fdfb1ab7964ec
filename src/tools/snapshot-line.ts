import type { ToolCall } from '../app/handler.ts'
import { outPath } from '../base/quote.ts'
import { reasonOf } from '../protocol/reasons.ts'
import type { SnapshotRecord } from '../records/snapshot-record.ts'
import { certaintyOf } from '../schema/cause.ts'
import type { RelPath } from '../schema/path.ts'
import { candidatesOf } from './candidates.ts'

/** A snapshot as lists show it. `paths` are those it changed. */
export const lineOf = (call: ToolCall, s: SnapshotRecord, paths: readonly RelPath[]) => ({
  snapshot_id: s.id,
  created_at: new Date(s.created_at).toISOString(),
  label: s.label,
  source: s.source,
  tool: s.cause.tool ?? null,
  session_id: s.cause.session_id ?? null,
  prompt_id: s.cause.prompt_id ?? null,
  call_id: s.cause.call_id ?? null,
  certainty: certaintyOf(s.cause) ?? null,
  reason: reasonOf(s.cause, s.description),
  shared: certaintyOf(s.cause) === 'shared',
  shared_by: candidatesOf(call, s.workspace, s.cause),
  actor: s.cause.actor ?? null,
  description: s.description,
  affected_files: paths.map(outPath),
  pinned: s.pinned,
  stats: statsOf(s),
  tool_params: s.cause.tool_input ?? null,
})

export const statsOf = (s: SnapshotRecord) => ({
  total_files: s.files,
  changed_files: s.added + s.modified + s.deleted,
  stored_size: s.stored_bytes,
})
