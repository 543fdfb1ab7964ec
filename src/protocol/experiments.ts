import { z } from 'zod'
import { showPath } from '../base/quote.ts'
import { columns, count } from '../base/text.ts'
import { insidePath } from './paths.ts'
import { common, spec } from './spec.ts'

const warned = (warnings: readonly string[]): string[] => warnings.map((warning) => `Warning: ${warning}`)
const text = z.string().trim().min(1).max(20_000)

export const ExperimentNote = spec({
  name: 'timewarp_experiment_note',
  summary: 'Write a round of an experiment into experiment.md',
  effect: 'write',
  group: 'travel',
  input: z.object({
    ...common,
    issue_id: z.string().describe('The issue, or the beginning of its id'),
    round: z.int().min(1).max(10_000).optional().describe('Its number (default: the next)'),
    changes: text.describe('What was changed'),
    validation: text.describe('How it was checked: commands, steps, what counts'),
    result: text.describe('Success or failure, with the evidence'),
    conclusion: text.optional().describe('What follows from it'),
  }),
  output: z.object({
    ok: z.literal(true),
    issue_id: z.string(),
    round: z.number(),
    experiment_path: z.string(),
    warnings: z.array(z.string()),
  }),
  faults: ['INVALID_ISSUE_ID', 'ISSUE_NOT_FOUND'],
  text: (out) => [`Round ${out.round} is written into ${out.experiment_path}`, ...warned(out.warnings)].join('\n'),
  verb: {
    name: 'experiment-note',
    words: ['issue_id'],
    examples: ["timewarp experiment-note ID --changes 'Retry once' --validation 'npm test' --result 'Passes'"],
  },
})

const Result = z.object({
  where: z.enum(['past', 'present']),
  dir: z.string(),
  exit_code: z.number().nullable().describe('Null when it was killed'),
  timed_out: z.boolean(),
  duration_ms: z.number(),
  output: z.string().describe('The end of what it printed, with secrets taken out'),
})

export const ExperimentRun = spec({
  name: 'timewarp_experiment_run',
  summary: 'Run a command in the past and in the present, and write both results down',
  effect: 'danger',
  reaches: { command: 'runs' },
  group: 'travel',
  ownProcess: true,
  input: z.object({
    ...common,
    command: z.string().min(1).max(20_000).describe('The command, for sh'),
    issue_id: z
      .string()
      .optional()
      .describe('The issue into whose experiment.md the results go (default: that of the journey)'),
    where: z.enum(['both', 'past', 'present']).default('both').describe('Where to run it'),
    timeout: z.number().positive().max(86_400).default(600).describe('Seconds to wait for each'),
  }),
  output: z.object({
    issue_id: z.string().nullable(),
    command: z.string(),
    results: z.array(Result),
    experiment_path: z.string().nullable(),
    warnings: z.array(z.string()),
  }),
  faults: ['INVALID_ISSUE_ID', 'ISSUE_NOT_FOUND', 'NOT_IN_PAST', 'SNAPSHOT_DROPPED', 'SHELL_FAILED'],
  text: (out) =>
    [
      ...out.results.flatMap((r) => [
        `In the ${r.where}: ${r.timed_out ? 'took too long' : r.exit_code === null ? 'was killed' : `exit ${r.exit_code}`} (${r.duration_ms} ms)`,
        ...(r.output === ''
          ? []
          : [
              r.output
                .trimEnd()
                .split('\n')
                .map((line) => `    ${line}`)
                .join('\n'),
            ]),
      ]),
      ...(out.experiment_path ? [`Written into ${out.experiment_path}`] : []),
      ...warned(out.warnings),
    ].join('\n'),
  verb: {
    name: 'experiment-run',
    words: ['command'],
    examples: ["timewarp experiment-run 'npm test'", "timewarp experiment-run 'make check' --timeout 60 --issue-id ID"],
  },
})

const Clash = z.object({
  path: z.string(),
  reason: z.string(),
  line: z.number().optional().describe('Where in the present file, counted from 1'),
  present: z.string().optional().describe('What is there now'),
  wanted: z.string().optional().describe('What the experiment has there'),
})

export const ExperimentReplay = spec({
  name: 'timewarp_experiment_replay',
  summary: 'Do in the present what was done in the past, merged into what has changed since',
  effect: 'danger',
  group: 'travel',
  input: z.object({
    ...common,
    issue_id: z.string().optional().describe('The issue whose newest experiment is meant'),
    experiment_id: z.string().optional().describe('The experiment: the snapshot that return told, or an issue'),
    paths: z.array(insidePath()).default([]).describe('Only these paths or folders'),
    dry_run: z.boolean().default(false).describe('Show exactly what would happen, change nothing'),
    force: z.boolean().default(false).describe('Where both changed the same, take what the experiment has'),
  }),
  output: z.object({
    experiment_id: z.string(),
    affected_files: z.array(z.string()),
    diff: z.string().describe('What changes in the present, as git writes it'),
    diff_base64: z.string().optional().describe('The diff when it is not UTF-8'),
    conflicts: z.array(Clash).describe('Where the present has changed the same; then nothing is written'),
    base_id: z.string().nullable().describe('The snapshot of the state before'),
    new_snapshot_id: z.string().nullable().describe('The snapshot of the state after; null when nothing was written'),
    warnings: z.array(z.string()),
    dry_run: z.boolean(),
  }),
  faults: [
    'INVALID_ISSUE_ID',
    'ISSUE_NOT_FOUND',
    'EXPERIMENT_NOT_FOUND',
    'SNAPSHOT_DROPPED',
    'ALREADY_IN_PAST',
    'HOME_DIFFERS',
    'PATH_OUTSIDE',
    'PATH_EXCLUDED',
    'EDIT_STUCK',
    'CAPTURE_UNSETTLED',
  ],
  text: (out) =>
    [
      out.affected_files.length === 0 && out.conflicts.length === 0
        ? 'The present has all of it already.'
        : `${out.new_snapshot_id ? 'Did' : 'Would do'} again what changed ${count(out.affected_files.length, 'path')}.`,
      out.diff,
      ...out.conflicts.map(
        (c) => `Conflict in ${showPath(c.path)}${c.line === undefined ? '' : `, line ${c.line}`}: ${c.reason}`,
      ),
      ...(out.conflicts.length > 0 && out.new_snapshot_id === null
        ? ['Nothing was written. Take what the experiment has with --force, or do it by hand.']
        : []),
      ...(out.new_snapshot_id ? [`Snapshot: ${out.new_snapshot_id}`, 'Undo with: timewarp undo'] : []),
      ...warned(out.warnings),
    ]
      .filter((line) => line !== '')
      .join('\n'),
  exit: (out) => (out.conflicts.length > 0 && out.new_snapshot_id === null ? 4 : 0),
  verb: {
    name: 'replay',
    words: ['experiment_id'],
    tail: 'paths',
    examples: ['timewarp replay ID --dry-run', 'timewarp replay i_20260228_153500_ef34gh'],
  },
})

const Experiment = z.object({
  guard_token: z.string(),
  state: z.enum(['departing', 'past', 'returning', 'blocked', 'ended']),
  snapshot_id: z.string().describe('The moment travelled to'),
  issue_id: z.string().nullable(),
  dir: z.string().describe('Where the past is, or was'),
  backup_path: z.string().nullable(),
  experiment_id: z.string().nullable().describe('The snapshot of what was there when the past was left'),
  entered_at: z.string(),
  ended_at: z.string().nullable(),
})

export const ExperimentList = spec({
  name: 'timewarp_experiment_list',
  summary: 'List journeys into the past, the oldest first',
  effect: 'read',
  group: 'travel',
  input: z.object({ ...common, issue_id: z.string().optional().describe('Only those of this issue') }),
  output: z.object({ experiments: z.array(Experiment) }),
  faults: ['INVALID_ISSUE_ID', 'ISSUE_NOT_FOUND'],
  text: (out) =>
    out.experiments.length === 0
      ? 'No journeys yet. Go back with: timewarp travel ID'
      : columns(
          out.experiments.map((e) => [
            e.experiment_id ?? e.state,
            e.entered_at.slice(0, 19).replace('T', ' '),
            `to ${e.snapshot_id}`,
            `${e.issue_id ?? ''} ${e.dir}`.trim(),
          ]),
        ),
  verb: { name: 'experiments', examples: ['timewarp experiments'] },
})
