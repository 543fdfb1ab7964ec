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
  /** The state to go to. */
  readonly target: SnapshotRecord
  /** What is restored, undone or redone; undefined: what the backup of this very act captures. */
  readonly of: string | undefined
  readonly paths: readonly RelPath[]
  readonly session_id?: string | undefined
  /** Where one path refuses, all fail: the caller goes back. */
  readonly allOrNone?: boolean
  /** When the work began (`performance.now`), where it was before this. */
  readonly started?: number
  /** Where the caller has stored the state to go to: the record of it goes there, too. */
  readonly batch?: Batch
  /** What is said of the state afterwards, where it is not simply that of a restore. */
  readonly after?: JournalPlan['after']
  /** Happens in the transaction that opens the journal, with the state before: from then on the act is carried on. */
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

/** `act` is what the state before is said to be before: a recovery has its own. */
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

/** Only what the restore touched is looked at again: the rest is as the backup saw it a moment ago. */
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

/** An edit is somebody's work, not an act of going somewhere. */
const actOf = ({ act }: RestoreRequest): Cause['act'] => (act === 'edit' ? undefined : act)

const sourceOf = ({ act }: RestoreRequest): Source => (act === 'travel' || act === 'return' ? 'travel' : 'restore')

const causeOf = (request: RestoreRequest, backup: SnapshotRecord): Cause => ({
  role: 'act',
  act: actOf(request),
  backup: backup.id,
  ...idsOf(request),
})

/** What is answered of a plan that was carried out, or is shown. */
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
