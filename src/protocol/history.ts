import { z } from 'zod'
import { KINDS } from '../base/fault.ts'
import { bytesFromBase64, columns } from '../base/text.ts'
import { firstLine } from '../base/visible.ts'
import { certaintyOf } from '../schema/cause.ts'
import { filePath, insidePath, pathGlob } from './paths.ts'
import { reasonOf } from './reasons.ts'
import {
  count,
  FileDiffFields,
  Pagination,
  SnapshotDetail,
  SnapshotLine,
  sharedByText,
  showPath,
  size,
} from './shapes.ts'
import { common, spec } from './spec.ts'

const when = (iso: string): string => iso.slice(0, 19).replace('T', ' ')

const filters = {
  ...common,
  limit: z.int().min(1).max(100).default(20).describe('How many'),
  cursor: z.string().optional().describe('Where the page before ended (next_cursor)'),
  source: z.string().optional().describe('Only of this source, for example manual or scheduled'),
  label: z.string().optional().describe('Only with this label; * stands for anything'),
  since: z.string().optional().describe('Only from this time on: ISO 8601, or an age such as 2h or 3d'),
  until: z.string().optional().describe('Only up to this time'),
  pinned_only: z.boolean().default(false).describe('Only pinned ones'),
  file_filter: pathGlob('Only those that changed a path matching this glob').optional(),
  tool_filter: z.array(z.string()).optional().describe('Only those made by this tool (can be repeated)'),
  session: z.string().optional().describe('Only those of this session'),
  include_diffs: z.boolean().default(false).describe('Give the diff of each one as well'),
}
const Asked = z.object({ prompt_id: z.string(), session_id: z.string(), text: z.string() })
const page = z.object({
  snapshots: z.array(SnapshotLine),
  prompts: z.array(Asked).describe('What was asked where these were made'),
  pagination: Pagination,
})
type Page = z.infer<typeof page>

function logText(out: Page): string {
  if (out.snapshots.length === 0) return 'No snapshots match.'
  const lines = out.snapshots.some(({ session_id, shared }) => session_id || shared)
    ? byPrompt(out)
    : rowsOf(out.snapshots)
  for (const s of out.snapshots) if (s.diff) lines.push(`\n${s.snapshot_id}\n${s.diff}`)
  if (out.pagination.has_more) lines.push(`More with: timewarp log --cursor ${out.pagination.next_cursor}`)
  return lines.join('\n')
}

const rowsOf = (snapshots: Page['snapshots']): string[] =>
  columns(
    snapshots.map((s) => [
      s.snapshot_id,
      when(s.created_at),
      s.pinned ? 'pinned' : '',
      s.already_there
        ? `${count(s.stats.changed_files, 'path')} already there`
        : count(s.stats.changed_files, 'change'),
      s.source,
      [s.tool, s.label, s.description ?? pathsIn(s), ...doubtOf(s)].filter(Boolean).join('  '),
    ]),
  ).split('\n')

const PATHS_SHOWN = 3

/** For a change without any description, at least the paths. */
function pathsIn({ tool, label, already_there, affected_files }: SnapshotLine): string {
  if (tool !== null || label !== null || already_there) return ''
  const more = affected_files.length > PATHS_SHOWN ? ', …' : ''
  return affected_files.slice(0, PATHS_SHOWN).map(showPath).join(', ') + more
}

/** A certain author needs no remark; a doubtful one does. */
const doubtOf = ({ certainty, reason }: SnapshotLine): string[] =>
  certainty === 'shared' ? [`(shared: ${reason})`] : certainty === 'likely' ? ['(likely)'] : []

/**
 * Groups the snapshots of each prompt under the prompt, at the position of its newest snapshot. Snapshots without a
 * prompt stay in place between the groups.
 */
function byPrompt({ snapshots, prompts }: Page): string[] {
  const rows = rowsOf(snapshots)
  const groups: { key: string; title: string; rows: string[] }[] = []
  for (const [at, snapshot] of snapshots.entries()) {
    const title = titleOf(snapshot, prompts)
    const key = snapshot.session_id ? `${snapshot.session_id} ${snapshot.prompt_id}` : title
    const isOfPrompt = snapshot.session_id !== null && snapshot.prompt_id !== null
    const found = isOfPrompt ? groups.find((group) => group.key === key) : groups.at(-1)
    const group = found?.key === key ? found : { key, title, rows: [] }
    if (group !== found) groups.push(group)
    group.rows.push(`  ${rows[at]}`)
  }
  return groups.flatMap((group, at) => [`${at > 0 ? '\n' : ''}${group.title}`, ...group.rows])
}

function titleOf({ session_id, prompt_id, shared_by, shared }: SnapshotLine, prompts: Page['prompts']): string {
  if (session_id === null) return shared ? `Shared: ${sharedByText(shared_by, TITLE_WIDTH)}` : NOBODY
  const asked = prompts.find((prompt) => prompt.prompt_id === prompt_id)?.text
  return `${session_id}${asked ? `: ${firstLine(asked).slice(0, TITLE_WIDTH)}` : ''}`
}

const TITLE_WIDTH = 100
const NOBODY = 'Outside of any session'

export const GetEditHistory = spec({
  name: 'get_edit_history',
  summary: 'List snapshots, the newest first',
  effect: 'read',
  group: 'timeline',
  input: z.object(filters),
  output: page,
  faults: [],
  text: logText,
  verb: {
    name: 'log',
    short: { n: 'limit' },
    examples: ['timewarp log --since 2h', "timewarp log --file-filter 'src/**/*.ts'", 'timewarp log --pinned-only'],
  },
})

export const ReadSnapshotDiff = spec({
  name: 'read_snapshot_diff',
  summary: 'Give what one snapshot changed, as a diff against its base',
  effect: 'read',
  group: 'timeline',
  input: z.object({
    ...common,
    snapshot_id: z.string().describe('The snapshot, or the beginning of its id'),
    format: z.enum(['unified', 'context', 'git']).default('unified').describe('How the diff is written'),
  }),
  output: z.object({
    diff: z.string(),
    diff_base64: z.string().optional().describe('The diff when it is not UTF-8'),
    base: z.string().nullable().describe('The snapshot compared with; null when there is none before'),
    snapshot: z.object({
      id: z.string().describe('The same as snapshot_id'),
      snapshot_id: z.string(),
      created_at: z.string(),
      description: z.string().nullable(),
      tool: z.string().nullable(),
      affected_files: z.array(z.string()),
    }),
  }),
  faults: ['SNAPSHOT_NOT_FOUND', 'SNAPSHOT_AMBIGUOUS', 'SNAPSHOT_DROPPED'],
  text: (out) => out.diff || 'No differences.',
  bytes: (out) =>
    out.diff_base64 === undefined
      ? new TextEncoder().encode(out.diff || 'No differences.\n')
      : bytesFromBase64(out.diff_base64),
  verb: {
    name: 'changes',
    words: ['snapshot_id'],
    examples: ['timewarp changes latest', 'timewarp changes ID --format git'],
  },
})

export const Show = spec({
  name: 'show',
  summary: 'Tell everything about one snapshot',
  effect: 'read',
  group: 'timeline',
  input: z.object({ ...common, snapshot_id: z.string().describe('The snapshot, or the beginning of its id') }),
  output: SnapshotDetail.extend({ affected_files: z.array(z.string()) }),
  faults: ['SNAPSHOT_NOT_FOUND', 'SNAPSHOT_AMBIGUOUS'],
  text: (out) =>
    [
      `${out.snapshot_id}${out.pinned ? '  (pinned)' : ''}`,
      columns([
        ['  taken', when(out.created_at)],
        ['  source', out.source],
        ['  label', out.label ?? '–'],
        ['  description', out.description ?? '–'],
        ['  session', out.session_id ?? '–'],
        ['  tool', out.cause.tool ?? '–'],
        ...certaintyRow(out),
        ['  base', out.base ?? '–'],
        ['  tree', out.tree],
        [
          '  files',
          `${out.stats.total_files}, ${out.stats.changed_files} changed, ${size(out.stats.stored_size)} stored`,
        ],
      ]),
      ...out.affected_files.slice(0, 50).map((path) => `    ${showPath(path)}`),
      ...out.skipped.map((s) => `  not captured: ${showPath(s.path)} (${s.reason})`),
    ].join('\n'),
  verb: { words: ['snapshot_id'], examples: ['timewarp show s_20260228_153012_ab12cd'] },
})

function certaintyRow({ cause, description }: SnapshotDetail): string[][] {
  const certainty = certaintyOf(cause)
  if (certainty === undefined) return []
  const reason = reasonOf(cause, description)
  return [['  certainty', reason === null ? certainty : `${certainty}: ${reason}`]]
}

function diffText(out: { files: z.infer<typeof FileDiffFields>[]; diff: string }): string {
  if (out.files.length === 0) return 'No differences.'
  return out.diff === '' ? columns(out.files.map((file) => [file.status, showPath(file.path)])) : out.diff
}

export const Diff = spec({
  name: 'diff',
  summary: 'Compare two snapshots, or a snapshot and the present',
  effect: 'read',
  group: 'timeline',
  usesWatch: true,
  input: z.object({
    ...common,
    from: z.string().describe('The older snapshot'),
    to: z.string().optional().describe('The newer snapshot; left out: the present'),
    paths: z.array(insidePath()).default([]).describe('Only these paths or folders (can be repeated)'),
    format: z.enum(['unified', 'git', 'context', 'json']).default('unified').describe('How the diff is written'),
    name_only: z.boolean().default(false).describe('List the files without their contents'),
  }),
  output: z.object({
    from: z.string(),
    to: z.string().nullable(),
    files: z.array(FileDiffFields),
    diff: z.string(),
    diff_base64: z.string().optional().describe('The diff when it is not UTF-8'),
    warnings: z.array(z.string()),
  }),
  faults: ['SNAPSHOT_NOT_FOUND', 'SNAPSHOT_AMBIGUOUS', 'SNAPSHOT_DROPPED', 'PATH_NOT_FOUND', 'PATH_OUTSIDE'],
  text: diffText,
  bytes: (out) =>
    out.diff_base64 === undefined
      ? new TextEncoder().encode(out.diff || `${diffText(out)}\n`)
      : bytesFromBase64(out.diff_base64),
  verb: {
    words: ['from', 'to'],
    tail: 'paths',
    examples: ['timewarp diff s_20260228_153012_ab12cd', 'timewarp diff ID1 ID2 --format git -- src'],
  },
})

export const FileHistory = spec({
  name: 'file_history',
  summary: 'List the versions of one file',
  effect: 'read',
  group: 'timeline',
  input: z.object({
    ...common,
    path: filePath('The file'),
    limit: z.int().min(1).max(1000).default(50).describe('How many'),
  }),
  output: z.object({
    path: z.string(),
    versions: z.array(
      z.object({
        snapshot_id: z.string(),
        timestamp: z.string(),
        size: z.number().nullable().describe('null: the file was deleted in this snapshot'),
        label: z.string().nullable(),
        hash: z.string().nullable(),
        status: z.enum(['added', 'modified', 'deleted']),
      }),
    ),
  }),
  faults: ['PATH_OUTSIDE', 'PATH_KIND'],
  exit: (out) => (out.versions.length === 0 ? KINDS.missing.exit : 0),
  text: (out) =>
    out.versions.length === 0
      ? `No snapshot has ${showPath(out.path)}`
      : columns(
          out.versions.map((v) => [
            v.snapshot_id,
            when(v.timestamp),
            v.size === null ? 'deleted' : size(v.size),
            v.label ?? '',
          ]),
        ),
  verb: { name: 'history', words: ['path'], examples: ['timewarp history src/main.ts'] },
})

export const Cat = spec({
  name: 'cat',
  summary: 'Give the bytes of a file as a snapshot has them',
  effect: 'read',
  group: 'timeline',
  input: z.object({
    ...common,
    snapshot_id: z.string().describe('The snapshot'),
    path: filePath('The file'),
  }),
  output: z.object({
    snapshot_id: z.string(),
    path: z.string(),
    size: z.number(),
    hash: z.string(),
    content: z.string().nullable().describe('The text; null when it is not UTF-8'),
    content_base64: z.string().nullable().describe('The bytes, when they are not UTF-8'),
  }),
  faults: [
    'SNAPSHOT_NOT_FOUND',
    'SNAPSHOT_AMBIGUOUS',
    'SNAPSHOT_DROPPED',
    'PATH_NOT_FOUND',
    'PATH_KIND',
    'PATH_OUTSIDE',
  ],
  text: (out) => out.content ?? '',
  bytes: (out) =>
    out.content === null ? bytesFromBase64(out.content_base64 ?? '') : new TextEncoder().encode(out.content),
  verb: { words: ['snapshot_id', 'path'], examples: ['timewarp cat ID src/main.ts > old.ts'] },
})
