import { actorOf } from '../../app/actor.ts'
import { handler, type ToolCall } from '../../app/handler.ts'
import { recoverFirst } from '../../app/recovery.ts'
import { captureContext, requireWorkspace, withinOf } from '../../app/workspace-lookup.ts'
import { Fault } from '../../base/fault.ts'
import { outPath } from '../../base/quote.ts'
import { type FileChange, writeDiff } from '../../diff/unified.ts'
import { fileChange } from '../../edits/file-change.ts'
import { mergeForReversal } from '../../edits/merge-reversal.ts'
import type { Reversal } from '../../edits/reverse-plan.ts'
import { ExperimentReplay } from '../../protocol/experiments.ts'
import type { SnapshotRecord } from '../../records/snapshot-record.ts'
import type { TravelRecord } from '../../records/travels.ts'
import { change, type Decide, type Outcome, previewChange } from '../../timeline/restore/change.ts'
import { type ScanScope, scopeOf } from '../../timeline/scan/scan-scope.ts'
import type { Workspace } from '../../timeline/workspace/workspace.ts'
import { findIssue } from '../../travel/issues/issues.ts'
import { refuseWhileTravelling } from '../../travel/journeys/away.ts'
import { planReplay } from '../../travel/journeys/replay-plan.ts'
import { diffFields } from '../diff-text.ts'
import { affectedBy, editsBetween, stateIn, wishesOf } from './recorded-edits.ts'

export const experimentReplay = handler(ExperimentReplay, async (call, input) => {
  const paths = withinOf(input.paths)
  const workspace = requireWorkspace(call, input)
  const warnings = await recoverFirst(call, workspace)
  refuseWhileTravelling(call.app.records, workspace)
  const { arrival, experiment } = endsOf(call, experimentMeant(call, workspace, input))
  const doing = editsBetween(call, arrival, experiment, paths)
  const decide: Decide<Planned> = (present) => {
    const state = stateIn(present)
    const replay = planReplay(doing, state, mergeForReversal, input.force)
    const changes = [...replay.wishes].map(([path, wish]) => fileChange(path, state.read(path), wish))
    const wishes = replay.clashes.length > 0 && !input.force ? [] : wishesOf(replay)
    return { wishes: wishes.length === 0 ? undefined : wishes, detail: { replay, changes } }
  }
  const also = scopeOf(doing.did.map(({ path }) => path))
  const { detail: planned, changed } = await carryOut(call, workspace, input, experiment.id, decide, also)
  return {
    experiment_id: experiment.id,
    affected_files: affectedBy(planned.replay),
    ...diffFields(writeDiff(planned.changes, 'git')),
    conflicts: planned.replay.clashes.map(({ path, id: _id, ...rest }) => ({ path: outPath(path), ...rest })),
    base_id: changed?.before.id ?? null,
    new_snapshot_id: changed?.after.id ?? null,
    warnings,
    dry_run: input.dry_run,
  }
})

interface Planned {
  readonly replay: Reversal
  readonly changes: readonly FileChange[]
}

async function carryOut(
  call: ToolCall,
  workspace: Workspace,
  input: { dry_run: boolean; session_id?: string | undefined },
  of: string,
  decide: Decide<Planned>,
  also: ScanScope,
): Promise<Outcome<Planned>> {
  const ctx = captureContext(call)
  if (input.dry_run) return previewChange(ctx, workspace, decide)
  return change(ctx, workspace, {
    act: 'edit',
    also,
    decide,
    after: {
      source: 'travel',
      label: 'replay',
      cause: { role: 'change', of, tool: ExperimentReplay.name, ...actorOf(call, workspace, input) },
    },
  })
}

/** The journey to replay: by its experiment, or the newest of an issue. */
function experimentMeant(
  call: ToolCall,
  workspace: Workspace,
  input: { issue_id?: string | undefined; experiment_id?: string | undefined },
): TravelRecord {
  const over = call.app.records.travels.all(workspace.id).filter(({ experiment_id }) => experiment_id !== null)
  const word = input.experiment_id
  const issue = input.issue_id ?? (word?.startsWith('i_') ? word : undefined)
  if (issue !== undefined) {
    const { id } = findIssue(call.app, workspace, issue)
    const found = over.findLast(({ issue_id }) => issue_id === id)
    if (found === undefined) throw new Fault('EXPERIMENT_NOT_FOUND', { what: `of ${id}` })
    return found
  }
  const found = over.findLast(({ experiment_id, id }) =>
    word === undefined
      ? true
      : id === word || experiment_id === word || (word.length > 3 && experiment_id?.startsWith(word)),
  )
  if (found === undefined) throw new Fault('EXPERIMENT_NOT_FOUND', { what: word ?? 'at all' })
  return found
}

function endsOf(call: ToolCall, journey: TravelRecord): { arrival: SnapshotRecord; experiment: SnapshotRecord } {
  const find = (id: string | null): SnapshotRecord => {
    const snapshot = call.app.records.snapshots.get(id ?? '')
    if (!snapshot?.content) throw new Fault('SNAPSHOT_DROPPED', { id: id ?? '' })
    return snapshot
  }
  return { arrival: find(journey.arrival_id), experiment: find(journey.experiment_id) }
}
