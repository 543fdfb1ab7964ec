import { join } from 'node:path'
import { handler, type ToolCall } from '../../app/handler.ts'
import { recoverFirst } from '../../app/recovery.ts'
import { redactorOf } from '../../app/redactor.ts'
import { captureContext, requireWorkspace } from '../../app/workspace-lookup.ts'
import { Fault } from '../../base/fault.ts'
import { Rules } from '../../config/rules.ts'
import { lstat, makeLink, readNames } from '../../host/files/fs.ts'
import { makeScratch, removeScratch } from '../../host/files/scratch.ts'
import { runShell } from '../../host/processes/shell.ts'
import { ExperimentList, ExperimentRun } from '../../protocol/experiments.ts'
import type { IssueRecord } from '../../records/issues.ts'
import type { SnapshotRecord } from '../../records/snapshot-record.ts'
import { joinPath, type RelPath, ROOT } from '../../schema/path.ts'
import { materialise } from '../../timeline/restore/materialise.ts'
import type { Workspace } from '../../timeline/workspace/workspace.ts'
import { issueFolder, settleIssues } from '../../travel/issues/issue-folder.ts'
import { EXPERIMENT_FILE, type RunOutcome, withRun } from '../../travel/issues/issue-text.ts'
import { changeIssue, findIssue, textOf, withText } from '../../travel/issues/issues.ts'
import { isTravelling } from '../../travel/journeys/away.ts'
import { iso } from './journey.ts'

type Where = 'past' | 'present'

/** How much of a command's output is kept: its end says how it went. */
const TAIL_BYTES = 16 * 1024

export const experimentRun = handler(ExperimentRun, async (call, input) => {
  const workspace = requireWorkspace(call, input)
  const warnings = await recoverFirst(call, workspace)
  const { travels, issues } = call.app.records
  const current = travels.current(workspace.id)
  const journey = isTravelling(current) ? current : undefined
  const named = input.issue_id === undefined ? undefined : findIssue(call.app, workspace, input.issue_id)
  const issue = named ?? (journey?.issue_id ? issues.get(journey.issue_id) : undefined)
  const wanted: readonly Where[] = input.where === 'both' ? ['past', 'present'] : [input.where]
  const results: (RunOutcome & { where: Where; dir: string })[] = []
  for (const where of wanted) {
    const isHere = (where === 'past') === (journey !== undefined)
    const elsewhere = isHere ? undefined : stateOf(call, workspace, where, journey?.backup_id ?? undefined, issue)
    const ran = await runIn(call, workspace, elsewhere, input)
    results.push({ where, ...ran })
    if (elsewhere && ran.linked.length > 0)
      warnings.push(`in the ${where}, ${ran.linked.join(', ')} is that of the workspace: it is not captured`)
  }
  if (issue) await writeDownRuns(call, workspace, issue, input.command, results)
  return {
    issue_id: issue?.id ?? null,
    command: input.command,
    results: results.map(({ where, dir, exit_code, timed_out, duration_ms, output }) => ({
      where,
      dir,
      exit_code,
      timed_out,
      duration_ms,
      output,
    })),
    experiment_path: issue ? join(issueFolder(workspace.root, issue.id), EXPERIMENT_FILE) : null,
    warnings,
  }
})

/** The snapshot of the state that is not the one in the workspace now. */
function stateOf(
  call: ToolCall,
  workspace: Workspace,
  where: Where,
  backup: string | undefined,
  issue: IssueRecord | undefined,
): SnapshotRecord {
  const id = where === 'present' ? backup : issue?.snapshot_id
  if (id === undefined) throw new Fault('NOT_IN_PAST', { root: workspace.root })
  const snapshot = call.app.records.snapshots.get(id)
  if (!snapshot?.content) throw new Fault('SNAPSHOT_DROPPED', { id })
  return snapshot
}

/** Runs in the workspace itself, or in a copy of another state that is deleted afterwards. */
async function runIn(
  call: ToolCall,
  workspace: Workspace,
  state: SnapshotRecord | undefined,
  input: { command: string; timeout: number },
): Promise<RunOutcome & { dir: string; linked: string[] }> {
  if (state === undefined) return { ...(await run(workspace, workspace.root, input)), dir: workspace.root, linked: [] }
  const dir = makeScratch('timewarp-run-')
  try {
    await materialise(captureContext(call), state, dir, [], false)
    const linked = lendExcluded(workspace, dir, ROOT, DEPTH)
    return { ...(await run(workspace, dir, input)), dir, linked }
  } finally {
    removeScratch(dir)
  }
}

async function run(
  workspace: Workspace,
  cwd: string,
  { command, timeout }: { command: string; timeout: number },
): Promise<RunOutcome> {
  const ran = await runShell(command, { cwd, timeoutMs: timeout * 1000, tailBytes: TAIL_BYTES }).catch(
    (error: unknown) => {
      throw new Fault('SHELL_FAILED', { command, problem: error instanceof Error ? error.message : String(error) })
    },
  )
  const text = redactorOf(workspace)(ran.tail.toString())
  return {
    exit_code: ran.timedOut ? null : ran.exit,
    timed_out: ran.timedOut,
    duration_ms: Math.round(ran.durationMs),
    output: ran.cut ? `…${text}` : text,
  }
}

const DEPTH = 3

/**
 * Links what is not captured, such as installed dependencies, into the copy: without it hardly any command would run.
 */
function lendExcluded(workspace: Workspace, dir: string, folder: RelPath, depth: number): RelPath[] {
  const rules = new Rules(workspace.rules)
  const linked: RelPath[] = []
  for (const name of readNames(join(workspace.root, folder))) {
    const path = joinPath(folder, name)
    if (name === '.git' || name === '.timewarp' || !lstat(join(workspace.root, path))?.isDirectory()) continue
    const isThere = lstat(join(dir, path)) !== undefined
    if (rules.excludes(path, true)) {
      if (isThere) continue
      makeLink(join(workspace.root, path), join(dir, path))
      linked.push(path)
    } else if (isThere && depth > 1) linked.push(...lendExcluded(workspace, dir, path, depth - 1))
  }
  return linked
}

async function writeDownRuns(
  call: ToolCall,
  workspace: Workspace,
  issue: IssueRecord,
  command: string,
  results: readonly (RunOutcome & { where: Where })[],
): Promise<void> {
  const ctx = captureContext(call)
  const said = redactorOf(workspace)(command)
  changeIssue(ctx, issue.id, (now, batch) => {
    const text = textOf(ctx, now.tree, EXPERIMENT_FILE).toString()
    const runs = results.map(({ where, ...ran }) => ({ where, ran }))
    return withText(ctx, batch, now, EXPERIMENT_FILE, Buffer.from(withRun(text, said, ctx.clock.now(), runs)))
  })
  await settleIssues(ctx, workspace)
}

export const experimentList = handler(ExperimentList, async (call, input) => {
  const workspace = requireWorkspace(call, input)
  await recoverFirst(call, workspace)
  const issue = input.issue_id === undefined ? undefined : findIssue(call.app, workspace, input.issue_id).id
  const all = call.app.records.travels.all(workspace.id)
  return {
    experiments: all
      .filter(({ issue_id }) => issue === undefined || issue_id === issue)
      .map((journey) => ({
        guard_token: journey.id,
        state: journey.state,
        snapshot_id: journey.snapshot_id,
        issue_id: journey.issue_id,
        dir: journey.dir ?? workspace.root,
        backup_path: journey.backup_id,
        experiment_id: journey.experiment_id,
        entered_at: iso(journey.entered_at),
        ended_at: journey.ended_at === null ? null : iso(journey.ended_at),
      })),
  }
})
