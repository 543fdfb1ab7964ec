import { z } from 'zod'
import type { RelPath } from './path.ts'
import { FORGOTTEN, SKIP_REASONS } from './skip.ts'

/** What triggered a snapshot. Facts are fields: undo, blame and retention read them. */
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

/** The role of the snapshot; retention and undo depend on it. */
const Role = z.enum(['change', 'backup', 'act'])

/** A possible author of a change. Without a session: a person, or a process that no guard reported. */
const Candidate = z.object({
  session_id: z.string().nullable(),
  call_id: z.string().nullable(),
  prompt_id: z.string().nullable(),
  title: z.string().nullable().optional().describe('The command, or the path of the edit'),
})
export type Candidate = z.infer<typeof Candidate>

/** How certain the author of a change is. */
export const Certainty = z.enum(['certain', 'likely', 'shared'])
export type Certainty = z.infer<typeof Certainty>

/** Activity outside every call, at a path that a call may have changed. */
const Sighting = z.object({
  path: z.string(),
  by: z.enum(['change', 'swap-file']).describe('They changed it, or an editor keeps a swap file beside it'),
  renamed_to: z.string().optional().describe('The name of the file now, if it was renamed since'),
  seconds_before: z.number().describe('How long before the call began; 0: while it ran'),
})
export type Sighting = z.infer<typeof Sighting>

/** Who made the change, with what, and why. */
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
  certainty: Certainty.optional().describe(
    'certain: the call names the path, or makes just this content; likely: the only call that ran and could have made it; ' +
      'shared: several could have, or somebody else was seen at the path',
  ),
  known_by: z
    .enum(['content', 'path', 'interval'])
    .optional()
    .describe('The evidence: it makes just this content, it names the path, or it ran at that time'),
  prompt_id: z.string().optional(),
  actor: z.string().optional(),
  shared: z
    .array(Candidate)
    .optional()
    .describe('Who may have made it, when that cannot be told; a revert leaves it alone unless asked'),
  seen: z.array(Sighting).optional().describe('Who else was seen at these paths, at most 20'),
})
export type Cause = z.infer<typeof Cause>

/**
 * How certain it is that the named author made the change; undefined when none is named. Handles older records, which
 * store it in other fields.
 */
export function certaintyOf({ certainty, shared, known_by, tool, session_id }: Cause): Certainty | undefined {
  if (certainty !== undefined) return certainty
  if (shared !== undefined) return 'shared'
  if (known_by === 'interval') return 'likely'
  return tool === undefined && session_id === undefined ? undefined : 'certain'
}

/** Something the snapshot does not contain, and why. A restore never changes such a path. */
export const Skipped = z.object({
  path: z.string(),
  reason: z.enum([...SKIP_REASONS, FORGOTTEN]),
  detail: z.string().optional(),
})
export type Skipped = Omit<z.infer<typeof Skipped>, 'path'> & { readonly path: RelPath }
