import { join, resolve } from 'node:path'
import { handler, type ToolCall } from '../../app/handler.ts'
import { recoverFirst } from '../../app/recovery.ts'
import { type Redactor, redactorOf } from '../../app/redactor.ts'
import { captureContext, findSnapshotOfWorkspace, requireWorkspace } from '../../app/workspace-lookup.ts'
import { Fault } from '../../base/fault.ts'
import { writeWhole } from '../../host/files/durable.ts'
import { lstat, realPath } from '../../host/files/fs.ts'
import { ExperimentNote } from '../../protocol/experiments.ts'
import { IssueGet, IssueList, IssueReport, IssueUpdate } from '../../protocol/issues.ts'
import type { IssueRecord } from '../../records/issues.ts'
import type { SnapshotRecord } from '../../records/snapshot-record.ts'
import { knownSecrets } from '../../secrets/known-secrets.ts'
import type { Workspace } from '../../timeline/workspace/workspace.ts'
import type { ChatSelection } from '../../travel/chat/chat.ts'
import { type Chat, writeChat } from '../../travel/chat/chat-file.ts'
import type { ChatSource } from '../../travel/chat/chat-records.ts'
import { whyVague } from '../../travel/issues/criteria.ts'
import { issueFolder, makeIssueFolder, settleIssues } from '../../travel/issues/issue-folder.ts'
import {
  CHAT_FILE,
  EXPERIMENT_FILE,
  experimentTemplate,
  ISSUE_FILE,
  issueFields,
  issueJson,
  nextRound,
  withRound,
} from '../../travel/issues/issue-text.ts'
import { changeIssue, findIssue, recordIssue, textOf, withText } from '../../travel/issues/issues.ts'
import { isSameReport, ranked, scoreOf } from '../../travel/issues/similar.ts'
import { moveIssue } from '../../travel/journeys/machine.ts'

interface Reported {
  readonly session_id?: string | undefined
  readonly snapshot_id?: string | undefined
}

export const issueReport = handler(IssueReport, async (call, input) => {
  refuseVague(input.success_criteria)
  const workspace = requireWorkspace(call, input)
  const warnings = await recoverFirst(call, workspace)
  const { session_id, snapshot } = momentOf(call, workspace, input)
  const redact = redactorOf(workspace)
  const optional = (text: string | undefined): string | null => (text === undefined ? null : redact(text))
  const issue = {
    id: call.app.newId('i'),
    workspace: workspace.id,
    created_at: call.app.clock.now(),
    status: 'open' as const,
    snapshot_id: snapshot.id,
    session_id,
    history: [],
    task_context: redact(input.task_context),
    symptom: redact(input.symptom),
    success_criteria: redact(input.success_criteria),
    suspected_cause: optional(input.suspected_cause),
    chat_summary: optional(input.chat_summary),
    impact: input.impact ?? null,
    frequency: input.frequency ?? null,
    reproducibility: input.reproducibility ?? null,
  }
  const known = call.app.records.issues.all(workspace.id).find((other) => isSameReport(issue, other))
  const chat = {
    source: sourceOf(call, workspace, input, session_id),
    session_id,
    selection: selectionOf(input, issue.created_at),
    known: knownSecrets(workspace.root),
    now: issue.created_at,
  }
  const recorded = known ?? (await writeIssue(call, workspace, issue, chat, warnings))
  return {
    ok: true as const,
    issue_id: recorded.id,
    snapshot_id: recorded.snapshot_id,
    already: known !== undefined,
    similar_to: [...recorded.similar_to],
    warnings,
  }
})

function refuseVague(success_criteria: string): void {
  const why = whyVague(success_criteria)
  if (why) throw new Fault('CRITERIA_VAGUE', { success_criteria, why })
}

/** The snapshot that an issue is tied to: the named one, or the one at the start of the session. */
function momentOf(
  call: ToolCall,
  workspace: Workspace,
  input: Reported,
): { session_id: string | null; snapshot: SnapshotRecord } {
  const { sessions } = call.app.records
  const session = input.session_id ? sessions.get(workspace.id, input.session_id) : sessions.latest(workspace.id)
  const session_id = session?.id ?? input.session_id ?? null
  const named = input.snapshot_id ?? session?.snapshot_id
  if (!named) throw new Fault('SESSION_NOT_STARTED', { session_id })
  return { session_id, snapshot: findSnapshotOfWorkspace(call, workspace, named) }
}

type Messages = Extract<ChatSource, { messages: unknown }>['messages']

/**
 * The conversation: the messages given, or the transcript file that was named or that the session's client reported.
 */
function sourceOf(
  call: ToolCall,
  workspace: Workspace,
  { messages, transcript }: { messages?: Messages | undefined; transcript?: string | undefined },
  session: string | null,
): ChatSource | undefined {
  if (messages) return { messages }
  const known = session === null ? undefined : call.app.records.sessions.get(workspace.id, session)?.transcript
  const named = transcript ?? known
  if (!named) return undefined
  const file = resolve(call.cwd, named)
  refuseWayOut(workspace.root, file)
  return { file }
}

/** Refuses a transcript path in the workspace that leads out of it through a link: it could be another user's file. */
function refuseWayOut(root: string, file: string): void {
  if (!file.startsWith(`${root}/`) || lstat(file) === undefined || realPath(file).startsWith(`${realPath(root)}/`))
    return
  throw new Fault('PATH_OUTSIDE', { path: file })
}

const WINDOW = { before: 6, after: 2 }

function selectionOf(
  { chat_before, chat_after }: { chat_before?: number | undefined; chat_after?: number | undefined },
  at: number,
): ChatSelection {
  if (chat_before === undefined && chat_after === undefined) return 'whole'
  return { before: chat_before ?? WINDOW.before, after: chat_after ?? WINDOW.after, at }
}

/** The three files are written to a temporary folder, recorded, and then renamed: all of them exist, or none does. */
async function writeIssue(
  call: ToolCall,
  workspace: Workspace,
  issue: Parameters<typeof recordIssue>[1],
  said: Chat,
  warnings: string[],
): Promise<IssueRecord> {
  const ctx = captureContext(call)
  const recorded = await makeIssueFolder(ctx, workspace, issue.id, async (at) => {
    const [chat, experiment] = [at(CHAT_FILE), at(EXPERIMENT_FILE)]
    warnings.push(...(await writeChat(chat, said)))
    writeWhole(experiment, experimentTemplate(issue))
    const made = recordIssue(ctx, issue, { chat, experiment })
    writeWhole(at(ISSUE_FILE), issueJson(made))
    return made
  })
  // The issues that are similar to it list it, too.
  await settleIssues(ctx, workspace)
  return recorded
}

export const issueList = handler(IssueList, async (call, input) => {
  const workspace = requireWorkspace(call, input)
  const warnings = await recoverFirst(call, workspace)
  const all = call.app.records.issues.all(workspace.id)
  const wanted = all.filter(({ status }) => input.status === 'all' || status === input.status)
  return { issues: ranked(wanted).map(lineOf), warnings }
})

function lineOf(issue: IssueRecord) {
  const { issue_id, status, created_at, snapshot_id, session_id, ...fields } = issueFields(issue)
  const { task_context, symptom, success_criteria, impact, frequency, reproducibility, similar_to } = fields
  return {
    issue_id,
    status,
    created_at,
    snapshot_id,
    session_id,
    task_context,
    symptom,
    success_criteria,
    impact,
    frequency,
    reproducibility,
    score: scoreOf(issue),
    similar_to,
  }
}

export const issueGet = handler(IssueGet, async (call, input) => {
  const workspace = requireWorkspace(call, input)
  const warnings = await recoverFirst(call, workspace)
  const issue = findIssue(call.app, workspace, input.issue_id)
  const folder = issueFolder(workspace.root, issue.id)
  const tried = call.app.records.travels.all(workspace.id).filter(({ issue_id }) => issue_id === issue.id)
  return {
    ...issueFields(issue),
    score: scoreOf(issue),
    issue_path: join(folder, ISSUE_FILE),
    chat_path: join(folder, CHAT_FILE),
    experiment_path: join(folder, EXPERIMENT_FILE),
    experiments: tried.flatMap(({ experiment_id }) => experiment_id ?? []),
    warnings,
  }
})

export const issueUpdate = handler(IssueUpdate, async (call, input) => {
  if (input.success_criteria !== undefined) refuseVague(input.success_criteria)
  const workspace = requireWorkspace(call, input)
  const warnings = await recoverFirst(call, workspace)
  const ctx = captureContext(call)
  const found = findIssue(ctx, workspace, input.issue_id)
  const redact = redactorOf(workspace)
  let before = found.status
  const { status } = changeIssue(ctx, found.id, (issue) => {
    before = issue.status
    return updated(issue, input, redact, call.app.clock.now())
  })
  warnings.push(...(await settleIssues(ctx, workspace)))
  return { ok: true as const, issue_id: found.id, status, before, already: input.status === before, warnings }
})

type Update = Partial<
  Pick<
    IssueRecord,
    'status' | 'suspected_cause' | 'chat_summary' | 'success_criteria' | 'impact' | 'frequency' | 'reproducibility'
  >
>

const TEXTS = ['suspected_cause', 'chat_summary', 'success_criteria'] as const
const GRADES = ['impact', 'frequency', 'reproducibility'] as const

function updated(
  issue: IssueRecord,
  input: { [K in keyof Update]: Update[K] | undefined } & { readonly reason?: string | undefined },
  redact: Redactor,
  at: number,
): IssueRecord {
  const told: Record<string, unknown> = {}
  for (const key of TEXTS) if (input[key]) told[key] = redact(input[key])
  for (const key of GRADES) if (input[key] !== undefined) told[key] = input[key]
  const to = input.status ?? issue.status
  if (to === issue.status) return { ...issue, ...told }
  const status = moveIssue(issue.id, issue.status, to, input.reason)
  const move = { at, from: issue.status, to: status, reason: input.reason === undefined ? null : redact(input.reason) }
  return { ...issue, ...told, status, history: [...issue.history, move] }
}

export const experimentNote = handler(ExperimentNote, async (call, input) => {
  const workspace = requireWorkspace(call, input)
  const warnings = await recoverFirst(call, workspace)
  const redact = redactorOf(workspace)
  const { issue_id } = input
  const { round, issue } = writeRound(call, workspace, issue_id, (text) => {
    const number = input.round ?? nextRound(text)
    const said = {
      changes: redact(input.changes),
      validation: redact(input.validation),
      result: redact(input.result),
      conclusion: input.conclusion === undefined ? undefined : redact(input.conclusion),
    }
    return { round: number, text: withRound(text, { ...said, round: number, at: call.app.clock.now() }) }
  })
  warnings.push(...(await settleIssues(captureContext(call), workspace)))
  return {
    ok: true as const,
    issue_id: issue.id,
    round,
    experiment_path: join(issueFolder(workspace.root, issue.id), EXPERIMENT_FILE),
    warnings,
  }
})

/**
 * Adds a round to experiment.md. It appends to the recorded text inside the transaction, so that no round is lost when
 * two processes write at once.
 */
function writeRound(
  call: ToolCall,
  workspace: Workspace,
  text: string,
  add: (text: string) => { round: number; text: string },
): { round: number; issue: IssueRecord } {
  const ctx = captureContext(call)
  let round = 0
  const issue = changeIssue(ctx, findIssue(ctx, workspace, text).id, (now, batch) => {
    const added = add(textOf(ctx, now.tree, EXPERIMENT_FILE).toString())
    round = added.round
    return withText(ctx, batch, now, EXPERIMENT_FILE, Buffer.from(added.text))
  })
  return { round, issue }
}
