import { join } from 'node:path'
import { Fault, isFault } from '../base/fault.ts'
import { outPath } from '../base/quote.ts'
import { giveBack, translateError } from '../host/faults.ts'
import { lstat, makeDirs, newStamp, readNames, removeDir, type Stamp } from '../host/fs.ts'
import { point } from '../host/points.ts'
import type { JournalPlan } from '../records/journals.ts'
import type { SnapshotRecord } from '../records/snapshots.ts'
import type { Cause, Source } from '../schema/cause.ts'
import { foldersAbove, type RelPath, ROOT } from '../schema/path.ts'
import type { Batch } from '../store/object-store.ts'
import { capture, leaseName } from './capture.ts'
import { type Places, placesOf } from './places.ts'
import { preview } from './preview.ts'
import type { Captured, CaptureRequest, CaptureRoom } from './publish.ts'
import type { Refusal } from './put-file.ts'
import { applyPlan, type WriteSetup } from './restore-apply.ts'
import { deletedPaths, type RestorePlan, restoredPaths } from './restore-plan.ts'
import { atStake, expectations, planFor } from './restore-scope.ts'
import { sweepAside } from './sweep-aside.ts'
import { Trees } from './trees.ts'
import type { Workspace } from './workspace.ts'

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

/** Shows what a restore would do. Changes nothing, stores nothing. */
export async function previewRestore(
  room: CaptureRoom,
  workspace: Workspace,
  request: RestoreRequest,
): Promise<Receipt> {
  const present = await preview(room, workspace)
  const trees = present.trees
  const plan = planFor(trees, workspace, request.target, request.paths, present.assembled)
  return receiptOf(request, plan, [], undefined, undefined, [])
}

/**
 * Brings the workspace, or some paths of it, to the state of a snapshot.
 *
 * First the present is captured and made durable; then the journal says what is about to happen;
 * then files change. If the process dies, `carryOn` does the rest.
 */
export async function restore(
  room: CaptureRoom,
  workspace: Workspace,
  act: JournalPlan['act'],
  choose: () => Promise<RestoreRequest>,
): Promise<Receipt> {
  return room.records.leases.during(leaseName(workspace.id), act, workspace.root, async () => {
    // Chosen under the lease: what is to be undone may be something else once another act is done.
    const request = await choose()
    const hold = `hold:${request.target.id}:${Math.floor(room.clock.random() * 1e12)}`
    room.records.holds.hold(hold, [request.target.id])
    try {
      return await restoreHeld(room, workspace, request)
    } finally {
      room.records.holds.release(hold)
    }
  })
}

async function restoreHeld(room: CaptureRoom, workspace: Workspace, request: RestoreRequest): Promise<Receipt> {
  const syncing = room.store.beginSync()
  const backup = await captureBackup(room, workspace, request)
  const synced = room.store.synced(syncing)
  const plan = await planMeanwhile(room, workspace, request, backup, synced)
  const tellSynced = await synced
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
  room.records.journals.open(id, workspace.id, journal, room.clock.now(), () => {
    tellSynced()
    room.records.workspaces.countAct(workspace.id)
    request.along?.(backup)
  })
  point('restore:journal')
  try {
    const receipt = await perform(room, workspace, { ...request, of }, plan, backup, backup.snapshot)
    closeJournal(room, workspace, id)
    return receipt
  } catch (error) {
    // A death keeps the journal and is carried on; a failure that can be told is told, with the way back.
    closeJournal(room, workspace, id)
    throw failed(backup.snapshot.id, translateError(error, workspace.root))
  }
}

/** While the disk works it is decided what must happen, and what has to be written is unpacked. */
async function planMeanwhile(
  room: CaptureRoom,
  workspace: Workspace,
  request: RestoreRequest,
  backup: Captured,
  synced: Promise<unknown>,
): Promise<RestorePlan> {
  try {
    const plan = planFor(backup.trees, workspace, request.target, request.paths, backup.assembled)
    room.store.reader.prepare(plan.write.map(({ entry }) => entry.hash))
    return plan
  } catch (error) {
    await synced
    throw failed(backup.snapshot.id, translateError(error, workspace.root))
  }
}

/** If the disk is too full even for that, the journal is carried on after this process has ended. */
export function closeJournal(room: CaptureRoom, workspace: Workspace, id: string): void {
  giveBack(() =>
    room.records.db.write(() => {
      room.records.journals.close(id)
      room.records.workspaces.countAct(workspace.id)
    }),
  )
}

/** `act` is what the state before is said to be before: a recovery has its own. */
export const captureBackup = (
  room: CaptureRoom,
  workspace: Workspace,
  request: RestoreRequest,
  act: Cause['act'] = actOf(request),
): Promise<Captured> => {
  const trees = new Trees(room.store.reader)
  return capture(room, workspace, {
    source: sourceOf(request),
    label: act === 'return' ? 'experiment' : `pre-${request.act}-backup`,
    cause: { role: 'backup', act, ...idsOf(request) },
    always: true,
    passing: true,
    inAct: true,
    ...(room.live ? { also: atStake(room, trees, workspace.id, request.target, request.paths), trees } : {}),
  })
}

const idsOf = ({ of, session_id }: RestoreRequest): { of?: string; session_id?: string } => ({
  ...(of ? { of } : {}),
  ...(session_id ? { session_id } : {}),
})

export async function perform(
  room: CaptureRoom,
  workspace: Workspace,
  request: RestoreRequest,
  plan: RestorePlan,
  present: Captured,
  backup: SnapshotRecord,
): Promise<Receipt> {
  const aside = asideFolder(workspace)
  makeDirs(aside, 0o700)
  let refusals: Refusal[]
  let swept: Swept | undefined
  try {
    refusals = await applyPlan(
      {
        store: room.store,
        setup: writeSetup(room, workspace.root, aside, backup.id, false),
        expected: expectations(present.assembled),
        progress: (done, total) => room.progress('Restoring', done, total),
      },
      plan,
    )
  } finally {
    swept = sweep(room, workspace, aside, request)
  }
  point('restore:applied')
  const damaged = refusals.filter(({ why }) => why === 'damaged')
  if (request.allOrNone && damaged.length === 0) refuseHalf(refusals)
  if (request.allOrNone && damaged.length > 0) throw damageFound(backup.id, damaged)
  const written = new Map(plan.write.map(({ path, entry }) => [path, entry]))
  for (const { path } of refusals) written.delete(path)
  const touched = touchedPlaces(plan)
  const after = await captureAfter(room, workspace, request, backup, {
    folders: [...touched.keys()],
    names: (path) => touched.get(path),
    since: present.since,
    put: { written: (path) => written.get(path), stamp: swept.stamp },
  })
  point('restore:recorded')
  if (damaged.length > 0) throw damageFound(backup.id, damaged)
  const kept = swept.rescued.map(
    (path) => `somebody was writing to a file that had to make way; what it held is in ${path}`,
  )
  return receiptOf(request, plan, refusals, backup, after.snapshot, [...present.warnings, ...kept])
}

interface Swept {
  readonly rescued: readonly string[]
  /** What the disk stamps a change with after all that was done. */
  readonly stamp: Stamp | undefined
}

/** After an edit, and in a daemon, the folder stays, empty: more acts follow, and some disks take long to give one back. */
function sweep(room: CaptureRoom, workspace: Workspace, aside: string, { allOrNone }: RestoreRequest): Swept {
  const rescued = sweepAside(room.store, workspace.root, aside)
  const stamp = newStamp(aside)
  if (!allOrNone && room.live === undefined) removeDir(aside)
  return { rescued, stamp }
}

/** Of what must be done as a whole nothing may be left out. */
export function refuseHalf([first]: readonly { path: RelPath; reason: string }[]): void {
  if (first) throw new Fault('EDIT_STUCK', { path: outPath(first.path), reason: first.reason })
}

/** Outside every capture and every restore, on the workspace's own disk. */
export const asideFolder = (workspace: { root: string }): string => join(workspace.root, '.timewarp', 'aside')

export const writeSetup = (
  room: CaptureRoom,
  root: string,
  aside: string,
  tag: string,
  fresh: boolean,
): WriteSetup => ({
  ...{ root, aside, tag, fresh },
  umask: process.umask(),
  db: room.records.db.path,
  objects: room.store.dir,
})

/** Only what the restore touched is looked at again: the rest is as the backup saw it a moment ago. */
const captureAfter = (
  room: CaptureRoom,
  workspace: Workspace,
  request: RestoreRequest,
  backup: SnapshotRecord,
  only: CaptureRequest['only'] & object,
): Promise<Captured> =>
  capture(room, workspace, {
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

/** What the plan touches, and the way to it: a folder that is no longer one hides what was below it. */
function touchedPlaces(plan: RestorePlan): Places {
  const files = [...plan.remove, ...plan.write.map((w) => w.path), ...plan.touch.map((t) => t.path)]
  const folders = [...plan.makeFolders, ...plan.removeFolders]
  const paths = [...files, ...folders, ...plan.settle.map((s) => s.path)]
  const places = new Map(placesOf(new Set([...paths, ...paths.flatMap(foldersAbove)])))
  for (const { path } of plan.settle) if (!places.has(path)) places.set(path, ITSELF)
  if (!places.has(ROOT)) places.set(ROOT, ITSELF)
  // What came or was to go is looked at as a whole.
  for (const path of folders) places.set(path, undefined)
  return places
}

const ITSELF: ReadonlySet<string> = new Set([''])

/** Whatever goes wrong after the backup says how to get back to it. */
function failed(backup_id: string, error: unknown): unknown {
  if (!(error instanceof Error) || isFault(error, 'RESTORE_FAILED') || isFault(error, 'RESTORE_DAMAGED')) return error
  const damage = isFault(error, 'OBJECT_DAMAGED') || isFault(error, 'OBJECT_MISSING')
  if (damage) return new Fault('RESTORE_DAMAGED', { backup_id, paths: [error.message] }, { cause: error })
  return new Fault('RESTORE_FAILED', { backup_id, problem: error.message }, { cause: error })
}

const damageFound = (backup_id: string, damaged: readonly Refusal[]): Fault =>
  new Fault('RESTORE_DAMAGED', {
    backup_id,
    paths: damaged.map(({ path }) => outPath(path)),
  })

function receiptOf(
  request: RestoreRequest,
  plan: RestorePlan,
  refusals: readonly Refusal[],
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
    ...{ backup, after },
    restored: restoredPaths(plan).filter(done),
    deleted: deletedPaths(plan).filter(done),
    skipped: [...plan.skipped, ...pick(false)],
    conflicts: pick(true),
    warnings,
  }
}

/** Whether a folder exists and holds nothing. */
export const isEmptyFolder = (dir: string): boolean => lstat(dir)?.isDirectory() === true && readNames(dir).length === 0
