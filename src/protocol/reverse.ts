import { z } from 'zod'
import { showPath } from '../base/quote.ts'
import { count } from '../base/text.ts'
import { insidePath } from './paths.ts'
import { common, spec } from './spec.ts'

const Conflict = z.object({
  path: z.string(),
  snapshot_id: z.string().describe('The change that cannot be taken back there'),
  reason: z.string(),
  line: z.number().optional().describe('Where in the present file, counted from 1'),
  present: z.string().optional().describe('What is there now'),
  wanted: z.string().optional().describe('What was there before the change'),
})

const Hunk = z.object({
  hunk: z.number(),
  path: z.string(),
  head: z.string().describe('The header of the hunk, or what happened to the file'),
})
type Hunk = z.output<typeof Hunk>

export const ReverseOp = spec({
  name: 'reverse_op',
  aliases: ['ReverseOp', 'revert'],
  summary: 'Take back some changes and leave everything done since',
  effect: 'danger',
  group: 'edits',
  input: z.object({
    ...common,
    snapshot_id: z
      .string()
      .optional()
      .describe(
        'What to take back: a snapshot, latest, a milestone, session:ID, prompt:ID, call:ID or actor:NAME; several with commas',
      ),
    target_snapshot: z.string().optional().describe('Take back everything recorded after this snapshot'),
    paths: z.array(insidePath()).default([]).describe('Only these paths or folders'),
    hunks: z
      .array(z.int().min(1))
      .default([])
      .describe(
        'Only these hunks, counted from 1 through the diff of the one change, within the paths if there are any',
      ),
    include_shared: z
      .boolean()
      .default(false)
      .describe('Take back also what may be somebody else’s: nobody can tell who made it'),
    dry_run: z.boolean().default(false).describe('Show exactly what would happen, change nothing'),
    force: z.boolean().default(false).describe('Where later work stands in the way, take the change back all the same'),
    actor: z.string().optional().describe('Who takes it back'),
  }),
  output: z.object({
    message: z.string(),
    reversed: z.array(z.string()).describe('The snapshots whose changes are taken back, the newest first'),
    left_shared: z
      .array(z.string())
      .describe('Snapshots left alone because it cannot be told whether the change is meant'),
    affected_files: z.array(z.string()),
    reversed_diff: z.string().describe('What changes, as git writes it'),
    reversed_diff_base64: z.string().optional().describe('The diff when it is not UTF-8'),
    hunks: z
      .array(Hunk)
      .describe('The hunks of the change, as the input counts them; empty when it is about several changes'),
    conflicts: z.array(Conflict).describe('Where somebody’s later work stands in the way; then nothing is written'),
    base_id: z.string().nullable().describe('The snapshot of the state before'),
    new_snapshot_id: z.string().nullable().describe('The snapshot of the state after; null when nothing was written'),
    warnings: z.array(z.string()),
    dry_run: z.boolean(),
  }),
  faults: [
    'SNAPSHOT_NOT_FOUND',
    'SNAPSHOT_AMBIGUOUS',
    'SNAPSHOT_DROPPED',
    'SNAPSHOT_FOREIGN',
    'MILESTONE_NOT_FOUND',
    'NOTHING_TO_REVERT',
    'HUNK_UNKNOWN',
    'HUNK_AMBIGUOUS',
    'PATH_OUTSIDE',
    'PATH_EXCLUDED',
    'EDIT_STUCK',
    'EDIT_INTERRUPTED',
    'ROOT_REPLACED',
    'CAPTURE_UNSETTLED',
  ],
  text: (out) =>
    [
      out.message,
      ...out.affected_files.map((path) => `    ${showPath(path)}`),
      ...(out.dry_run ? dryText(out) : []),
      ...(out.left_shared.length > 0
        ? [
            `${count(out.left_shared.length, 'change')} may be this or somebody else’s and stayed: take them back too with --include-shared`,
            ...out.left_shared.map((id) => `    ${id}`),
          ]
        : []),
      ...out.conflicts.map(conflictText),
      ...(out.conflicts.length > 0 && out.new_snapshot_id === null
        ? [
            `Nothing was written. Take the changes back all the same with --force (${count(out.conflicts.length, 'conflict')}).`,
          ]
        : []),
      ...(out.new_snapshot_id ? [`Snapshot: ${out.new_snapshot_id}`, 'Undo with: timewarp undo'] : []),
      ...out.warnings.map((warning) => `Warning: ${warning}`),
    ].join('\n'),
  exit: (out) => (out.conflicts.length > 0 && out.new_snapshot_id === null ? 4 : 0),
  verb: {
    name: 'revert',
    words: ['snapshot_id'],
    tail: 'paths',
    examples: [
      'timewarp revert ID',
      'timewarp revert ID --dry-run',
      'timewarp revert ID --hunk 2 -- src/main.ts',
      'timewarp revert session:sess_1 -- src',
    ],
  },
})

/** What would change, and what there is to choose from. */
const dryText = ({ reversed_diff, hunks }: { reversed_diff: string; hunks: readonly Hunk[] }): string[] => [
  ...(reversed_diff === '' ? [] : [reversed_diff.trimEnd()]),
  ...(hunks.length > 1 ? ['Hunks, to be chosen with --hunk:'] : []),
  ...(hunks.length > 1 ? hunks.map(({ hunk, path, head }) => `  ${hunk}  ${showPath(path)}  ${head}`) : []),
]

function conflictText({ path, line, reason, present, wanted }: z.output<typeof Conflict>): string {
  const sides = [
    ...(present === undefined ? [] : [`  now:    ${present.trimEnd().split('\n').join('\n          ')}`]),
    ...(wanted === undefined ? [] : [`  before: ${wanted.trimEnd().split('\n').join('\n          ')}`]),
  ]
  return [`Conflict in ${showPath(path)}${line === undefined ? '' : `, line ${line}`}: ${reason}`, ...sides].join('\n')
}
