import { z } from 'zod'
import type { RelPath } from './path.ts'
import { FORGOTTEN, SKIP_REASONS } from './skip.ts'

/** What made a snapshot be taken. Facts are fields: undo, blame and retention read them. */
const SOURCES = [
  'scheduled',
  'claude-guard',
  'opencode-guard',
  'codex-guard',
  'gemini-guard',
  'generic-guard',
  'shell-guard',
  'manual',
  'edit',
  'restore',
  'travel',
  'integrate',
] as const
export const Source = z.enum(SOURCES)
export type Source = z.infer<typeof Source>

/** What part the snapshot plays; retention and undo decide by this. */
const Role = z.enum(['change', 'backup', 'act'])

/** Somebody who may have made a change. Without a session: a person, or a process that nobody told of. */
const Candidate = z.object({
  session_id: z.string().nullable(),
  call_id: z.string().nullable(),
  prompt_id: z.string().nullable(),
})
export type Candidate = z.infer<typeof Candidate>

/** Who, with what, and why. */
export const Cause = z.object({
  role: Role.describe(
    'change: somebody’s work; backup: the state before a destructive act; act: the state after a restore or undo',
  ),
  act: z.enum(['restore', 'undo', 'redo', 'revert', 'recover', 'travel', 'return']).optional(),
  of: z.string().optional().describe('The snapshot that was restored, undone or redone'),
  backup: z.string().optional().describe('The snapshot that holds the state before the act'),
  tool: z.string().optional(),
  tool_input: z.unknown().optional(),
  session_id: z.string().optional(),
  call_id: z.string().optional().describe('The tool call of the session'),
  known_by: z
    .enum(['path', 'interval'])
    .optional()
    .describe('How it is known that the call made it: it can touch just these paths, or it ran at that time'),
  prompt_id: z.string().optional(),
  actor: z.string().optional(),
  shared: z
    .array(Candidate)
    .optional()
    .describe('Who may have made it, when that cannot be told; a revert leaves it alone unless asked'),
})
export type Cause = z.infer<typeof Cause>

/** Something the snapshot does not hold, and why. Such a path is never touched by a restore. */
export const Skipped = z.object({
  path: z.string(),
  reason: z.enum([...SKIP_REASONS, FORGOTTEN]),
  detail: z.string().optional(),
})
export type Skipped = Omit<z.infer<typeof Skipped>, 'path'> & { readonly path: RelPath }
