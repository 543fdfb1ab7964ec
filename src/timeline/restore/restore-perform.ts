import { Fault } from '../../base/fault.ts'
import { outPath } from '../../base/quote.ts'
import { giveBack } from '../../host/faults.ts'
import { newStamp, readNames, removeDir, type Stamp } from '../../host/files/fs.ts'
import type { OpenFolders } from '../../host/files/open-folders.ts'
import { point } from '../../host/points.ts'
import type { SnapshotRecord } from '../../records/snapshot-record.ts'
import { allFoldersAbove, type RelPath, ROOT } from '../../schema/path.ts'
import { unstoppable } from '../capture/stop.ts'
import type { Captured } from '../capture/types.ts'
import type { CaptureContext } from '../scan/context.ts'
import { headOf } from '../scan/folder.ts'
import { type ScanScope, scopeOf } from '../scan/scan-scope.ts'
import { ASIDE, makeOwn, openFolders } from '../workspace/own-folders.ts'
import type { Workspace } from '../workspace/workspace.ts'
import type { WriteRefusal } from './put-checks.ts'
import { applyPlan, type WriteSetup } from './restore-apply.ts'
import { makeDurable } from './restore-durable.ts'
import type { RestorePlan } from './restore-plan.ts'
import { captureAfter, type Receipt, type RestoreRequest, receiptOf } from './restore-request.ts'
import { expectations } from './restore-scope.ts'
import { sweepAside } from './sweep-aside.ts'

/** What is to be done, and from which state. */
interface Work {
  readonly workspace: Workspace
  readonly request: RestoreRequest
  readonly plan: RestorePlan
  readonly present: Captured
  readonly backup: SnapshotRecord
}

/** Carries a plan out under an open journal, makes it durable, and records the state after it. */
export async function performRestore(ctx: CaptureContext, work: Work): Promise<Receipt> {
  const folders = openFolders(work.workspace.root, rootOf(work.present))
  try {
    return await performIn(folders, ctx, work)
  } finally {
    folders.close()
  }
}

async function performIn(folders: OpenFolders, ctx: CaptureContext, work: Work): Promise<Receipt> {
  const { workspace, request, plan, present, backup } = work
  const { refusals, swept } = await doPlan(folders, ctx, work)
  point('restore:applied')
  const damaged = refusals.filter(({ why }) => why === 'damaged')
  if (request.allOrNone && damaged.length === 0) refuseHalf(refusals)
  if (request.allOrNone && damaged.length > 0) throw damageFound(backup.id, damaged)
  const written = new Map(plan.write.map(({ path, entry }) => [path, entry]))
  for (const { path } of refusals) written.delete(path)
  const touched = touchedPlaces(plan)
  // The state after is captured while the disk syncs.
  const [after] = await both(
    captureAfter(unstoppable(ctx), workspace, request, backup, {
      folders: [...touched.keys()],
      names: (path) => touched.get(path),
      since: present.since,
      put: { written: (path) => written.get(path), stamp: swept.stamp },
    }),
    makeDurable(folders, plan, refusals),
  )
  point('restore:recorded')
  if (damaged.length > 0) throw damageFound(backup.id, damaged)
  const kept = swept.rescued.map(
    (path) => `somebody was writing to a file that had to make way; what it held is in ${path}`,
  )
  return receiptOf(request, plan, refusals, backup, after.snapshot, [...present.warnings, ...kept])
}

/** Waits for both, also when one fails, so that neither is still running afterwards. */
async function both<A, B>(a: Promise<A>, b: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([a, b])
  return Promise.all([a, b])
}

interface Done {
  readonly refusals: readonly WriteRefusal[]
  readonly swept: Swept
}

async function doPlan(folders: OpenFolders, ctx: CaptureContext, work: Work): Promise<Done> {
  const { request, plan, present, backup } = work
  try {
    makeOwn(folders, ASIDE)
    const apply = {
      store: ctx.store,
      folders,
      expected: expectations(present.assembled),
      setup: writeSetup(ctx, folders, backup.id, false),
      progress: (done: number, total: number) => ctx.progress('Restoring', done, total),
      signal: ctx.signal,
    }
    const refusals = await applyPlan(apply, plan)
    return { refusals, swept: sweep(ctx, folders, request) }
  } catch (error) {
    sweepAside(ctx.store, folders)
    throw error
  }
}

/** Identifies the root folder as it was scanned. */
function rootOf({ assembled }: Captured): { ino?: number } {
  const root = assembled.folders.get(ROOT)
  return root ? { ino: headOf(root).ino } : {}
}

interface Swept {
  readonly rescued: readonly string[]
  /** The time the file system gave to a change made after all writes of the act. */
  readonly stamp: Stamp | undefined
}

/**
 * After an edit, and in a daemon, the empty folder is kept: more acts follow, and some file systems remove folders
 * slowly.
 */
function sweep(ctx: CaptureContext, folders: OpenFolders, { allOrNone }: RestoreRequest): Swept {
  const rescued = sweepAside(ctx.store, folders)
  const aside = folders.child(ASIDE)
  const stamp = newStamp(aside)
  folders.forget(ASIDE)
  if (!allOrNone && ctx.live === undefined && readNames(aside).length === 0) removeDir(aside)
  return { rescued, stamp }
}

/**
 * Closes a journal durably: if it were open again after the machine's death, a command would carry it on over what was
 * changed since the answer. If the disk is too full even for that, the journal is carried on after this process has
 * ended.
 */
export function closeJournal(ctx: CaptureContext, workspace: Workspace, id: string): void {
  giveBack(() =>
    ctx.records.db.writeDurably(() => {
      ctx.records.journals.close(id)
      ctx.records.workspaces.countAct(workspace.id)
    }),
  )
}

/** An act that must be done as a whole fails if any path is left out. */
export function refuseHalf([first]: readonly { path: RelPath; reason: string }[]): void {
  if (first) throw new Fault('EDIT_STUCK', { path: outPath(first.path), reason: first.reason })
}

export const writeSetup = (
  ctx: CaptureContext,
  { root, id }: OpenFolders,
  tag: string,
  fresh: boolean,
): WriteSetup => ({
  root,
  tag,
  fresh,
  id: { dev: id.dev, ino: id.ino },
  umask: process.umask(),
  db: ctx.records.db.path,
  objects: ctx.store.dir,
})

/** The places that the plan changes, and the folders above them: a folder that was replaced hides what was below it. */
function touchedPlaces(plan: RestorePlan): ScanScope {
  const files = [...plan.remove, ...plan.write.map((w) => w.path), ...plan.touch.map((t) => t.path)]
  const folders = [...plan.makeFolders, ...plan.removeFolders]
  const paths = [...files, ...folders, ...plan.settle.map((s) => s.path)]
  const places = new Map(scopeOf(new Set([...paths, ...allFoldersAbove(paths)])))
  for (const { path } of plan.settle) if (!places.has(path)) places.set(path, ITSELF)
  if (!places.has(ROOT)) places.set(ROOT, ITSELF)
  // Folders that were created or removed are scanned with all their names.
  for (const path of folders) places.set(path, undefined)
  return places
}

const ITSELF: ReadonlySet<string> = new Set([''])

const damageFound = (backup_id: string, damaged: readonly WriteRefusal[]): Fault =>
  new Fault('RESTORE_DAMAGED', {
    backup_id,
    paths: damaged.map(({ path }) => outPath(path)),
  })
