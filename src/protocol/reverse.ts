import { z } from 'zod'
import { KINDS } from '../base/fault.ts'
import { showPath } from '../base/quote.ts'
import { shellWord } from '../base/shell-word.ts'
import { count, thousands } from '../base/text.ts'
import { insidePath } from './paths.ts'
import { common, spec } from './spec.ts'

const Conflict = z.object({
  path: z.string(),
  snapshot_id: z.string().describe('The change that cannot be taken back there'),
  reason: z.string(),
  uncaptured: z.literal(true).optional().describe('What is there now is not captured, so nothing is written over it'),
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

const Unsure = z.object({ snapshot_id: z.string(), paths: z.array(z.string()), reason: z.string() })

const DoneTo = z.object({ path: z.string(), status: z.enum(['added', 'modified', 'deleted']) })

const Deed = z.object({
  of: z.enum(['prompt', 'session', 'loss']).describe('loss: files deleted or emptied by somebody without a session'),
  what: z.string().describe('How to name it to this tool'),
  prompt_id: z.string().nullable(),
  prompt: z.string().nullable().describe('What was asked'),
  session_id: z.string().nullable(),
  client: z.string().nullable(),
  began_at: z.string(),
  running: z.array(z.string()).describe('Commands of agents that are not known to have ended'),
  before: z
    .object({
      of: z.enum(['prompt', 'session', 'loss']),
      what: z.string(),
      prompt: z.string().nullable(),
      files: z.array(DoneTo),
    })
    .nullable()
    .describe('The deed before it, if something of that is not back, either'),
  steps: z.array(
    z.object({
      snapshot_id: z.string(),
      created_at: z.string(),
      tool: z.string().nullable(),
      title: z.string().nullable().describe('The command, or the path of the edit'),
      actor: z.string().nullable(),
      affected_files: z.array(z.string()),
    }),
  ),
})

export const ReverseOp = spec({
  name: 'reverse_op',
  summary: 'Take back some changes and leave everything done since',
  effect: 'danger',
  group: 'edits',
  input: z.object({
    ...common,
    snapshot_id: z
      .string()
      .optional()
      .describe(
        'What to take back: a snapshot, latest, a milestone, session:ID, prompt:ID, call:ID or actor:NAME, several with commas; ' +
          'beginnings of ids will do, of four characters or more. last: the last prompt that changed files or the last loss, ' +
          'whichever is later; the present is captured first. last:ID: the one that a snapshot belongs to',
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
    only_certain: z
      .boolean()
      .default(false)
      .describe('Leave also what is only likely theirs: changed while a command ran'),
    all_or_none: z
      .boolean()
      .default(false)
      .describe('Take back nothing where later work stands in the way in one file; otherwise only that file is left'),
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
    files: z.array(DoneTo).describe('What the changes did to each file, those that are left alone included'),
    likely: z.array(Unsure).describe('What is taken back though only likely theirs, and why'),
    left: z
      .array(Unsure.extend({ certainty: z.enum(['likely', 'shared']) }))
      .describe('What is left alone because of who may have made it, and why'),
    affected_files: z.array(z.string()),
    reversed_diff: z
      .string()
      .describe('What changes, as git writes it; empty, with a warning, where the files have more than 32 MiB'),
    reversed_diff_base64: z.string().optional().describe('The diff when it is not UTF-8'),
    hunks: z
      .array(Hunk)
      .describe('The hunks of the change, as the input counts them; empty when it is about several changes'),
    conflicts: z.array(Conflict).describe('Where somebody’s later work stands in the way; these files are left alone'),
    deed: Deed.nullable().describe('What the last deed was, when last was asked for'),
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
    'SESSION_NOT_FOUND',
    'PROMPT_NOT_FOUND',
    'CALL_NOT_FOUND',
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
      ...unsureText(out),
      ...conflictsText(out),
      ...(out.new_snapshot_id ? [`Snapshot: ${out.new_snapshot_id}`, 'Undo with: timewarp undo'] : []),
      ...out.warnings.map((warning) => `Warning: ${warning}`),
    ].join('\n'),
  exit: (out) => (out.conflicts.length > 0 || isAllLeft(out) ? KINDS.conflict.exit : 0),
  verb: {
    name: 'revert',
    words: ['snapshot_id'],
    tail: 'paths',
    examples: [
      'timewarp revert ID',
      'timewarp revert ID --dry-run',
      'timewarp revert ID --hunk 2 -- src/main.ts',
      'timewarp revert session:sess_1 -- src',
      'timewarp revert prompt:3ae25b63 --only-certain',
    ],
  },
})

/** What would change, and the hunks to choose from. */
const dryText = ({ reversed_diff, hunks }: { reversed_diff: string; hunks: readonly Hunk[] }): string[] => [
  ...(reversed_diff === '' ? [] : [reversed_diff.trimEnd()]),
  ...(hunks.length > 1 ? ['Hunks, to be chosen with --hunk:'] : []),
  ...(hunks.length > 1 ? hunks.map(({ hunk, path, head }) => `  ${hunk}  ${showPath(path)}  ${head}`) : []),
]

interface Left {
  readonly affected_files: readonly string[]
  readonly likely: readonly z.output<typeof Unsure>[]
  readonly left: readonly (z.output<typeof Unsure> & { readonly certainty: 'likely' | 'shared' })[]
  readonly conflicts: readonly z.output<typeof Conflict>[]
  readonly new_snapshot_id: string | null
  readonly dry_run: boolean
}

/** Nothing can be undone unless the caller includes the uncertain changes explicitly. */
const isAllLeft = ({ affected_files, left }: Left): boolean => affected_files.length === 0 && left.length > 0

/** The uncertain changes: those that are undone nevertheless and, per path, those that are left, with the reasons. */
export function unsureText({ likely, left }: Left, include = '--include-shared'): string[] {
  const shared = left.some(({ certainty }) => certainty === 'shared')
  return [
    ...likely.map(
      ({ paths, reason }) =>
        `Likely its doing, and so taken back: ${count(paths.length, 'path')} (${reason}, nobody else was seen there)`,
    ),
    ...left.flatMap(({ paths, reason }) => [`Left alone: ${reason}`, ...shownPaths(paths)]),
    ...(shared ? [`Take back what is left alone, too, with: ${include}`] : []),
    ...(left.length > 0 && !shared ? ['Take back what is left alone, too, without: --only-certain'] : []),
  ]
}

const SHOWN = 20
/** The first rows of many, and the number of further ones. */
export const firstOf = (rows: readonly string[]): string[] => [
  ...rows.slice(0, SHOWN),
  ...(rows.length > SHOWN ? [`    … and ${thousands(rows.length - SHOWN)} more`] : []),
]
const shownPaths = (paths: readonly string[]): string[] => firstOf(paths.map((path) => `    ${showPath(path)}`))

/** The conflicts, and harmless next steps. `what` names everything that is undone. */
export function conflictsText({ conflicts, affected_files, new_snapshot_id, dry_run }: Left, what?: string): string[] {
  const [first] = conflicts
  if (first === undefined) return []
  const files = count(new Set(conflicts.map(({ path }) => path)).size, 'file')
  const isNone = affected_files.length === 0 || (new_snapshot_id === null && !dry_run)
  const uncaptured = conflicts.find((one) => one.uncaptured)
  const changed = conflicts.filter((one) => !one.uncaptured)
  return [
    ...conflicts.map(conflictText),
    isNone ? 'Nothing was written.' : `Left as now: ${files}.`,
    ...(uncaptured
      ? [`Nothing is written over what no snapshot has. Move it away, then try again: ${moveAway(uncaptured)}`]
      : []),
    ...(changed[0] ? overText(changed[0], changed, what) : []),
  ]
}

const moveAway = ({ path }: { readonly path: string }): string => `mv ${shellWord(path)} ${shellWord(`${path}.aside`)}`

type Conflict = z.output<typeof Conflict>

function overText(first: Conflict, changed: readonly Conflict[], what = first.snapshot_id): string[] {
  const paths = [...new Set(changed.map(({ path }) => path))].slice(0, SHOWN).map(shellWord).join(' ')
  return [
    `See the later work with: timewarp diff ${first.snapshot_id} -- ${shellWord(first.path)}`,
    `Take it back over the later work, which stays in a snapshot, with: timewarp revert ${what} --force -- ${paths}`,
  ]
}

function conflictText({ path, line, reason, present, wanted }: z.output<typeof Conflict>): string {
  const sides = [
    ...(present === undefined ? [] : [`  now:    ${present.trimEnd().split('\n').join('\n          ')}`]),
    ...(wanted === undefined ? [] : [`  before: ${wanted.trimEnd().split('\n').join('\n          ')}`]),
  ]
  return [`Conflict in ${showPath(path)}${line === undefined ? '' : `, line ${line}`}: ${reason}`, ...sides].join('\n')
}
