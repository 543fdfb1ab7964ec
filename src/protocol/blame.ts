import { z } from 'zod'
import { columns } from '../base/text.ts'
import { Source } from '../schema/cause.ts'
import { filePath } from './paths.ts'
import { showPath } from './shapes.ts'
import { common, spec } from './spec.ts'

const Line = z.object({
  line: z.number().describe('Counted from 1'),
  snapshot_id: z.string().nullable().describe('The snapshot that wrote the line; null: it is in no snapshot yet'),
  session_id: z.string().nullable(),
  tool: z.string().nullable(),
  prompt_id: z.string().nullable(),
  actor: z.string().nullable(),
  source: Source.nullable(),
  shared: z.boolean().describe('It cannot be told who wrote it: one of several, or somebody else'),
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
  const short = shortIds(lines)
  const width = String(lines.length).length
  const isRenamed = lines.some((line) => line.path !== path)
  return columns(
    lines.map((line) => [
      line.snapshot_id === null ? 'not captured' : short(line.snapshot_id),
      line.shared ? 'shared' : (line.actor ?? line.session_id ?? line.source ?? ''),
      ...(isRenamed ? [showPath(line.path)] : []),
      `${String(line.line).padStart(width)}  ${line.text ?? '(not UTF-8)'}`,
    ]),
  )
}

/** The time in the id names a snapshot as well, unless two are of the same second. */
function shortIds(lines: readonly Line[]): (id: string) => string {
  const ids = [...new Set(lines.flatMap(({ snapshot_id }) => snapshot_id ?? []))]
  const time = (id: string): string => id.slice(2, 17)
  const often = new Set(ids.map(time)).size < ids.length
  return (id) => (often ? id.slice(2) : time(id))
}
