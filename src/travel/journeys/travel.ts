import { asFault, Fault, isFault } from '../../base/fault.ts'
import { outPath } from '../../base/quote.ts'
import { point } from '../../host/points.ts'
import type { SnapshotRecord } from '../../records/snapshot-record.ts'
import type { TravelRecord } from '../../records/travels.ts'
import { makeId } from '../../schema/ids.ts'
import type { RelPath } from '../../schema/path.ts'
import type { Batch } from '../../store/object-store.ts'
import { preview } from '../../timeline/capture/preview.ts'
import { tell, withBatch } from '../../timeline/capture/record-note.ts'
import { unstoppable } from '../../timeline/capture/stop.ts'
import { Trees } from '../../timeline/capture/trees.ts'
import type { Captured } from '../../timeline/capture/types.ts'
import { restore } from '../../timeline/restore/restore.ts'
import type { Receipt } from '../../timeline/restore/restore-request.ts'
import type { CaptureContext } from '../../timeline/scan/context.ts'
import type { Workspace } from '../../timeline/workspace/workspace.ts'
import { refuseBlocked, refuseWhileTravelling } from './away.ts'
import { differencesFrom, fingerprintOf } from './fingerprint.ts'
import { moveTravel } from './machine.ts'

/**
 * Journeys in place: the files of the workspace become those of a past snapshot, and are restored on the return.
 *
 * What must hold at any moment:
 * - the present is a durable snapshot before any of its files is changed, and retention does not delete it;
 * - the row is `departing` or `returning` exactly from the transaction that opens the journal on: after a crash, the
 *   next command finishes the journal, and then makes the state change that the row waits for;
 * - what was changed in the past is a durable snapshot before any of those files is changed.
 */

export interface Destination {
  readonly target: SnapshotRecord
  readonly issue_id?: string | undefined
  readonly session_id?: string | undefined
}

export interface Journey {
  readonly travel: TravelRecord
  readonly receipt: Receipt
}

/** Goes to a past snapshot. If that fails half way, the present is restored. */
export async function depart(ctx: CaptureContext, workspace: Workspace, where: Destination): Promise<Journey> {
  const id = makeId('g', ctx.clock.now(), () => ctx.clock.random())
  const { target, session_id } = where
  const { receipt } = await withBatchAsync(ctx, (batch) =>
    restore(ctx, workspace, 'travel', async () => {
      refuseWhileTravelling(ctx.records, workspace)
      const along = (present: Captured): void => put(ctx, batch, departing(ctx, workspace, id, where, present))
      return { request: { act: 'travel', target, of: target.id, paths: [], session_id, along }, note: undefined }
    }),
  ).catch((error: unknown) => giveUp(ctx, workspace, id, target, error))
  point('travel:there')
  settleJourney(ctx, workspace, receipt.after)
  return { travel: ctx.records.travels.get(id) as TravelRecord, receipt }
}

/** Runs `act` with a batch that stays open while something is awaited. */
async function withBatchAsync<T>(ctx: CaptureContext, act: (batch: Batch) => Promise<T>): Promise<T> {
  const batch = ctx.store.begin()
  try {
    return await act(batch)
  } finally {
    batch.end()
  }
}

function departing(
  ctx: CaptureContext,
  workspace: Workspace,
  id: string,
  { target, issue_id, session_id }: Destination,
  present: Captured,
): TravelRecord {
  return {
    id,
    workspace: workspace.id,
    state: 'departing',
    dir: null,
    place: null,
    snapshot_id: target.id,
    backup_id: present.snapshot.id,
    arrival_id: null,
    experiment_id: null,
    issue_id: issue_id ?? null,
    session_id: session_id ?? null,
    entered_at: ctx.clock.now(),
    ended_at: null,
    problems: [],
    fingerprint: fingerprintOf(present.trees.read, present.snapshot),
    rules: JSON.stringify(workspace.rules),
  }
}

/** Must be called inside a transaction: writes the row, and the note for the packs. */
function put(ctx: CaptureContext, batch: Batch, travel: TravelRecord): void {
  ctx.records.travels.put(travel)
  tell(ctx, batch, { note: 'travel', at: ctx.clock.now(), ...travel })
}

/** Changes the row, as it is inside the transaction, and makes it durable: its journal is closed for good. */
function change(ctx: CaptureContext, id: string, next: (travel: TravelRecord) => TravelRecord): void {
  withBatch(ctx, (batch) =>
    ctx.records.db.writeDurably(() => {
      const travel = ctx.records.travels.get(id)
      if (travel) put(ctx, batch, next(travel))
    }),
  )
}

async function giveUp(
  ctx: CaptureContext,
  workspace: Workspace,
  id: string,
  target: SnapshotRecord,
  error: unknown,
): Promise<never> {
  const travel = ctx.records.travels.get(id)
  if (travel === undefined) throw error
  const failed = { snapshot_id: target.id, backup_id: travel.backup_id ?? '', problem: problemOf(error) }
  const tell = (home: boolean): Fault => new Fault('TRAVEL_FAILED', { ...failed, home }, { cause: error })
  // The journal is still open: the next command recovers from it.
  if (ctx.records.journals.any(workspace.id)) throw tell(false)
  settleJourney(ctx, workspace, undefined)
  if (ctx.records.travels.get(id)?.state === 'ended') throw isFault(error, 'CANCELLED') ? error : tell(true)
  const home = await returnToPresent(unstoppable(ctx), workspace, travel.session_id ?? undefined).then(
    ({ travel: { state } }) => state === 'ended',
    () => false,
  )
  throw tell(home)
}

const problemOf = (error: unknown): string =>
  isFault(error, 'RESTORE_FAILED') ? error.data.problem : asFault(error).message

/**
 * Returns to the present: captures what was done in the past, then restores the present. If that fails half way, the
 * workspace is still in the past, and the return can be tried again.
 */
export async function returnToPresent(
  ctx: CaptureContext,
  workspace: Workspace,
  session_id: string | undefined,
): Promise<Journey> {
  let id = ''
  const { receipt } = await withBatchAsync(ctx, (batch) =>
    restore(ctx, workspace, 'return', async () => {
      const travel = away(ctx, workspace)
      id = travel.id
      const target = presentOf(ctx, travel)
      const along = ({ snapshot }: Captured): void =>
        put(ctx, batch, {
          ...travel,
          state: moveTravel(travel.state, 'leave'),
          // After a failed return, the experiment stays the first state captured; the state now is a mixture of past
          // and present.
          experiment_id: travel.experiment_id ?? snapshot.id,
        })
      return {
        request: { act: 'return', target, of: travel.snapshot_id, paths: [], session_id, along },
        note: undefined,
      }
    }),
  ).catch((error: unknown) => stayAway(ctx, workspace, id, error))
  point('travel:home')
  await settleHome(ctx, workspace, receipt.after)
  return { travel: ctx.records.travels.get(id) as TravelRecord, receipt }
}

function away(ctx: CaptureContext, workspace: Workspace): TravelRecord {
  const travel = ctx.records.travels.current(workspace.id)
  refuseBlocked(travel)
  if (travel === undefined) throw new Fault('NOT_IN_PAST', { root: workspace.root })
  return travel
}

function presentOf(ctx: CaptureContext, { backup_id }: TravelRecord): SnapshotRecord {
  const backup = ctx.records.snapshots.get(backup_id ?? '')
  if (!backup?.content) throw new Fault('SNAPSHOT_DROPPED', { id: backup_id ?? '' })
  return backup
}

async function stayAway(ctx: CaptureContext, workspace: Workspace, id: string, error: unknown): Promise<never> {
  const isDamage = isFault(error, 'RESTORE_DAMAGED')
  if (ctx.records.travels.get(id)?.state !== 'returning') throw error
  if (isDamage) await settleHome(ctx, workspace, undefined)
  else change(ctx, id, (travel) => ({ ...travel, state: moveTravel(travel.state, 'fail') }))
  throw error
}

/** Whether the row waits for a state change that no running process will make: its journal is closed. */
function awaitsMove({ records }: Pick<CaptureContext, 'records'>, workspace: { id: string }): boolean {
  const travel = records.travels.current(workspace.id)
  const isMoving = travel?.state === 'departing' || travel?.state === 'returning'
  return isMoving && !records.journals.any(workspace.id)
}

/** Changes the state after the files have been moved, or as far as they could be. May be called twice. */
export async function finishAfterCrash(ctx: CaptureContext, workspace: Workspace): Promise<void> {
  if (!awaitsMove(ctx, workspace)) return
  if (ctx.records.travels.current(workspace.id)?.state === 'returning') await settleHome(ctx, workspace, undefined)
  else settleJourney(ctx, workspace, undefined)
}

function settleJourney(ctx: CaptureContext, workspace: Workspace, after: SnapshotRecord | undefined): void {
  const current = ctx.records.travels.current(workspace.id)
  if (current?.state !== 'departing') return
  if (after === undefined && wasTakenBack(ctx, current, 'travel')) return stayHome(ctx, current)
  const arrival_id = (after ?? stateAfter(ctx, current, 'travel'))?.id ?? current.snapshot_id
  // No note is needed: the one of the departure and the snapshot of the arrival hold as much for the packs.
  ctx.records.db.writeDurably(() => {
    const travel = ctx.records.travels.get(current.id)
    if (travel?.state === 'departing')
      ctx.records.travels.put({ ...travel, state: moveTravel(travel.state, 'arrive'), arrival_id })
  })
}

async function settleHome(ctx: CaptureContext, workspace: Workspace, after: SnapshotRecord | undefined): Promise<void> {
  const current = ctx.records.travels.current(workspace.id)
  if (current?.state !== 'returning') return
  if (after === undefined && wasTakenBack(ctx, current, 'return'))
    return change(ctx, current.id, (travel) =>
      travel.state === 'returning' ? { ...travel, state: moveTravel(travel.state, 'fail') } : travel,
    )
  const problems = await differences(ctx, workspace, current, after ?? stateAfter(ctx, current, 'return')).catch(
    unknown,
  )
  change(ctx, current.id, (travel) => {
    if (travel.state !== 'returning') return travel
    const state = moveTravel(travel.state, problems.length > 0 ? 'differ' : 'come_home')
    return { ...travel, state, ended_at: ctx.clock.now(), problems: problems.slice(0, 100).map(outPath) }
  })
}

/** If the states cannot be compared because of damage, everything counts as different. */
function unknown(error: unknown): string[] {
  if (error instanceof Fault && (error.kind === 'corrupt' || error.code === 'SNAPSHOT_DROPPED')) return ['.']
  throw error
}

/** The snapshot of the state after the move, which recovery may have taken. */
const stateAfter = (ctx: CaptureContext, travel: TravelRecord, act: 'travel' | 'return'): SnapshotRecord | undefined =>
  lastMove(ctx, travel, act, act)

/** Whether the files could not be moved, and are where they were. */
function wasTakenBack(ctx: CaptureContext, travel: TravelRecord, act: 'travel' | 'return'): boolean {
  const back = lastMove(ctx, travel, act, 'recover')
  return back !== undefined && back.seq > (stateAfter(ctx, travel, act)?.seq ?? 0)
}

/** The newest snapshot of an act whose backup is the one from which this move started. */
const lastMove = (
  ctx: CaptureContext,
  travel: TravelRecord,
  from: 'travel' | 'return',
  act: 'travel' | 'return' | 'recover',
): SnapshotRecord | undefined =>
  ctx.records.snapshots
    .list({ workspace: travel.workspace, source: act === 'recover' ? 'restore' : 'travel' }, 20)
    .find(
      ({ cause }) =>
        cause.role === 'act' &&
        cause.act === act &&
        cause.backup === (from === 'travel' ? travel.backup_id : travel.experiment_id),
    )

/** The journey never began: the files are those of the present. */
const stayHome = (ctx: CaptureContext, { id }: TravelRecord): void =>
  change(ctx, id, (travel) =>
    travel.state === 'departing'
      ? { ...travel, state: moveTravel(travel.state, 'turn_back'), ended_at: ctx.clock.now() }
      : travel,
  )

async function differences(
  ctx: CaptureContext,
  workspace: Workspace,
  travel: TravelRecord,
  after: SnapshotRecord | undefined,
): Promise<RelPath[]> {
  const backup = presentOf(ctx, travel)
  const before = { fingerprint: travel.fingerprint, tree: backup.tree }
  if (after?.content) return differencesFrom(new Trees(ctx.store.reader).read, workspace.root, before, after.tree)
  const { assembled, trees } = await preview(ctx, workspace)
  return differencesFrom(trees.read, workspace.root, before, assembled.tree)
}

/** Records that a person has seen how the present differs. Undefined when nothing is blocked. */
export function acknowledge(ctx: CaptureContext, workspace: Workspace): TravelRecord | undefined {
  const travel = ctx.records.travels.current(workspace.id)
  if (travel?.state !== 'blocked') return undefined
  change(ctx, travel.id, (now) =>
    now.state === 'blocked' ? { ...now, state: moveTravel(now.state, 'acknowledge') } : now,
  )
  return travel
}
