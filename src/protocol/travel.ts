import { z } from 'zod'
import { showPath } from '../base/quote.ts'
import { count } from '../base/text.ts'
import { hostPath } from './paths.ts'
import { common, spec } from './spec.ts'

const left = z.array(z.object({ path: z.string(), reason: z.string() }))

const warned = (warnings: readonly string[]): string[] => warnings.map((warning) => `Warning: ${warning}`)

const leftLines = (out: { skipped: z.infer<typeof left>; conflicts: z.infer<typeof left> }): string[] => [
  ...out.conflicts.map(({ path, reason }) => `  changed meanwhile, left alone: ${showPath(path)} (${reason})`),
  ...out.skipped.slice(0, 20).map(({ path, reason }) => `  left alone: ${showPath(path)} (${reason})`),
  ...(out.skipped.length > 20 ? [`  … and ${out.skipped.length - 20} more left alone`] : []),
]

export const SessionStart = spec({
  name: 'timewarp_session_start',
  summary: 'Begin a session: capture the workspace, so that its friction issues have a moment to go back to',
  effect: 'write',
  reaches: { transcript: 'reads' },
  group: 'travel',
  input: z.object({
    workspace: common.workspace,
    session_id: z.string().min(1).max(500).optional().describe('The client’s own id (default: a new one)'),
    client: z
      .string()
      .regex(/^[a-z][a-z0-9-]{0,40}$/)
      .optional()
      .describe('Which client: claude, opencode, codex, gemini, …'),
    initial_task_hint: z.string().trim().min(1).max(20_000).optional().describe('What the user wants of this session'),
    transcript: hostPath('The file in which the client keeps the conversation').optional(),
  }),
  output: z.object({
    ok: z.literal(true),
    session_id: z.string(),
    snapshot_id: z.string(),
    already: z.boolean().describe('The session had begun before; its snapshot is that of then'),
    mode: z.enum(['present', 'past']),
    removed: z.array(z.string()).describe('Snapshots that retention no longer keeps; none while in the past'),
    warnings: z.array(z.string()),
  }),
  faults: ['CAPTURE_UNSETTLED'],
  text: (out) =>
    [
      `Session ${out.session_id}${out.already ? ' goes on' : ''}: snapshot ${out.snapshot_id}`,
      ...(out.removed.length > 0 ? [`${count(out.removed.length, 'old snapshot')} removed.`] : []),
      ...warned(out.warnings),
    ].join('\n'),
  verb: {
    name: 'session-start',
    examples: ["timewarp session-start --client claude --initial-task-hint 'Release 1.2'"],
  },
})

export const Travel = spec({
  name: 'timewarp_travel',
  summary: 'Go back to a snapshot or to the moment of an issue; the present is kept, whole, to come home to',
  effect: 'danger',
  reaches: { into: 'writes' },
  group: 'travel',
  input: z.object({
    ...common,
    snapshot_id: z.string().optional().describe('The snapshot, or an issue'),
    issue_id: z.string().optional().describe('The issue to whose moment to go'),
    into: hostPath(
      'Make the past in this new folder instead and leave the workspace alone; any number of them at once',
    ).optional(),
  }),
  output: z.object({
    mode: z.enum(['present', 'past']),
    snapshot_id: z.string(),
    issue_id: z.string().nullable(),
    backup_path: z.string().nullable().describe('The snapshot that holds the present; null for a folder of its own'),
    entered_at: z.string(),
    guard_token: z.string(),
    dir: z.string().describe('Where the past is'),
    restored: z.array(z.string()),
    deleted: z.array(z.string()),
    skipped: left.describe('Paths left alone, and why'),
    conflicts: left.describe('Paths somebody changed meanwhile, left alone'),
    lock_files: z.array(z.string()).describe('Lock files that are not the same then and now'),
    warnings: z.array(z.string()),
  }),
  faults: [
    'SNAPSHOT_NOT_FOUND',
    'SNAPSHOT_AMBIGUOUS',
    'SNAPSHOT_DROPPED',
    'SNAPSHOT_FOREIGN',
    'INVALID_ISSUE_ID',
    'ISSUE_NOT_FOUND',
    'ALREADY_IN_PAST',
    'HOME_DIFFERS',
    'TRAVEL_FAILED',
    'FOLDER_NOT_EMPTY',
    'FOLDER_REFUSED',
    'CAPTURE_UNSETTLED',
  ],
  text: (out) =>
    [
      `In the past, at ${out.snapshot_id}${out.backup_path === null ? `, in ${out.dir}` : ''}`,
      `${count(out.restored.length, 'path')} restored, ${out.deleted.length} deleted.`,
      ...leftLines(out),
      ...warned(out.warnings),
      ...(out.backup_path === null
        ? [`End it with: timewarp return --into ${out.dir}`]
        : [`The present is kept in ${out.backup_path}`, 'Come home with: timewarp return']),
    ].join('\n'),
  verb: {
    name: 'travel',
    words: ['snapshot_id'],
    examples: ['timewarp travel ID', 'timewarp travel i_20260228_153500_ef34gh', 'timewarp travel ID --into ../then'],
  },
})

export const Return = spec({
  name: 'timewarp_return',
  summary: 'Come home from the past: what was done there is kept as a snapshot, the present comes back as it was',
  effect: 'danger',
  reaches: { into: 'writes' },
  group: 'travel',
  input: z.object({
    ...common,
    into: hostPath('End the journey into this folder instead').optional(),
    keep: z.boolean().default(false).describe('Leave that folder as it is'),
  }),
  output: z.object({
    mode: z.enum(['present', 'past']),
    verified: z.boolean().describe('The present is as it was, by its fingerprint'),
    differences: z.array(z.string()).describe('Paths in which it is not; writing stops until they are acknowledged'),
    snapshot_id: z.string().describe('The moment that was left'),
    issue_id: z.string().nullable(),
    backup_path: z.string().nullable().describe('The snapshot that came back'),
    experiment_id: z.string().describe('The snapshot of what was there when the past was left'),
    changed: z.array(z.string()).describe('What had been changed in the past'),
    dir: z.string(),
    restored: z.array(z.string()),
    deleted: z.array(z.string()),
    skipped: left,
    conflicts: left,
    experiment_path: z.string().nullable().describe('experiment.md of the issue'),
    warnings: z.array(z.string()),
  }),
  faults: [
    'NOT_IN_PAST',
    'HOME_DIFFERS',
    'EXPERIMENT_NOT_FOUND',
    'FOLDER_REFUSED',
    'RESTORE_FAILED',
    'ROOT_REPLACED',
    'RESTORE_DAMAGED',
    'CAPTURE_UNSETTLED',
  ],
  text: (out) =>
    [
      ...(out.backup_path === null
        ? [`The journey into ${out.dir} is over.`]
        : [out.verified ? 'Home. The present is as it was.' : 'Home, but the present is NOT as it was:']),
      ...out.differences.map((path) => `    ${showPath(path)}`),
      ...leftLines(out),
      `What was done in the past (${count(out.changed.length, 'path')}) is kept in ${out.experiment_id}`,
      ...(out.experiment_path ? [`Your notes: ${out.experiment_path}`] : []),
      ...(out.changed.length > 0 ? [`Do it here with: timewarp replay ${out.experiment_id} --dry-run`] : []),
      ...(out.verified ? [] : ['Nothing more is written until you say: timewarp acknowledge']),
      ...warned(out.warnings),
    ].join('\n'),
  exit: (out) => (out.verified ? 0 : 4),
  verb: { name: 'return', examples: ['timewarp return', 'timewarp return --into ../then'] },
})

export const Acknowledge = spec({
  name: 'timewarp_acknowledge',
  summary: 'Say that you have seen how the present differs from what it was before the journey',
  effect: 'write',
  idempotent: true,
  group: 'travel',
  input: z.object({ ...common }),
  output: z.object({
    ok: z.literal(true),
    already: z.boolean().describe('There was nothing to acknowledge'),
    differences: z.array(z.string()),
    backup_path: z.string().nullable().describe('The snapshot of the present as it was'),
  }),
  faults: [],
  text: (out) =>
    out.already
      ? 'There is nothing to acknowledge.'
      : `Acknowledged (${count(out.differences.length, 'path')}). As it was: timewarp restore ${out.backup_path ?? ''}`,
  verb: { name: 'acknowledge' },
})
