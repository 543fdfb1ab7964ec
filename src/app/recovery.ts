import { Fault, isFault } from '../base/fault.ts'
import { count } from '../base/text.ts'
import { translateError } from '../host/faults.ts'
import { lstat } from '../host/files/fs.ts'
import type { Journal } from '../records/journals.ts'
import type { WorkspaceRecord } from '../records/workspaces.ts'
import { untilFree } from '../timeline/capture/capture.ts'
import { finishInterrupted } from '../timeline/restore/recover.ts'
import type { Receipt } from '../timeline/restore/restore-request.ts'
import type { Workspace } from '../timeline/workspace/workspace.ts'
import { refuseBlocked } from '../travel/journeys/away.ts'
import type { ToolCall } from './handler.ts'
import { captureContext, findWorkspace } from './workspace-lookup.ts'

/**
 * Finishes what a crash interrupted, before anything else reads the workspace, and brings `.timewarp` up to date. If
 * another process is finishing it already, this waits for that process.
 */
export async function recoverFirst(call: ToolCall, workspace: Workspace): Promise<string[]> {
  // Nothing can be finished on a read-only store, but it can be read.
  if (call.app.isReadOnly) return []
  const told = await finishJournals(call, workspace)
  if (!call.app.records.hasWork(workspace.id)) return told
  const { finishJourneys } = await import('../travel/journeys/finish-journeys.ts')
  return [...told, ...(await finishJourneys(captureContext(call), workspace))]
}

/**
 * Finishes what a crash interrupted before any tool answers; returns the sentences to report. It does not wait for
 * other processes. What cannot be finished now, on a full or read-only disk for instance, is only reported. If nothing
 * was interrupted, it costs one query of an empty table.
 */
export async function recoverBefore(call: ToolCall, input: Record<string, unknown>): Promise<string[]> {
  if (!call.app.exists) return []
  const { journals, travels } = call.app.records
  if (journals.isEmpty || call.app.isReadOnly) return []
  const record = knownWorkspace(call, input['workspace'])
  const cutShort = record === undefined ? [] : journals.abandoned(record.id)
  if (record === undefined || cutShort.length === 0 || !lstat(record.root)?.isDirectory()) return []
  const told: string[] = []
  try {
    const [ctx, workspace] = [captureContext(call), call.app.workspace(record)]
    for (const journal of cutShort) {
      const outcome = await finishInterrupted(ctx, workspace, journal)
      if (outcome !== 'done') told.push(account(journal, outcome))
    }
    if (travels.current(record.id) !== undefined)
      await (await import('../travel/journeys/travel.ts')).finishAfterCrash(ctx, workspace)
  } catch (error) {
    const fault = translateError(error, record.root)
    if (!(fault instanceof Fault)) throw fault
    told.push(`a ${cutShort[0]?.plan.act} was cut short and is not finished yet: ${fault.message}`)
  }
  return told
}

function knownWorkspace(call: ToolCall, workspace: unknown): WorkspaceRecord | undefined {
  try {
    return findWorkspace(call, typeof workspace === 'string' ? { workspace } : {})
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}

/** As `recoverFirst`, but leaves `.timewarp` to a later call, because an agent is waiting. */
export async function recoverQuickly(call: ToolCall, workspace: Workspace): Promise<void> {
  if (call.app.isReadOnly) return
  await finishJournals(call, workspace)
  if (call.app.records.travels.current(workspace.id) === undefined) return
  const { finishAfterCrash } = await import('../travel/journeys/travel.ts')
  await finishAfterCrash(captureContext(call), workspace)
}

/** Refuses to write until a person has acknowledged how the present differs from what it was before a journey. */
export function refuseWhenBlocked(call: ToolCall, workspace: Workspace): void {
  refuseBlocked(call.app.records.travels.current(workspace.id))
}

async function finishJournals(call: ToolCall, workspace: Workspace): Promise<string[]> {
  const told: string[] = []
  for (;;) {
    const [journal] = call.app.records.journals.abandoned(workspace.id)
    if (journal === undefined) return told
    await untilFree(captureContext(call), workspace)
    const outcome = await carryOnOrYield(call, workspace, journal)
    if (outcome !== 'done') told.push(account(journal, outcome))
  }
}

async function carryOnOrYield(
  call: ToolCall,
  workspace: Workspace,
  journal: Journal,
): Promise<Awaited<ReturnType<typeof finishInterrupted>>> {
  try {
    return await finishInterrupted(captureContext(call), workspace, journal)
  } catch (error) {
    if (isFault(error, 'WORKSPACE_BUSY')) return 'done'
    throw error
  }
}

function account({ plan }: Journal, outcome: Receipt | 'back' | 'lost'): string {
  const before = `the state before it: ${plan.backup}`
  if (outcome === 'back' || (plan.act === 'recover' && outcome !== 'lost'))
    return `a change that was interrupted and could not be finished as a whole has been taken back; ${before}`
  if (outcome === 'lost') return `a ${plan.act} that was interrupted could not be finished; ${before}`
  const alone = outcome.skipped.length + outcome.conflicts.length
  return (
    `a ${plan.act} that was interrupted has been finished: ${count(outcome.restored.length, 'path')} restored, ` +
    `${outcome.deleted.length} deleted, ${alone} left alone; ${before}`
  )
}
