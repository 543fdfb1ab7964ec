import type { IssueRecord } from '../../records/issues.ts'

/** The files of a friction issue, as text. Pure. */

export const CHAT_FILE = 'chat.md'
export const EXPERIMENT_FILE = 'experiment.md'
export const ISSUE_FILE = 'issue.json'

const iso = (ms: number): string => new Date(ms).toISOString()

/** The fields as the files and the tools show them. */
export const issueFields = (issue: IssueRecord) => ({
  issue_id: issue.id,
  created_at: iso(issue.created_at),
  status: issue.status,
  snapshot_id: issue.snapshot_id,
  task_context: issue.task_context,
  symptom: issue.symptom,
  success_criteria: issue.success_criteria,
  suspected_cause: issue.suspected_cause,
  chat_file: CHAT_FILE,
  chat_summary: issue.chat_summary,
  experiment_file: EXPERIMENT_FILE,
  session_id: issue.session_id,
  impact: issue.impact,
  frequency: issue.frequency,
  reproducibility: issue.reproducibility,
  similar_to: [...issue.similar_to],
  history: issue.history.map(({ at, ...move }) => ({ at: iso(at), ...move })),
})

/** Empty fields are left out. */
export function issueJson(issue: IssueRecord): string {
  const said = Object.entries(issueFields(issue)).filter(
    ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
  )
  return `${JSON.stringify(Object.fromEntries(said), undefined, 2)}\n`
}

type Editable = Pick<
  IssueRecord,
  'task_context' | 'symptom' | 'success_criteria' | 'suspected_cause' | 'chat_summary' | 'status'
>
const EDITABLE = ['task_context', 'symptom', 'success_criteria', 'suspected_cause', 'chat_summary'] as const
const STATUSES: readonly string[] = ['open', 'investigating', 'fixed', 'wontfix'] satisfies IssueRecord['status'][]

/** The fields that were changed in issue.json by hand; undefined when it is no longer the file of this issue. */
export function editedFields(text: string, issue: IssueRecord): Editable | undefined {
  let said: Record<string, unknown>
  try {
    said = JSON.parse(text) as Record<string, unknown>
  } catch {
    return undefined
  }
  if (said === null || typeof said !== 'object' || said['issue_id'] !== issue.id) return undefined
  const { status } = said
  if (typeof status !== 'string' || !STATUSES.includes(status)) return undefined
  const fields: Record<string, unknown> = { status }
  for (const key of EDITABLE) {
    const value = said[key] ?? issue[key]
    if (value !== null && typeof value !== 'string') return undefined
    fields[key] = value
  }
  return fields as unknown as Editable
}

export const experimentTemplate = (issue: Pick<IssueRecord, 'id' | 'snapshot_id' | 'success_criteria'>): string =>
  [
    '# Experiment',
    '',
    '## Issue',
    `- id: ${issue.id}`,
    `- snapshot_id: ${issue.snapshot_id}`,
    '',
    '## Success Criteria',
    issue.success_criteria,
    '',
    '## Repro',
    '',
    '## Changes',
    '',
    '## Validation',
    '',
    '## Result',
    '',
  ].join('\n')

export interface ExperimentRound {
  readonly round: number
  readonly at: number
  readonly changes: string
  readonly validation: string
  readonly result: string
  readonly conclusion?: string | undefined
}

const ROUND = /^## Round (\d+)\b/gm

/** The number after that of the last round in a text. */
export const nextRound = (text: string): number =>
  Math.max(0, ...[...text.matchAll(ROUND)].map((match) => Number(match[1]))) + 1

export function withRound(text: string, r: ExperimentRound): string {
  const parts: [string, string | undefined][] = [
    ['Changes', r.changes],
    ['Validation', r.validation],
    ['Result', r.result],
    ['Conclusion', r.conclusion],
  ]
  const body = parts.flatMap(([title, said]) => (said ? [`### ${title}`, '', said.trimEnd(), ''] : []))
  return appended(text, [`## Round ${r.round} (${iso(r.at)})`, '', ...body])
}

/** The result of one run of a command. */
export interface RunOutcome {
  readonly exit_code: number | null
  readonly timed_out: boolean
  readonly duration_ms: number
  readonly output: string
}

export function withRun(
  text: string,
  command: string,
  at: number,
  runs: readonly { where: string; ran: RunOutcome }[],
): string {
  const body = runs.flatMap(({ where, ran }) => [
    `### In the ${where}: ${verdict(ran)} (${ran.duration_ms} ms)`,
    '',
    ...fenced(ran.output),
    '',
  ])
  return appended(text, [`## Run (${iso(at)})`, '', ...fenced(command), '', ...body])
}

const verdict = ({ exit_code, timed_out }: RunOutcome): string =>
  timed_out ? 'took too long' : exit_code === null ? 'was killed' : `exit ${exit_code}`

/** Puts a text into a fence that is longer than any run of backticks in it. */
function fenced(text: string): string[] {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return [fence, ...(text === '' ? [] : [text.trimEnd()]), fence]
}

const appended = (text: string, lines: readonly string[]): string =>
  `${text}${text === '' || text.endsWith('\n\n') ? '' : text.endsWith('\n') ? '\n' : '\n\n'}${lines.join('\n').trimEnd()}\n`
