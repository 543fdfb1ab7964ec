import { handler, type ToolCall } from '../../app/handler.ts'
import { recoverFirst } from '../../app/recovery.ts'
import {
  captureContext,
  findSnapshotOfWorkspace,
  recreateWorkspace,
  requireWorkspace,
} from '../../app/workspace-lookup.ts'
import { Fault } from '../../base/fault.ts'
import { outPath } from '../../base/quote.ts'
import { Acknowledge, Return, Travel } from '../../protocol/travel.ts'
import type { SnapshotRecord } from '../../records/snapshot-record.ts'
import type { Receipt } from '../../timeline/restore/restore-request.ts'
import type { Workspace } from '../../timeline/workspace/workspace.ts'
import { findIssue } from '../../travel/issues/issues.ts'
import { lockFilesIn } from '../../travel/journeys/lock-files.ts'
import { writeStateFile } from '../../travel/journeys/state-file.ts'
import { acknowledge as accept, depart, returnToPresent } from '../../travel/journeys/travel.ts'
import { experimentFields, journeyFields, remarks } from './journey.ts'
import { endInto, goInto } from './travel-into.ts'

const left = (paths: Receipt['skipped']) => paths.map(({ path, reason }) => ({ path: outPath(path), reason }))

export const travel = handler(Travel, async (call, input) => {
  const workspace = recreateWorkspace(call, input)
  const recovered = await recoverFirst(call, workspace)
  const { target, issue_id } = destination(call, workspace, input)
  const where = { target, issue_id, session_id: input.session_id }
  if (input.into !== undefined) {
    const gone = await goInto(call, workspace, input.into, where)
    return { ...gone, warnings: [...recovered, ...gone.warnings] }
  }
  try {
    const { travel: journey, receipt } = await depart(captureContext(call), workspace, where)
    const locks = lockFilesIn([...receipt.restored, ...receipt.deleted])
    return {
      mode: 'past' as const,
      ...journeyFields(journey, workspace.root),
      restored: receipt.restored.map(outPath),
      deleted: receipt.deleted.map(outPath),
      skipped: left(receipt.skipped),
      conflicts: left(receipt.conflicts),
      lock_files: locks.map(outPath),
      warnings: [...recovered, ...receipt.warnings, ...remarks(call, locks.map(outPath), target)],
    }
  } finally {
    writeStateFile(call.app.records, workspace)
  }
})

/** A snapshot, or the snapshot of an issue; `snapshot_id` may name either. */
function destination(
  call: ToolCall,
  workspace: Workspace,
  input: { snapshot_id?: string | undefined; issue_id?: string | undefined },
): { target: SnapshotRecord; issue_id: string | undefined } {
  const word = input.snapshot_id?.startsWith('i_') ? input.snapshot_id : undefined
  const issue_id = input.issue_id ?? word
  if (issue_id !== undefined) {
    const issue = findIssue(call.app, workspace, issue_id)
    const named = word === undefined ? input.snapshot_id : undefined
    return { target: findSnapshotOfWorkspace(call, workspace, named ?? issue.snapshot_id), issue_id: issue.id }
  }
  if (input.snapshot_id === undefined)
    throw new Fault('BAD_INPUT', { problem: 'Say where to go: a snapshot or an issue.', command: 'travel' })
  return { target: findSnapshotOfWorkspace(call, workspace, input.snapshot_id), issue_id: undefined }
}

export const comeBack = handler(Return, async (call, input) => {
  if (input.into !== undefined) return endInto(call, input.into, input)
  const workspace = recreateWorkspace(call, input)
  const recovered = await recoverFirst(call, workspace)
  try {
    const { travel: journey, receipt } = await returnToPresent(captureContext(call), workspace, input.session_id)
    return {
      mode: 'present' as const,
      verified: journey.state === 'ended',
      differences: [...journey.problems],
      ...experimentFields(call, journey, workspace.root),
      dir: workspace.root,
      restored: receipt.restored.map(outPath),
      deleted: receipt.deleted.map(outPath),
      skipped: left(receipt.skipped),
      conflicts: left(receipt.conflicts),
      warnings: [...recovered, ...receipt.warnings],
    }
  } finally {
    writeStateFile(call.app.records, workspace)
  }
})

export const acknowledge = handler(Acknowledge, async (call, input) => {
  const workspace = requireWorkspace(call, input)
  await recoverFirst(call, workspace)
  const journey = accept(captureContext(call), workspace)
  writeStateFile(call.app.records, workspace)
  return {
    ok: true as const,
    already: journey === undefined,
    differences: [...(journey?.problems ?? [])],
    backup_path: journey?.backup_id ?? null,
  }
})
