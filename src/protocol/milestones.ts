import { z } from 'zod'
import { showPath } from '../base/quote.ts'
import { bytesFromBase64, columns, count } from '../base/text.ts'
import { oneLined, paragraph, visible } from '../base/visible.ts'
import { common, spec } from './spec.ts'

const Summary = z.object({
  total_operations: z.number(),
  affected_files: z.array(z.string()),
  lines_added: z.number(),
  lines_removed: z.number(),
})

const Milestone = z.object({
  id: z.string().describe('The same as milestone_id'),
  milestone_id: z.string(),
  title: z.string(),
  description: z.string(),
  created_at: z.string(),
  timestamp: z.string().describe('The same as created_at'),
  origin: z.string().describe('manual, or the rule that proposed it'),
  tags: z.array(z.string()),
  snapshot_ids: z.array(z.string()).describe('Its members, the oldest first'),
  summary: Summary,
  combined_diff: z
    .string()
    .optional()
    .describe('The state before the first member against the state after the last, in their files, as git writes it'),
  combined_diff_base64: z.string().optional().describe('The combined diff when it is not UTF-8'),
})
export type Milestone = z.infer<typeof Milestone>

const title = z.string().trim().min(1).max(200)
const tags = z.array(z.string().trim().min(1).max(50)).default([])
const one = { ...common, milestone_id: z.string().describe('The milestone, or the beginning of its id') }

/** A summary in numbers that a person grasps at a glance. */
function linesOf({ summary }: { summary: z.infer<typeof Summary> }): string[] {
  const { total_operations, affected_files, lines_added, lines_removed } = summary
  return [
    `   - ${count(total_operations, 'operation')}, ${count(affected_files.length, 'file')} changed`,
    `   - ${count(lines_added, 'line')} added, ${count(lines_removed, 'line')} removed`,
  ]
}

const briefText = (m: Milestone, number?: number): string =>
  [
    `📍 Milestone${number === undefined ? '' : ` ${number}`}: ${m.title}${m.tags.map((tag) => ` #${tag}`).join('')}`,
    ...(m.description ? [`   ${paragraph(m.description, '   ')}`] : []),
    ...linesOf(m),
    `   - See the diff: timewarp show-milestone ${m.milestone_id}`,
  ].join('\n')

export const CreateMilestone = spec({
  name: 'create_milestone',
  summary: 'Name a piece of work: some snapshots that belong together',
  effect: 'write',
  group: 'edits',
  input: z.object({
    ...common,
    title: title.describe('What was achieved'),
    snapshot_ids: z
      .array(z.string())
      .default([])
      .describe('Its snapshots; also session:ID or actor:NAME. Left out: every change that is in no milestone yet'),
    description: z.string().max(10_000).default('').describe('More about it'),
    tags: tags.describe('Words to find it by (can be repeated)'),
  }),
  output: Milestone,
  faults: [
    'SNAPSHOT_NOT_FOUND',
    'SNAPSHOT_AMBIGUOUS',
    'SNAPSHOT_DROPPED',
    'SNAPSHOT_FOREIGN',
    'SESSION_NOT_FOUND',
    'PROMPT_NOT_FOUND',
    'CALL_NOT_FOUND',
    'MILESTONE_EMPTY',
  ],
  text: (out) => `${briefText(out)}\n   - Take it back: timewarp revert ${out.milestone_id}`,
  verb: {
    name: 'milestone',
    words: ['title', 'snapshot_ids'],
    short: { m: 'description' },
    examples: ["timewarp milestone 'Log in works'", "timewarp milestone 'Log in works' ID1 ID2 --tags feature"],
  },
})

export const GetMilestones = spec({
  name: 'get_milestones',
  summary: 'List milestones, the oldest first',
  effect: 'read',
  group: 'edits',
  input: z.object({
    ...common,
    tags: tags.describe('Only those with all of these tags (can be repeated)'),
    include_diffs: z.boolean().default(false).describe('Give the combined diff of each one as well'),
  }),
  output: z.object({ milestones: z.array(Milestone) }),
  faults: [],
  text: (out) =>
    out.milestones.length === 0
      ? 'No milestones. Make one with: timewarp milestone TITLE'
      : out.milestones
          .map((m, i) => [briefText(m, i + 1), ...(m.combined_diff ? [m.combined_diff] : [])].join('\n'))
          .join('\n\n'),
  verb: { name: 'milestones', examples: ['timewarp milestones', 'timewarp milestones --tags feature'] },
})

const Operation = z.object({
  snapshot_id: z.string(),
  created_at: z.string(),
  tool: z.string().nullable(),
  description: z.string().nullable(),
})

const Shown = Milestone.extend({ operations: z.array(Operation), combined_diff: z.string() })

const shownText = (out: z.infer<typeof Shown>): string =>
  [
    `📍 ${out.title}${out.tags.map((tag) => ` #${tag}`).join('')}`,
    ...(out.description ? [`   ${paragraph(out.description, '   ')}`] : []),
    ...linesOf(out),
    columns(
      out.operations.map((op) => [
        `   ${op.snapshot_id}`,
        op.created_at.slice(0, 19).replace('T', ' '),
        [op.tool, op.description].filter(Boolean).join('  '),
      ]),
    ),
    ...out.summary.affected_files.slice(0, 50).map((path) => `    ${showPath(path)}`),
    `Take it back with: timewarp revert ${out.milestone_id}`,
    out.combined_diff,
  ].join('\n')

export const ShowMilestone = spec({
  name: 'show_milestone',
  summary: 'Tell everything about one milestone, with its combined diff',
  effect: 'read',
  group: 'edits',
  input: z.object(one),
  output: Shown,
  faults: ['MILESTONE_NOT_FOUND'],
  text: shownText,
  bytes: (out) => {
    if (out.combined_diff_base64 === undefined) return undefined
    const diff = bytesFromBase64(out.combined_diff_base64)
    const text = new TextEncoder().encode(`${visible(shownText(oneLined(out)).trimEnd())}\n`)
    const both = new Uint8Array(text.length + diff.length)
    both.set(text)
    both.set(diff, text.length)
    return both
  },
  verb: {
    name: 'show-milestone',
    words: ['milestone_id'],
    examples: ['timewarp show-milestone m_20260228_153012_ab12cd'],
  },
})

export const TagMilestone = spec({
  name: 'tag_milestone',
  summary: 'Give a milestone tags, or take tags away',
  effect: 'write',
  group: 'edits',
  input: z.object({
    ...one,
    add: tags.describe('Tags to give it (can be repeated)'),
    remove: tags.describe('Tags to take away (can be repeated)'),
  }),
  output: z.object({ milestone_id: z.string(), tags: z.array(z.string()), before: z.array(z.string()) }),
  faults: ['MILESTONE_NOT_FOUND'],
  text: (out) => `${out.milestone_id}  ${out.tags.length === 0 ? 'no tags' : out.tags.map((t) => `#${t}`).join(' ')}`,
  verb: { name: 'tag-milestone', words: ['milestone_id', 'add'], examples: ['timewarp tag-milestone ID feature'] },
})

export const DeleteMilestone = spec({
  name: 'delete_milestone',
  summary: 'Remove a milestone; retention decides about its snapshots again',
  effect: 'danger',
  group: 'edits',
  input: z.object(one),
  output: z.object({ milestone_id: z.string(), title: z.string(), snapshot_ids: z.array(z.string()) }),
  faults: ['MILESTONE_NOT_FOUND'],
  text: (out) =>
    [
      `Removed the milestone "${out.title}". No file and no snapshot was changed.`,
      `Make it again with: timewarp milestone TITLE ${out.snapshot_ids.join(' ')}`,
    ].join('\n'),
  verb: { name: 'delete-milestone', words: ['milestone_id'] },
})

const Proposed = z.object({
  rule: z.string().describe('The rule that fired'),
  why: z.string(),
  title: z.string(),
  snapshot_ids: z.array(z.string()),
  affected_files: z.array(z.string()),
  from: z.string().describe('When the first of them was recorded'),
  to: z.string(),
  milestone_id: z.string().nullable().describe('The milestone made of it; null when it is only proposed'),
})

export const DetectMilestones = spec({
  name: 'detect_milestones',
  summary: 'Propose milestones where a piece of work seems to end',
  effect: 'write',
  group: 'edits',
  input: z.object({
    ...common,
    session: z.string().optional().describe('Only what this session did'),
    pause_minutes: z.int().min(1).max(10_080).default(30).describe('How long a pause ends a piece of work'),
    create: z.boolean().default(false).describe('Make the milestones; otherwise they are only proposed'),
  }),
  output: z.object({ proposals: z.array(Proposed) }),
  faults: ['SNAPSHOT_DROPPED'],
  text: (out) =>
    out.proposals.length === 0
      ? 'No piece of work seems to have ended since the last milestone.'
      : [
          ...out.proposals.map((p) =>
            [
              `📍 ${p.title}${p.milestone_id === null ? '' : `  ${p.milestone_id}`}`,
              `   - ${count(p.snapshot_ids.length, 'operation')}, ${count(p.affected_files.length, 'file')} changed`,
              `   - ${p.rule}: ${p.why}`,
            ].join('\n'),
          ),
          ...(out.proposals.some((p) => p.milestone_id === null)
            ? ['Make them with: timewarp detect-milestones --create']
            : []),
        ].join('\n'),
  verb: { name: 'detect-milestones', examples: ['timewarp detect-milestones', 'timewarp detect-milestones --create'] },
})
