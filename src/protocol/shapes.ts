import { z } from 'zod'
import { showPath } from '../base/quote.ts'
import { count, size } from '../base/text.ts'
import { Cause, Certainty, Skipped, Source } from '../schema/cause.ts'

/** Shapes that several tools share. */

const Stats = z.object({
  total_files: z.number(),
  changed_files: z.number(),
  stored_size: z.number().describe('Bytes this snapshot added to the store'),
})

/** A possible author of a change. Without a session: a person, or a process that no guard reported. */
export const SharedBy = z.object({
  session_id: z.string().nullable(),
  client: z.string().nullable().describe('The program of the session: claude, codex, …'),
  call_id: z.string().nullable(),
  prompt_id: z.string().nullable(),
  prompt: z.string().nullable().describe('The first line of what was asked'),
  title: z.string().nullable().describe('The command, or the path of the edit'),
})
export type SharedBy = z.infer<typeof SharedBy>

const PROMPT_WIDTH = 40

/** All possible authors of a change, by client and prompt. */
export function sharedByText(candidates: readonly SharedBy[], width = PROMPT_WIDTH): string {
  const names = candidates.map(({ session_id, client, prompt }) =>
    session_id === null
      ? 'somebody else'
      : (client ?? session_id) + (prompt === null ? '' : `: ${prompt.slice(0, width)}`),
  )
  return [...new Set(names)].join(' or ')
}

export const SnapshotLine = z.object({
  snapshot_id: z.string(),
  created_at: z.string(),
  label: z.string().nullable(),
  source: Source,
  tool: z.string().nullable(),
  session_id: z.string().nullable(),
  prompt_id: z.string().nullable().describe('The prompt that was in force in the session'),
  actor: z.string().nullable(),
  call_id: z.string().nullable(),
  certainty: Certainty.nullable().describe('How sure it is who made it; null when nobody is named'),
  reason: z.string().nullable().describe('Why that is not certain; null when it is'),
  shared: z.boolean().describe('Whether it cannot be told who of several made it'),
  shared_by: z.array(SharedBy).describe('Who may have made it, where that cannot be told'),
  already_there: z
    .boolean()
    .describe('Whether it is the first of the workspace: what it holds was there before and is nobody’s work'),
  description: z.string().nullable(),
  affected_files: z.array(z.string()).describe('Changed paths against the base, at most 100'),
  pinned: z.boolean(),
  stats: Stats,
  tool_params: z.unknown().describe('What the tool was called with; null when nothing is known of it'),
  metadata: z.object({
    lines_changed: z
      .number()
      .nullable()
      .describe('Lines added and removed; null when there is too much to count, or it cannot be read'),
    execution_time_ms: z.number().nullable(),
  }),
  diff: z.string().optional(),
  diff_base64: z.string().optional().describe('The diff when it is not UTF-8'),
})
export type SnapshotLine = z.infer<typeof SnapshotLine>

export const Pagination = z.object({ total: z.number(), has_more: z.boolean(), next_cursor: z.string().nullable() })

const FileStatus = z.enum(['added', 'modified', 'deleted'])

export const FileDiffFields = z.object({
  path: z.string(),
  status: FileStatus,
  old_size: z.number().nullable(),
  new_size: z.number().nullable(),
  kind: z.enum(['file', 'directory', 'symlink']),
})
export type FileDiffFields = z.infer<typeof FileDiffFields>

const RestoreSkip = z.object({ path: z.string(), reason: z.string() })

/** The receipt of every tool that changes files of the workspace. */
export const receipt = {
  snapshot_id: z.string().describe('The snapshot whose state was brought back'),
  backup_id: z.string().nullable().describe('The snapshot of the state before; null on a dry run'),
  new_snapshot_id: z.string().nullable().describe('The snapshot of the state after; null on a dry run'),
  restored: z.array(z.string()).describe('Paths written, or whose mode or time was set back'),
  deleted: z.array(z.string()),
  skipped: z.array(RestoreSkip).describe('Paths left alone, and why'),
  conflicts: z.array(RestoreSkip).describe('Paths somebody changed meanwhile; left as they are'),
  warnings: z.array(z.string()),
  dry_run: z.boolean(),
}
const Receipt = z.object(receipt)

/** A receipt for people: what changed, what did not, and how to undo it. */
export function receiptText(out: z.infer<typeof Receipt>, undoWith = 'timewarp undo'): string {
  const would = out.dry_run ? 'Would restore' : 'Restored'
  const lines = [
    `${would} ${count(out.restored.length, 'path')}, ${out.dry_run ? 'delete' : 'deleted'} ${out.deleted.length}.`,
  ]
  if (out.dry_run) {
    for (const path of out.restored) lines.push(`  write   ${showPath(path)}`)
    for (const path of out.deleted) lines.push(`  delete  ${showPath(path)}`)
  }
  for (const { path, reason } of out.conflicts)
    lines.push(`  changed meanwhile, left alone: ${showPath(path)} (${reason})`)
  for (const { path, reason } of out.skipped.slice(0, 20)) lines.push(`  left alone: ${showPath(path)} (${reason})`)
  if (out.skipped.length > 20) lines.push(`  … and ${out.skipped.length - 20} more left alone`)
  lines.push(...out.warnings.map((warning) => `Warning: ${warning}`))
  if (!out.dry_run) lines.push(`Undo with: ${undoWith}`)
  return lines.join('\n')
}

export const SnapshotDetail = z.object({
  snapshot_id: z.string(),
  created_at: z.string(),
  session_id: z.string().nullable(),
  workspace_id: z.string(),
  workspace_root: z.string(),
  exclude_globs: z.array(z.string()),
  env_fingerprint: z.record(z.string(), z.unknown()),
  initial_task_hint: z.string().nullable(),
  label: z.string().nullable(),
  description: z.string().nullable(),
  source: Source,
  pinned: z.boolean(),
  tree: z.string(),
  base: z.string().nullable(),
  cause: Cause,
  stats: Stats,
  doubts: z.array(z.string()).describe('Paths that somebody else was at just after: the change may be theirs'),
  skipped: z.array(Skipped),
  content: z.enum(['kept', 'dropped']),
})
export type SnapshotDetail = z.infer<typeof SnapshotDetail>

export { count, showPath, size }
