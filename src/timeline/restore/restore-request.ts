import type { JournalPlan } from '../../records/journals.ts'
import type { SnapshotRecord } from '../../records/snapshot-record.ts'
import type { Cause, Source } from '../../schema/cause.ts'
import type { RelPath } from '../../schema/path.ts'
import type { Batch } from '../../store/object-store.ts'
import { capture } from '../capture/capture.ts'
import { Trees } from '../capture/trees.ts'
import type { Captured, CaptureRequest } from '../capture/types.ts'
import type { CaptureContext } from '../scan/context.ts'
import type { Workspace } from '../workspace/workspace.ts'
import type { WriteRefusal } from './put-checks.ts'
import { deletedPaths, type RestorePlan, restoredPaths } from './restore-plan.ts'
import { pathsAtRisk } from './restore-scope.ts'

export interface RestoreRequest {
  readonly act: JournalPlan['act']
  /** The state to restore. */
  readonly target: SnapshotRecord
  /** The snapshot that is restored, undone or redone; undefined: the backup of this act. */
  readonly of: string | undefined
  readonly paths: readonly RelPath[]
  readonly session_id?: string | undefined
  /** If one path is refused, the whole act fails: the caller undoes it. */
  readonly allOrNone?: boolean
  /** When the work began (`performance.now`), if that was before this act. */
  readonly started?: number
  /** The batch in which the caller has stored the target state; the snapshot after it goes into the same batch. */
  readonly batch?: Batch
  /** Source, cause and label of the snapshot after the act, if they are not those of a restore. */
  readonly after?: JournalPlan['after']
  /**
   * Runs in the transaction that opens the journal, with the backup: from then on the act is finished even after a
   * crash.
   */
  readonly along?: (backup: Captured) => void
}

export interface Receipt {
  readonly target: string
  readonly backup: SnapshotRecord | undefined
  readonly after: SnapshotRecord | undefined
  readonly restored: readonly RelPath[]
  readonly deleted: readonly RelPath[]
  readonly skipped: readonly { path: RelPath; reason: string }[]
  readonly conflicts: readonly { path: RelPath; reason: string }[]
  readonly warnings: readonly string[]
}

/** Captures the state before an act. `act` is the act recorded in its cause: a recovery records its own. */
export const captureBackup = (
  ctx: CaptureContext,
  workspace: Workspace,
  request: RestoreRequest,
  act: Cause['act'] = actOf(request),
): Promise<Captured> => {
  const trees = new Trees(ctx.store.reader)
  return capture(ctx, workspace, {
    source: sourceOf(request),
    label: act === 'return' ? 'experiment' : `pre-${request.act}-backup`,
    cause: { role: 'backup', act, ...idsOf(request) },
    always: true,
    passing: true,
    inAct: true,
    ...(ctx.live ? { also: pathsAtRisk(ctx, trees, workspace.id, request.target, request.paths), trees } : {}),
  })
}

const idsOf = ({ of, session_id }: RestoreRequest): { of?: string; session_id?: string } => ({
  ...(of ? { of } : {}),
  ...(session_id ? { session_id } : {}),
})

/**
 * Captures the state after an act. Only what the act changed is scanned again: the rest is as the backup's scan just
 * saw it.
 */
export const captureAfter = (
  ctx: CaptureContext,
  workspace: Workspace,
  request: RestoreRequest,
  backup: SnapshotRecord,
  only: CaptureRequest['only'] & object,
): Promise<Captured> =>
  capture(ctx, workspace, {
    ...(request.after ?? { source: sourceOf(request), label: request.act, cause: causeOf(request, backup) }),
    always: true,
    inAct: true,
    started: request.started,
    batch: request.batch,
    only,
  })

/** An edit is recorded as a change, not as an act. */
const actOf = ({ act }: RestoreRequest): Cause['act'] => (act === 'edit' ? undefined : act)

const sourceOf = ({ act }: RestoreRequest): Source => (act === 'travel' || act === 'return' ? 'travel' : 'restore')

const causeOf = (request: RestoreRequest, backup: SnapshotRecord): Cause => ({
  role: 'act',
  act: actOf(request),
  backup: backup.id,
  ...idsOf(request),
})

/** The receipt of a plan that was carried out, or of a preview. */
export function receiptOf(
  request: RestoreRequest,
  plan: RestorePlan,
  refusals: readonly WriteRefusal[],
  backup: SnapshotRecord | undefined,
  after: SnapshotRecord | undefined,
  warnings: readonly string[],
): Receipt {
  const refused = new Set(refusals.map(({ path }) => path))
  const done = (path: RelPath): boolean => !refused.has(path)
  const pick = (changed: boolean) =>
    refusals.filter(({ why }) => (why === 'changed') === changed).map(({ path, reason }) => ({ path, reason }))
  return {
    target: request.target.id,
    backup,
    after,
    restored: restoredPaths(plan).filter(done),
    deleted: deletedPaths(plan).filter(done),
    skipped: [...plan.skipped, ...pick(false)],
    conflicts: pick(true),
    warnings,
  }
}
