import { z } from 'zod'
import { columns } from '../base/text.ts'
import { firstLine, paragraph } from '../base/visible.ts'
import { hostPath } from './paths.ts'
import { common, spec } from './spec.ts'

const Status = z.enum(['open', 'investigating', 'fixed', 'wontfix'])
const grade = z.int().min(1).max(5).optional()
const text = z.string().trim().min(1).max(20_000)

const Message = z.object({
  role: z.string().describe('user, assistant, tool, …'),
  content: z.unknown().describe('A text, or parts as the client has them'),
  name: z.string().optional().describe('The tool’s name'),
})

export const IssueReport = spec({
  name: 'timewarp_issue_report',
  summary: 'Note a friction without stopping: what was to be done, what went wrong, how success will be known',
  effect: 'write',
  reaches: { transcript: 'reads' },
  group: 'travel',
  guardedSession: true,
  input: z.object({
    ...common,
    task_context: text.describe('What the user asked the agent to do'),
    symptom: text.describe('How it went wrong: the repetition, the detour, the failure'),
    success_criteria: text.describe(
      'What will be so when it is mended, so that it can be checked: the trigger, the expected behaviour, the evidence',
    ),
    suspected_cause: text.optional().describe('What may be the cause'),
    chat_summary: text.optional().describe('The conversation at that time in one to three sentences'),
    snapshot_id: z.string().optional().describe('The moment it is tied to (default: the beginning of the session)'),
    messages: z.array(Message).optional().describe('The conversation, for chat.md'),
    transcript: hostPath(
      'The file in which the client keeps the conversation, for chat.md (default: that of the session)',
    ).optional(),
    chat_before: z.int().min(0).max(100_000).optional().describe('Only so many messages up to now (default: all)'),
    chat_after: z.int().min(0).max(100_000).optional().describe('And so many after'),
    impact: grade.describe('How much it costs, from 1 to 5'),
    frequency: grade.describe('How often it happens, from 1 to 5'),
    reproducibility: grade.describe('How surely it can be brought about again, from 1 to 5'),
  }),
  output: z.object({
    ok: z.literal(true),
    issue_id: z.string(),
    snapshot_id: z.string(),
    already: z.boolean().describe('The very same friction had been reported: it is that issue'),
    similar_to: z.array(z.string()).describe('Issues that are about the same'),
    warnings: z.array(z.string()),
  }),
  faults: [
    'CRITERIA_VAGUE',
    'SESSION_NOT_STARTED',
    'SNAPSHOT_NOT_FOUND',
    'SNAPSHOT_AMBIGUOUS',
    'SNAPSHOT_DROPPED',
    'SNAPSHOT_FOREIGN',
    'FOLDER_REFUSED',
    'PATH_OUTSIDE',
  ],
  text: (out) =>
    [
      out.already ? `Reported before: ${out.issue_id}` : `Issue ${out.issue_id}, tied to snapshot ${out.snapshot_id}`,
      ...(out.similar_to.length > 0 ? [`Like ${out.similar_to.join(', ')}`] : []),
      ...out.warnings.map((warning) => `Warning: ${warning}`),
      `Go back to it with: timewarp travel ${out.issue_id}`,
    ].join('\n'),
  verb: {
    name: 'issue',
    examples: [
      "timewarp issue --task-context 'Release 1.2' --symptom 'Forgot the changelog twice' --success-criteria 'npm run release fails when CHANGELOG.md has no entry for the version'",
    ],
  },
})

const IssueLine = z.object({
  issue_id: z.string(),
  status: Status,
  created_at: z.string(),
  snapshot_id: z.string(),
  session_id: z.string().nullable(),
  task_context: z.string(),
  symptom: z.string(),
  success_criteria: z.string(),
  impact: z.number().nullable(),
  frequency: z.number().nullable(),
  reproducibility: z.number().nullable(),
  score: z.number().describe('Impact times frequency times reproducibility; what nobody said counts as 3'),
  similar_to: z.array(z.string()),
})

export const IssueList = spec({
  name: 'timewarp_issue_list',
  summary: 'List friction issues, the one to look at first on top',
  effect: 'read',
  group: 'travel',
  input: z.object({
    ...common,
    status: z
      .enum([...Status.options, 'all'])
      .default('open')
      .describe('Only those of this status, or all'),
  }),
  output: z.object({ issues: z.array(IssueLine), warnings: z.array(z.string()) }),
  faults: [],
  text: (out) =>
    [
      ...(out.issues.length === 0
        ? ['No such issues. All of them: timewarp issues --status all']
        : [columns(out.issues.map((i) => [i.issue_id, i.status, String(i.score), firstLine(i.symptom)]))]),
      ...out.warnings.map((warning) => `Warning: ${warning}`),
    ].join('\n'),
  verb: { name: 'issues', examples: ['timewarp issues', 'timewarp issues --status all'] },
})

const INDENT = ' '.repeat('Symptom:  '.length)

const Move = z.object({ at: z.string(), from: Status, to: Status, reason: z.string().nullable() })

const IssueDetail = IssueLine.extend({
  suspected_cause: z.string().nullable(),
  chat_file: z.string(),
  chat_summary: z.string().nullable(),
  experiment_file: z.string(),
  history: z.array(Move).describe('How its status changed, the oldest first'),
  issue_path: z.string().describe('issue.json'),
  chat_path: z.string().describe('chat.md'),
  experiment_path: z.string().describe('experiment.md'),
  experiments: z.array(z.string()).describe('What was tried in the past, as snapshots, the oldest first'),
  warnings: z.array(z.string()),
})

const one = { ...common, issue_id: z.string().describe('The issue, or the beginning of its id') }

export const IssueGet = spec({
  name: 'timewarp_issue_get',
  summary: 'Tell everything about one friction issue, with the paths of its files',
  effect: 'read',
  group: 'travel',
  input: z.object(one),
  output: IssueDetail,
  faults: ['INVALID_ISSUE_ID', 'ISSUE_NOT_FOUND'],
  text: (out) =>
    [
      `${out.issue_id}  ${out.status}  ${out.created_at}`,
      `Task:     ${paragraph(out.task_context, INDENT)}`,
      `Symptom:  ${paragraph(out.symptom, INDENT)}`,
      `Success:  ${paragraph(out.success_criteria, INDENT)}`,
      ...(out.suspected_cause ? [`Cause?    ${paragraph(out.suspected_cause, INDENT)}`] : []),
      ...(out.chat_summary ? [`Chat:     ${paragraph(out.chat_summary, INDENT)}`] : []),
      `Snapshot: ${out.snapshot_id}`,
      ...(out.similar_to.length > 0 ? [`Like:     ${out.similar_to.join(', ')}`] : []),
      ...(out.experiments.length > 0 ? [`Tried:    ${out.experiments.join(', ')}`] : []),
      ...out.history.map((m) => `${m.at}  ${m.from} → ${m.to}${m.reason ? `: ${m.reason}` : ''}`),
      ...[out.issue_path, out.chat_path, out.experiment_path].map((path) => `    ${path}`),
      ...out.warnings.map((warning) => `Warning: ${warning}`),
    ].join('\n'),
  verb: { name: 'show-issue', words: ['issue_id'], examples: ['timewarp show-issue i_20260228_153500_ef34gh'] },
})

export const IssueUpdate = spec({
  name: 'timewarp_issue_update',
  summary: 'Say where a friction issue stands, or tell more about it',
  effect: 'write',
  group: 'travel',
  input: z.object({
    ...one,
    status: Status.optional().describe('Where it stands now'),
    reason: z.string().trim().min(1).optional().describe('Why; needed when it goes back'),
    suspected_cause: text.optional().describe('What may be the cause'),
    chat_summary: text.optional().describe('The conversation at that time in one to three sentences'),
    success_criteria: text.optional().describe('What will be so when it is mended'),
    impact: grade.describe('How much it costs, from 1 to 5'),
    frequency: grade.describe('How often it happens, from 1 to 5'),
    reproducibility: grade.describe('How surely it can be brought about again, from 1 to 5'),
  }),
  output: z.object({
    ok: z.literal(true),
    issue_id: z.string(),
    status: Status,
    before: Status,
    already: z.boolean().describe('It had that status'),
    warnings: z.array(z.string()),
  }),
  faults: ['INVALID_ISSUE_ID', 'ISSUE_NOT_FOUND', 'ISSUE_BAD_MOVE', 'ISSUE_NEEDS_REASON', 'CRITERIA_VAGUE'],
  text: (out) =>
    [
      out.before === out.status ? `${out.issue_id}  ${out.status}` : `${out.issue_id}  ${out.before} → ${out.status}`,
      ...out.warnings.map((warning) => `Warning: ${warning}`),
    ].join('\n'),
  verb: {
    name: 'update-issue',
    words: ['issue_id', 'status'],
    examples: ['timewarp update-issue ID fixed', "timewarp update-issue ID open --reason 'It happened again'"],
  },
})
