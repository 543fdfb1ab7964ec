import { z } from 'zod'
import { showPath } from '../base/quote.ts'
import { columns, count, size } from '../base/text.ts'
import { leftOut, promises, promisesOf } from './promises.ts'
import { common, consent, spec } from './spec.ts'

export const WorkspaceInit = spec({
  name: 'workspace_init',
  summary: 'Make a folder a workspace and take its first snapshot',
  effect: 'write',
  idempotent: true,
  group: 'setup',
  usesWatch: true,
  input: z.object({
    ...common,
    snapshot: z.boolean().default(true).describe('Take the first snapshot'),
    label: z.string().min(1).max(200).optional().describe('A name for the first snapshot'),
  }),
  output: z.object({
    workspace_id: z.string(),
    root: z.string(),
    snapshot_id: z.string().nullable(),
    already: z.boolean(),
    files: z.number(),
    ...promises,
    warnings: z.array(z.string()),
  }),
  faults: ['CAPTURE_UNSETTLED'],
  text: (out) =>
    [
      `${out.already ? 'Already a workspace' : 'Workspace'} ${out.workspace_id}: ${out.root}`,
      ...(out.snapshot_id ? [`Snapshot: ${out.snapshot_id} (${count(out.files, 'file')})`] : []),
      ...promisesOf(out).map(([what, text]) => `${what}: ${text}`),
      'Store: not encrypted; nobody else may enter it',
      ...out.warnings.map((warning) => `Warning: ${warning}`),
    ].join('\n'),
  verb: { name: 'init', examples: ['timewarp init', 'timewarp -C ~/project init --no-snapshot'] },
})

export const Status = spec({
  name: 'status',
  summary: 'Tell the state of the workspace: what changed, what is not captured',
  effect: 'read',
  group: 'timeline',
  usesWatch: true,
  input: z.object({ ...common }),
  output: z.object({
    workspace_id: z.string(),
    root: z.string(),
    home: z.string(),
    mode: z.enum(['present', 'past']),
    past: z
      .object({
        current_snapshot_id: z.string(),
        backup_path: z.string().nullable().describe('The snapshot that holds the present'),
        issue_id: z.string().nullable(),
        entered_at: z.string(),
        guard_token: z.string(),
      })
      .nullable()
      .describe('Where the workspace is in the past; null in the present'),
    newest: z.object({ snapshot_id: z.string(), created_at: z.string(), label: z.string().nullable() }).nullable(),
    snapshots: z.number(),
    changed: z.object({ added: z.number(), modified: z.number(), deleted: z.number(), paths: z.array(z.string()) }),
    excluded: leftOut,
    skipped: z.array(z.object({ path: z.string(), reason: z.string() })),
    git: z
      .object({ git_id: z.string(), created_at: z.string(), why: z.string() })
      .nullable()
      .describe('The newest kept state of git; null when none is kept'),
    busy: z.object({ holder: z.string(), purpose: z.string(), since: z.string() }).nullable(),
    watch: z
      .object({
        sight: z
          .enum(['warm', 'cold', 'blind'])
          .describe(
            'warm: a capture costs what changed; cold: the next one looks at everything; blind: every one does',
          ),
        reason: z.string().nullable(),
        folders: z.number().describe('How many folders are watched'),
        drifting: z.array(z.string()).describe('Folders in which only a look at everything found changes'),
      })
      .nullable()
      .describe('How the daemon watches the workspace; null without a daemon'),
    gaps: z
      .array(
        z.object({
          at: z.string(),
          session_id: z.string().nullable(),
          tool: z.string().nullable(),
          reason: z.string(),
        }),
      )
      .describe('What agents did that was not bracketed by captures, and why; of the last day, the newest first'),
    warnings: z.array(z.string()),
  }),
  faults: [],
  text: (out) =>
    [
      `Workspace ${out.workspace_id}: ${out.root}`,
      ...(out.past
        ? [
            `In the past, at ${out.past.current_snapshot_id} since ${out.past.entered_at}`,
            `The present is kept in ${out.past.backup_path ?? ''}`,
            'Come home with: timewarp return',
          ]
        : []),
      out.newest
        ? `${count(out.snapshots, 'snapshot')}; the newest is ${out.newest.snapshot_id}${out.newest.label ? ` (${out.newest.label})` : ''}`
        : 'No snapshot yet.',
      `Since then: ${out.changed.added} added, ${out.changed.modified} modified, ${out.changed.deleted} deleted.`,
      ...out.changed.paths.slice(0, 20).map((path) => `    ${showPath(path)}`),
      ...(out.excluded.length > 0 ? ['Not captured:'] : []),
      columns(
        out.excluded.map((e) => [
          `    ${showPath(e.path)}`,
          `${e.complete ? '' : 'over '}${size(e.bytes)}`,
          count(e.files, 'file'),
        ]),
      ),
      ...out.skipped.map((s) => `    ${showPath(s.path)} (${s.reason})`),
      ...(out.watch ? [watchText(out.watch)] : []),
      ...(out.git ? [`Git was last kept at ${out.git.created_at} (${out.git.why}): ${out.git.git_id}`] : []),
      ...(out.busy ? [`Busy: ${out.busy.holder} runs ${out.busy.purpose} since ${out.busy.since}`] : []),
      ...out.gaps.slice(0, 10).map((g) => `Not covered, ${g.at.slice(0, 19)}: ${g.tool ?? 'a call'} (${g.reason})`),
      ...out.warnings.map((warning) => `Warning: ${warning}`),
    ]
      .filter((line) => line !== '')
      .join('\n'),
})

const SIGHTS = {
  warm: 'Watched: a capture costs what changed.',
  cold: 'Watched, but the next capture looks at everything',
  blind: 'Not watched: every capture looks at everything',
} as const

function watchText(watch: { sight: keyof typeof SIGHTS; reason: string | null; drifting: readonly string[] }): string {
  const drifting = watch.drifting.slice(0, 5).map((path) => showPath(path))
  return [
    `${SIGHTS[watch.sight]}${watch.reason ? `: ${watch.reason}` : ''}`,
    ...(drifting.length > 0 ? [`Changes nobody tells of, found only by looking: ${drifting.join(', ')}`] : []),
  ].join('\n')
}

export const ConfigTool = spec({
  name: 'config',
  summary: 'Show the settings in force, or change one',
  effect: 'write',
  needsPerson: ({ key, value, unset }) => key !== undefined && (value !== undefined || unset === true),
  group: 'setup',
  recovers: false,
  input: z.object({
    ...common,
    key: z.string().optional().describe('For example retention.edits_days'),
    value: z.string().optional().describe('The new value, as JSON or plain text'),
    home: z.boolean().default(false).describe('Set it for all workspaces instead of this one'),
    unset: z.boolean().default(false).describe('Go back to the default'),
    schema: z.boolean().default(false).describe('Print the JSON Schema of config.json'),
  }),
  output: z.object({
    settings: z.record(z.string(), z.unknown()),
    files: z.array(z.string()).describe('The files the settings come from, the weakest first'),
    changed: z.string().nullable().describe('The file that was written'),
    warnings: z.array(z.string()),
  }),
  faults: [],
  text: (out) =>
    [
      JSON.stringify(out.settings, undefined, 2),
      ...(out.changed ? [`Written: ${out.changed}`] : []),
      ...out.warnings.map((warning) => `Warning: ${warning}`),
    ].join('\n'),
  verb: {
    words: ['key', 'value'],
    examples: ['timewarp config', 'timewarp config max_file_bytes 1073741824', 'timewarp config --schema'],
  },
})

export const WorkspaceList = spec({
  name: 'workspace_list',
  summary: 'List the workspaces of this store',
  effect: 'read',
  group: 'setup',
  recovers: false,
  input: z.object({ ...common }),
  output: z.object({
    workspaces: z.array(
      z.object({ workspace_id: z.string(), root: z.string(), created_at: z.string(), present: z.boolean() }),
    ),
  }),
  faults: [],
  text: (out) =>
    out.workspaces.length === 0
      ? 'No workspaces yet. Start one with: timewarp init'
      : columns(out.workspaces.map((w) => [w.workspace_id, `${w.root}${w.present ? '' : ' (gone)'}`])),
  verb: { name: 'workspaces' },
})

export const Uninstall = spec({
  name: 'uninstall',
  summary: 'Remove what Timewarp installed; the store only if asked',
  effect: 'danger',
  group: 'setup',
  ownProcess: true,
  recovers: false,
  input: z.object({
    ...common,
    store: z.boolean().default(false).describe('Delete the store too: every snapshot of every workspace is gone'),
    dry_run: z.boolean().default(false).describe('Show what would be removed'),
    ...consent,
  }),
  output: z.object({ removed: z.array(z.string()), kept: z.array(z.string()), dry_run: z.boolean() }),
  faults: ['CONFIRM_NEEDED', 'CONFIRM_WRONG'],
  text: (out) =>
    [
      ...out.removed.map((path) => `${out.dry_run ? 'Would remove' : 'Removed'} ${path}`),
      ...out.kept.map((path) => `Kept ${path}`),
    ].join('\n') || 'There is nothing to remove.',
  question: (plan) => `Remove ${count(plan.removed.length, 'path')}, the store with all its snapshots among them?`,
  verb: { examples: ['timewarp uninstall --dry-run', 'timewarp uninstall --store'] },
})
