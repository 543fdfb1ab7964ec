import { Fault, isFault } from '../../base/fault.ts'
import { translateError } from '../../host/faults.ts'
import { point } from '../../host/points.ts'
import type { Journal, JournalPlan } from '../../records/journals.ts'
import { leaseName } from '../capture/capture.ts'
import { preview } from '../capture/preview.ts'
import { stopIfAsked } from '../capture/stop.ts'
import type { Captured } from '../capture/types.ts'
import type { CaptureContext } from '../scan/context.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { keepReadable } from './read-back.ts'
import { checkReady } from './readiness.ts'
import { undoInterrupted } from './recover.ts'
import { closeJournal, performRestore } from './restore-perform.ts'
import type { RestorePlan } from './restore-plan.ts'
import { captureBackup, type Receipt, type RestoreRequest, receiptOf } from './restore-request.ts'
import { planFor } from './restore-scope.ts'

/** Shows what a restore would do. Changes nothing, stores nothing. */
export async function previewRestore(
  ctx: CaptureContext,
  workspace: Workspace,
  request: RestoreRequest,
): Promise<Receipt> {
  const present = await preview(ctx, workspace)
  const trees = present.trees
  const plan = planFor(trees, workspace, request.target, request.paths, present.assembled)
  return receiptOf(request, plan, [], undefined, undefined, [])
}

/** The request to carry out, and a note that is passed through to the caller. */
export interface Chosen<Note> {
  readonly request: RestoreRequest
  readonly note: Note
}

/**
 * Restores the workspace, or some paths of it, to the state of a snapshot.
 *
 * First the present is captured and made durable. Then the journal records what is about to happen. Then files change.
 * If the process dies, the next command finishes the restore. If it cannot be finished, for instance because the disk
 * is full, or if the caller cancels it, everything is restored to the state before.
 */
export async function restore<Note>(
  ctx: CaptureContext,
  workspace: Workspace,
  act: JournalPlan['act'],
  choose: () => Promise<Chosen<Note>>,
): Promise<{ readonly receipt: Receipt; readonly note: Note }> {
  return ctx.records.leases.during(leaseName(workspace.id), act, workspace.root, async () => {
    // Chosen under the lease: another act may have changed what there is to undo.
    const { request, note } = await choose()
    const hold = `hold:${request.target.id}:${Math.floor(ctx.clock.random() * 1e12)}`
    ctx.records.holds.hold(hold, [request.target.id])
    try {
      return { receipt: await restoreHeld(ctx, workspace, request), note }
    } finally {
      ctx.records.holds.release(hold)
    }
  })
}

async function restoreHeld(ctx: CaptureContext, workspace: Workspace, request: RestoreRequest): Promise<Receipt> {
  const syncing = ctx.store.beginSync()
  const backup = await captureBackup(ctx, workspace, request)
  const synced = ctx.store.synced(syncing)
  const plan = await planMeanwhile(ctx, workspace, request, backup, synced)
  const tellSynced = await synced
  stopIfAsked(ctx)
  checkReady(workspace.root)
  const id = `j_${backup.snapshot.id}`
  const { act, target, paths, session_id } = request
  const of = request.of ?? backup.snapshot.id
  const journal: JournalPlan = {
    act,
    of,
    target: target.id,
    backup: backup.snapshot.id,
    paths,
    ...(session_id ? { session_id } : {}),
  }
  ctx.records.journals.open(id, workspace.id, journal, ctx.clock.now(), () => {
    tellSynced()
    ctx.records.workspaces.countAct(workspace.id)
    request.along?.(backup)
  })
  point('restore:journal')
  try {
    const receipt = await performRestore(ctx, {
      workspace,
      request: { ...request, of },
      plan,
      present: backup,
      backup: backup.snapshot,
    })
    closeJournal(ctx, workspace, id)
    return receipt
  } catch (error) {
    throw await undone(ctx, workspace, { id, plan: journal }, translateError(error, workspace.root))
  }
}

/** While the disk syncs, makes the plan, reads back what will be replaced, and decompresses what will be written. */
async function planMeanwhile(
  ctx: CaptureContext,
  workspace: Workspace,
  request: RestoreRequest,
  backup: Captured,
  synced: Promise<unknown>,
): Promise<RestorePlan> {
  try {
    const plan = planFor(backup.trees, workspace, request.target, request.paths, backup.assembled)
    const safe = keepReadable(ctx, workspace, plan, backup)
    ctx.store.reader.prepare(safe.write.map(({ entry }) => entry.hash))
    return safe
  } catch (error) {
    await synced
    throw failed(backup.snapshot.id, translateError(error, workspace.root))
  }
}

/** Undoes what was done before a failure, and returns the fault to throw. Damage is not undone: it would fail again. */
async function undone(
  ctx: CaptureContext,
  workspace: Workspace,
  journal: Pick<Journal, 'id' | 'plan'>,
  error: unknown,
): Promise<unknown> {
  const { backup } = journal.plan
  if (isDamage(error) || isFault(error, 'ROOT_REPLACED')) {
    closeJournal(ctx, workspace, journal.id)
    return failed(backup, error)
  }
  const problem = await undoInterrupted(ctx, workspace, journal)
  if (problem === undefined) return failed(backup, error)
  return new Fault('RESTORE_FAILED', { backup_id: backup, problem, is_back: false }, { cause: error })
}

const isDamage = (error: unknown): error is Fault =>
  isFault(error, 'RESTORE_DAMAGED') || isFault(error, 'OBJECT_DAMAGED') || isFault(error, 'OBJECT_MISSING')

/** The fault for a failure after the backup, while the files are unchanged or restored. */
function failed(backup_id: string, error: unknown): unknown {
  if (
    !(error instanceof Error) ||
    isFault(error, 'CANCELLED') ||
    isFault(error, 'RESTORE_DAMAGED') ||
    isFault(error, 'ROOT_REPLACED')
  )
    return error
  if (isDamage(error)) return new Fault('RESTORE_DAMAGED', { backup_id, paths: [error.message] }, { cause: error })
  return new Fault('RESTORE_FAILED', { backup_id, problem: error.message, is_back: true }, { cause: error })
}
