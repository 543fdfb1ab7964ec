import { z } from 'zod'
import type { FaultCode } from '../base/fault.ts'
import { showPath } from '../base/quote.ts'
import { count } from '../base/text.ts'
import { editedPath } from './paths.ts'
import { common, spec } from './spec.ts'

/** Edits of files. Each tool makes one; `apply_edits` makes several, all or none. */

const path = editedPath('The file')

const expectedHash = z
  .string()
  .regex(/^(?:[0-9a-f]{64}|absent)$/, 'must be 64 hexadecimal digits, or "absent"')
  .optional()
  .describe(
    'SHA-256 of the bytes that were read, or "absent": if the file is another by now, nothing is changed (FILE_CHANGED)',
  )

const block = {
  path,
  search_block: z
    .string()
    .describe(
      'The text to replace, byte for byte; it must occur exactly once, unless occurrence chooses. ' +
        'Empty: only to make a file that does not exist, or to fill an empty one',
    ),
  replace_block: z.string().describe('The new text, taken literally; empty: the text found is cut out'),
  occurrence: z.int().min(1).optional().describe('Which of several occurrences, counted from 1'),
}

const whole = {
  path,
  content: z.string().optional().describe('All of the new contents, taken literally'),
  content_base64: z.base64().optional().describe('The new contents when they are not UTF-8, instead of content'),
}

const ranged = {
  path,
  start_line: z
    .int()
    .min(1)
    .describe('The first line to replace, counted from 1; the one after the last line of the file appends'),
  end_line: z
    .int()
    .min(0)
    .describe('The last line to replace, included; start_line - 1 replaces none: the new lines go before start_line'),
  content: z
    .string()
    .describe(
      'The new lines, taken literally; empty: the lines are taken out. Without a line end at its end it gets that of ' +
        'the last line it replaces (when it replaces none, that of the line before it), so that lines never run together',
    ),
}

const diff = {
  diff: z.string().optional().describe('A diff of one or more files, unified or as git writes it'),
  diff_base64: z.base64().optional().describe('The diff when it is not UTF-8, instead of diff'),
}

const removal = { path: editedPath('The file, symlink or folder; a folder goes with everything in it') }
const folder = { path: editedPath('The folder; those above it are made as well') }

const move = {
  from: editedPath('The file, symlink or folder'),
  to: editedPath('Its whole new path, at which nothing may be; folders above it are made'),
}

const edit = <K extends string, S extends z.ZodRawShape>(op: K, shape: S) =>
  z.strictObject({ op: z.literal(op), ...shape, expected_hash: expectedHash })

/** One edit of `apply_edits`; each tool takes the fields of one kind. */
export const Edit = z.discriminatedUnion('op', [
  edit('block', block),
  edit('whole', whole),
  edit('ranged', ranged),
  edit('diff', diff),
  edit('delete', removal),
  edit('create_directory', folder),
  edit('rename', move),
])
export type Edit = z.output<typeof Edit>

const shared = {
  ...common,
  actor: z.string().optional().describe('Who makes the edit'),
  description: z.string().optional().describe('Why it is made'),
  dry_run: z.boolean().default(false).describe('Show exactly what would happen, change nothing'),
}
const single = { ...shared, expected_hash: expectedHash }

const output = z.object({
  snapshot_id: z.string().nullable().describe('The snapshot of the state after; null on a dry run'),
  base_id: z.string().nullable().describe('The snapshot of the state before; null on a dry run'),
  affected_files: z.array(z.string()).describe('Paths that came, went or changed'),
  preview_diff: z.string().describe('What changes, as git writes it'),
  preview_diff_base64: z.string().optional().describe('The diff when it is not UTF-8'),
  lines_added: z.number(),
  lines_removed: z.number(),
  hashes: z
    .record(z.string(), z.string())
    .describe('SHA-256 of each affected file afterwards, or "absent": the expected_hash of the next edit'),
  warnings: z.array(z.string()),
  dry_run: z.boolean(),
})
export type EditAnswer = z.output<typeof output>

const SHOWN = 20

/** What was changed and how to undo it; on a dry run, the diff itself. */
function editText(out: EditAnswer): string {
  const lines = [headOf(out)]
  if (out.dry_run) lines.push(...(out.preview_diff === '' ? [] : [out.preview_diff.trimEnd()]))
  else lines.push(...out.affected_files.slice(0, SHOWN).map((file) => `  ${showPath(file)}`))
  const hidden = out.dry_run ? 0 : out.affected_files.length - SHOWN
  if (hidden > 0) lines.push(`  … and ${hidden} more`)
  lines.push(...out.warnings.map((warning) => `Warning: ${warning}`))
  if (out.snapshot_id !== null && out.affected_files.length > 0)
    lines.push(`Snapshot: ${out.snapshot_id}`, 'Undo with: timewarp undo')
  return lines.join('\n')
}

function headOf(out: EditAnswer): string {
  if (out.affected_files.length === 0) return out.dry_run ? 'Nothing would change.' : 'Nothing changed.'
  const what = `${count(out.affected_files.length, 'path')}: ${count(out.lines_added, 'line')} added, ${out.lines_removed} removed.`
  return `${out.dry_run ? 'Would change' : 'Changed'} ${what}`
}

const PATH_FAULTS = ['PATH_OUTSIDE', 'PATH_PROTECTED', 'PATH_SYMLINK', 'PATH_KIND', 'PATH_EXCLUDED'] as const
const DOING_FAULTS = ['FILE_CHANGED', 'EDIT_STUCK', 'EDIT_INTERRUPTED', 'ROOT_REPLACED', 'CAPTURE_UNSETTLED'] as const
const TEXT_FAULTS = ['PATH_MISSING', 'FILE_BINARY', 'FILE_NOT_UTF8'] as const
const SEARCH_FAULTS = ['SEARCH_NOT_FOUND', 'SEARCH_AMBIGUOUS', 'SEARCH_OCCURRENCE', 'SEARCH_EMPTY'] as const
const PATCH_FAULTS = ['PATCH_BAD', 'PATCH_MISMATCH', 'PATH_MISSING', 'PATH_EXISTS'] as const
const MOVE_FAULTS = ['PATH_MISSING', 'PATH_EXISTS', 'RENAME_INSIDE'] as const

const faults = (...own: readonly FaultCode[]): readonly FaultCode[] => [
  ...new Set([...own, ...PATH_FAULTS, ...DOING_FAULTS]),
]

const tool = { group: 'edits', confirm: false, output, text: editText } as const

export const ApplyEditBlock = spec({
  ...tool,
  name: 'apply_edit_block',
  summary: 'Replace a piece of text in a file',
  effect: 'danger',
  input: z.object({ ...single, ...block }),
  faults: faults(...SEARCH_FAULTS, ...TEXT_FAULTS),
  verb: {
    name: 'edit',
    words: ['path', 'search_block', 'replace_block'],
    stdin: { search_block: null, replace_block: null },
    examples: [
      "timewarp edit src/main.ts 'port = 80' 'port = 8080'",
      "timewarp edit src/main.ts 'port' 'host' --occurrence 2 --dry-run",
      "timewarp edit src/main.ts '// TODO' - < new.ts",
    ],
  },
})

export const ApplyWholeFileEdit = spec({
  ...tool,
  name: 'apply_whole_file_edit',
  summary: 'Write a file as a whole, whether it exists or not',
  effect: 'danger',
  input: z.object({ ...single, ...whole }),
  faults: faults(),
  verb: {
    name: 'write',
    words: ['path', 'content'],
    stdin: { content: 'content_base64' },
    examples: [`timewarp write notes.txt 'One line'`, 'timewarp write notes.txt - < draft.txt'],
  },
})

export const ApplyRangedEdit = spec({
  ...tool,
  name: 'apply_ranged_edit',
  summary: 'Replace some lines of a file, or insert lines',
  effect: 'danger',
  input: z.object({ ...single, ...ranged }),
  faults: faults('RANGE_OUTSIDE', ...TEXT_FAULTS),
  verb: {
    name: 'edit-lines',
    words: ['path', 'start_line', 'end_line', 'content'],
    stdin: { content: null },
    examples: [
      `timewarp edit-lines src/main.ts 3 5 'const port = 8080'`,
      `timewarp edit-lines notes.txt 1 0 'New top'`,
    ],
  },
})

export const ApplyUnifiedDiff = spec({
  ...tool,
  name: 'apply_unified_diff',
  summary: 'Apply a diff of one or more files',
  effect: 'danger',
  input: z.object({ ...single, ...diff }),
  faults: faults(...PATCH_FAULTS),
  verb: {
    name: 'patch',
    words: ['diff'],
    stdin: { diff: 'diff_base64' },
    examples: ['git diff HEAD~1 | timewarp patch -', 'timewarp patch - --dry-run < fix.patch'],
  },
})

const { confirm: _, ...asking } = tool

export const Delete = spec({
  ...asking,
  name: 'delete',
  summary: 'Delete a file, or a folder with everything in it',
  effect: 'danger',
  input: z.object({ ...single, ...removal }),
  faults: faults('PATH_MISSING'),
  verb: { name: 'rm', words: ['path'], examples: ['timewarp rm src/old.ts', 'timewarp rm build --dry-run'] },
})

export const CreateDirectory = spec({
  ...tool,
  name: 'create_directory',
  summary: 'Make a folder',
  effect: 'write',
  input: z.object({ ...single, ...folder }),
  faults: faults(),
  verb: { name: 'mkdir', words: ['path'], examples: ['timewarp mkdir src/parts'] },
})

export const Rename = spec({
  ...tool,
  name: 'rename',
  summary: 'Move a file or a folder to another path',
  effect: 'danger',
  input: z.object({ ...single, ...move }),
  faults: faults(...MOVE_FAULTS),
  verb: { name: 'mv', words: ['from', 'to'], examples: ['timewarp mv src/a.ts src/parts/a.ts'] },
})

export const ApplyEdits = spec({
  ...tool,
  name: 'apply_edits',
  summary: 'Make several edits, all of them or none',
  effect: 'danger',
  input: z.object({
    ...shared,
    edits: z
      .array(Edit)
      .min(1)
      .describe(
        'In their order; each sees what those before it did, and expected_hash may be that of the file before or after them',
      ),
  }),
  faults: faults(...SEARCH_FAULTS, ...TEXT_FAULTS, ...PATCH_FAULTS, ...MOVE_FAULTS, 'RANGE_OUTSIDE'),
  verb: {
    examples: [
      `timewarp call apply_edits '{"edits":[{"op":"rename","from":"a.ts","to":"b.ts"},{"op":"block","path":"b.ts","search_block":"a","replace_block":"b"}]}'`,
    ],
  },
})
