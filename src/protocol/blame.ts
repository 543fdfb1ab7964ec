import { z } from 'zod'
import { columns } from '../base/text.ts'
import { Certainty, Source } from '../schema/cause.ts'
import { filePath } from './paths.ts'
import { SharedBy, sharedByText, showPath } from './shapes.ts'
import { common, spec } from './spec.ts'

const Line = z.object({
  line: z.number().describe('Counted from 1'),
  snapshot_id: z.string().nullable().describe('The snapshot that wrote the line; null: it is in no snapshot yet'),
  session_id: z.string().nullable(),
  tool: z.string().nullable(),
  prompt_id: z.string().nullable(),
  actor: z.string().nullable(),
  source: Source.nullable(),
  client: z.string().nullable().describe('The program of the session: claude, codex, …'),
  prompt: z.string().nullable().describe('The first line of what was asked'),
  certainty: Certainty.nullable().describe('How sure it is who wrote it; null when nobody is named'),
  shared: z.boolean().describe('Whether it cannot be told who wrote it: one of several, or somebody else'),
  shared_by: z.array(SharedBy).describe('Who may have written it, where that cannot be told'),
  already_there: z.boolean().describe('It was there before the first snapshot: nobody is named'),
  path: z.string().describe('The file’s name in that snapshot'),
  text: z.string().optional().describe('The line without its end; left out when it is not UTF-8'),
})
type Line = z.output<typeof Line>

export const Blame = spec({
  name: 'blame',
  summary: 'Tell for each line of a file which snapshot wrote it, and who',
  effect: 'read',
  group: 'timeline',
  input: z.object({
    ...common,
    path: filePath('The file'),
    snapshot_id: z.string().optional().describe('The file as this snapshot has it; left out: the present'),
  }),
  output: z.object({
    path: z.string(),
    snapshot_id: z.string().nullable().describe('The newest snapshot that was looked at'),
    lines: z.array(Line),
    notes: z.array(z.string()),
  }),
  faults: [
    'SNAPSHOT_NOT_FOUND',
    'SNAPSHOT_AMBIGUOUS',
    'SNAPSHOT_DROPPED',
    'PATH_NOT_FOUND',
    'PATH_KIND',
    'PATH_OUTSIDE',
  ],
  text: (out) => [blameText(out), ...out.notes.map((note) => `Note: ${note}`)].filter(Boolean).join('\n'),
  verb: { words: ['path', 'snapshot_id'], examples: ['timewarp blame src/main.ts', 'timewarp blame src/main.ts ID'] },
})

function blameText({ path, lines }: { path: string; lines: readonly Line[] }): string {
  if (lines.length === 0) return `${showPath(path)} is empty`
  const width = String(lines.length).length
  const isRenamed = lines.some((line) => line.path !== path)
  return columns(
    lines.map((line) => [
      line.snapshot_id ?? 'not captured',
      whoOf(line),
      ...(isRenamed ? [showPath(line.path)] : []),
      `${String(line.line).padStart(width)}  ${line.text ?? '(not UTF-8)'}`,
    ]),
  )
}

const PROMPT_WIDTH = 40

function whoOf(line: Line): string {
  if (line.snapshot_id === null) return ''
  if (line.already_there) return 'already there'
  const { actor, client, session_id, tool, source } = line
  const agents = line.shared_by.filter((one) => one.session_id !== null)
  if (agents.length > 1) return `${sharedByText(line.shared_by)} (shared)`
  const isNobodys = actor === null && session_id === null && tool === null && source !== null && LOOKS.test(source)
  if (isNobodys) return 'outside of any session'
  const name = actor ?? client ?? (session_id === null ? (tool ?? source ?? '') : (source ?? ''))
  const prompt = line.prompt === null ? '' : `: ${line.prompt.slice(0, PROMPT_WIDTH)}`
  return `${name}${prompt}${line.shared ? ' (shared)' : ''}`
}

/** Sources of snapshots that only recorded a change which someone else had made. */
const LOOKS = /^(manual|scheduled|.*-guard)$/
