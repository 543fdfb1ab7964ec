import { join } from 'node:path'
import { Fault } from '../base/fault.ts'
import { outPath } from '../base/quote.ts'
import { translateError } from '../host/faults.ts'
import { lstat, makeDirs, readNames } from '../host/fs.ts'
import { point } from '../host/points.ts'
import type { Journal, JournalPlan } from '../records/journals.ts'
import type { SnapshotRecord } from '../records/snapshots.ts'
import { isWithin, parentOf, type RelPath } from '../schema/path.ts'
import type { Entry } from '../store/tree.ts'
import { type Captured, type CaptureRequest, type CaptureRoom, capture, leaseName } from './capture.ts'
import { findEntry, sameContent } from './compare.ts'
import { preview } from './preview.ts'
import type { Refusal } from './put-file.ts'
import { applyPlan, type WriteSetup } from './restore-apply.ts'
import { deletedPaths, type RestorePlan, restoredPaths } from './restore-plan.ts'
import { expectations, planFor } from './restore-scope.ts'
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
  const backup = await captureBackup(room, workspace, request)
  room.store.sync()
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
  room.records.workspaces.countAct(workspace.id)
  room.records.journals.open(id, workspace.id, journal, room.clock.now())
  point('restore:journal')
  try {
    const trees = new Trees(room.store.reader)
    const plan = planFor(trees, workspace, request.target, request.paths, backup.assembled)
    return await perform(room, workspace, { ...request, of }, plan, backup, backup.snapshot)
  } finally {
    // A death keeps the journal and is carried on; a failure that could be told has been told.
    room.records.journals.close(id)
    room.records.workspaces.countAct(workspace.id)
  }
}

const captureBackup = (room: CaptureRoom, workspace: Workspace, request: RestoreRequest): Promise<Captured> =>
  capture(room, workspace, {
    source: 'restore',
    label: `pre-${request.act}-backup`,
    cause: { role: 'backup', act: request.act, ...idsOf(request) },
    always: true,
    passing: true,
    inAct: true,
  })

const idsOf = ({ of, session_id }: RestoreRequest): { of?: string; session_id?: string } => ({
  ...(of ? { of } : {}),
  ...(session_id ? { session_id } : {}),
})

async function perform(
  room: CaptureRoom,
  workspace: Workspace,
  request: RestoreRequest,
  plan: RestorePlan,
  present: Captured,
  backup: SnapshotRecord,
): Promise<Receipt> {
  const aside = asideFolder(workspace)
  makeDirs(aside, 0o700)
  const rescued: string[] = []
  let refusals: Refusal[]
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
  } catch (error) {
    throw failed(backup.id, translateError(error, workspace.root), 0)
  } finally {
    rescued.push(...sweepAside(room.store, workspace.root, aside))
  }
  point('restore:applied')
  const after = await captureAfter(room, workspace, request, backup, {
    folders: touchedFolders(plan),
    since: present.since,
  })
  point('restore:recorded')
  const damaged = refusals.filter(({ why }) => why === 'damaged')
  if (damaged.length > 0) throw damageFound(backup.id, damaged)
  const kept = rescued.map((path) => `somebody was writing to a file that had to make way; what it held is in ${path}`)
  return receiptOf(request, plan, refusals, backup, after.snapshot, [...present.warnings, ...kept])
}

/** Outside every capture and every restore, on the workspace's own disk. */
const asideFolder = (workspace: { root: string }): string => join(workspace.root, '.timewarp', 'aside')

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

/** Only the folders the restore touched are looked at again: the rest is as the backup saw it a moment ago. */
const captureAfter = (
  room: CaptureRoom,
  workspace: Workspace,
  request: RestoreRequest,
  backup: SnapshotRecord,
  only: CaptureRequest['only'] & object,
): Promise<Captured> =>
  capture(room, workspace, {
    source: 'restore',
    label: request.act,
    cause: {
      role: 'act',
      act: request.act,
      backup: backup.id,
      ...idsOf(request),
    },
    always: true,
    inAct: true,
    only,
  })

function touchedFolders(plan: RestorePlan): RelPath[] {
  const paths = [
    ...plan.remove,
    ...plan.removeFolders,
    ...plan.write.map((w) => w.path),
    ...plan.touch.map((t) => t.path),
  ]
  const folders = [...paths, ...plan.makeFolders, ...plan.settle.map((s) => s.path)].map(parentOf)
  return [...new Set([...folders, ...plan.makeFolders, ...plan.removeFolders, ...plan.settle.map((s) => s.path), ''])]
}

const failed = (backup_id: string, error: unknown, restored: number): unknown =>
  error instanceof Error
    ? new Fault('RESTORE_FAILED', { backup_id, problem: error.message, restored }, { cause: error })
    : error

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

/**
 * Finishes a restore whose process died, in the next command that looks at the workspace.
 *
 * A path that is still as the backup has it goes on to the target; one that is there already is
 * done; one that is neither was changed since and is left alone.
 */
export async function carryOn(
  room: CaptureRoom,
  workspace: Workspace,
  journal: Journal,
): Promise<Receipt | 'done' | 'lost'> {
  const purpose = `recovery of a ${journal.plan.act}`
  return room.records.leases.during(leaseName(workspace.id), purpose, workspace.root, async () =>
    // Another process may have finished it between our look and our lease.
    room.records.journals.isOpen(journal.id) ? finish(room, workspace, journal) : 'done',
  )
}

async function finish(room: CaptureRoom, workspace: Workspace, journal: Journal): Promise<Receipt | 'lost'> {
  const { plan } = journal
  const target = room.records.snapshots.get(plan.target)
  const backup = room.records.snapshots.get(plan.backup)
  if (!target?.content || !backup?.content) {
    room.records.journals.close(journal.id)
    return 'lost'
  }
  sweepAside(room.store, workspace.root, asideFolder(workspace))
  const request: RestoreRequest = { act: plan.act, target, of: plan.of, paths: plan.paths, session_id: plan.session_id }
  const present = await captureBackup(room, workspace, request)
  room.store.sync()
  const trees = new Trees(room.store.reader)
  const rest = planFor(trees, workspace, target, request.paths, present.assembled)
  const before = (path: RelPath): Entry | undefined => findEntry(trees.read, backup.tree, path)
  const now = (path: RelPath): Entry | undefined => findEntry(trees.read, present.assembled.tree, path)
  const isOurs = (path: RelPath): boolean => now(path) === undefined || sameContent(now(path), before(path))
  const receipt = await perform(room, workspace, request, onlyOurs(rest, isOurs), present, backup)
  room.records.journals.close(journal.id)
  room.records.workspaces.countAct(workspace.id)
  return receipt
}

/** The plan without paths that somebody has changed since the crash. */
function onlyOurs(plan: RestorePlan, isOurs: (path: RelPath) => boolean): RestorePlan {
  const foreign = [...plan.remove, ...plan.write.map((w) => w.path), ...plan.touch.map((t) => t.path)].filter(
    (path) => !isOurs(path),
  )
  const ok = (path: RelPath): boolean => !foreign.some((other) => isWithin(path, other))
  return {
    ...plan,
    remove: plan.remove.filter(ok),
    write: plan.write.filter(({ path }) => ok(path)),
    touch: plan.touch.filter(({ path }) => ok(path)),
    skipped: [
      ...plan.skipped,
      ...foreign.map((path) => ({ path, reason: 'somebody changed it since the interruption' })),
    ],
  }
}

/** Whether a folder exists and holds nothing. */
export const isEmptyFolder = (dir: string): boolean => lstat(dir)?.isDirectory() === true && readNames(dir).length === 0
