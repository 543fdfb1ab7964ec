import { Fault } from '../../base/fault.ts'
import { translateError } from '../../host/faults.ts'
import { chmod, errorCode, stat } from '../../host/files/fs.ts'
import type { OpenFolders } from '../../host/files/open-folders.ts'
import { fromHex, toHex } from '../../host/hash.ts'
import { point } from '../../host/points.ts'
import type { Journal, JournalPlan } from '../../records/journals.ts'
import { allFoldersAbove, isWithin, parentOf, type RelPath } from '../../schema/path.ts'
import { compareTrees, findEntry, sameContent } from '../../store/compare-trees.ts'
import { type Entry, KIND } from '../../store/tree.ts'
import { leaseName } from '../capture/capture.ts'
import { unstoppable } from '../capture/stop.ts'
import { Trees } from '../capture/trees.ts'
import type { CaptureContext } from '../scan/context.ts'
import { openFolders } from '../workspace/own-folders.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { keepReadable } from './read-back.ts'
import { closeJournal, performRestore, refuseHalf } from './restore-perform.ts'
import { isLocked, type RestorePlan } from './restore-plan.ts'
import { captureBackup, type Receipt, type RestoreRequest } from './restore-request.ts'
import { planFor, wishedState } from './restore-scope.ts'
import { sweepAside, sweepFolders } from './sweep-aside.ts'

/**
 * Finishes a restore whose process died, in the next command that uses the workspace.
 *
 * A path that is still as in the backup is changed to the target. A path that is as in the target is done. A path that
 * is neither was changed since, and is left alone. An act that must be done as a whole, and no longer can be, is undone
 * instead.
 */
export async function finishInterrupted(
  asked: CaptureContext,
  workspace: Workspace,
  journal: Journal,
): Promise<Receipt | 'done' | 'back' | 'lost'> {
  const ctx = unstoppable(asked)
  const purpose = `recovery of a ${journal.plan.act}`
  return ctx.records.leases.during(leaseName(workspace.id), purpose, workspace.root, async () =>
    // Another process may have finished it before this one got the lease.
    ctx.records.journals.isOpen(journal.id) ? finish(ctx, workspace, journal) : 'done',
  )
}

async function finish(ctx: CaptureContext, workspace: Workspace, journal: Journal): Promise<Receipt | 'back' | 'lost'> {
  try {
    const receipt = await finishOrGoBack(ctx, workspace, journal)
    closeJournal(ctx, workspace, journal.id)
    return receipt
  } catch (error) {
    if (mayWorkLater(error, workspace)) throw error
    closeJournal(ctx, workspace, journal.id)
    // It can never be finished: damage stays. The journal is closed, so that the next command does not fail on it
    // again.
    if (error instanceof Fault) return 'lost'
    throw error
  }
}

async function finishOrGoBack(ctx: CaptureContext, workspace: Workspace, journal: Journal): Promise<Receipt | 'back'> {
  const { plan } = journal
  try {
    return await carryOut(ctx, workspace, plan)
  } catch (error) {
    if (!canGoBack(error, workspace, plan)) throw error
    await goBack(ctx, workspace, journal)
    return 'back'
  }
}

/**
 * Not when the journal is being undone already, when another process is at work, or when this process has too few
 * descriptors. A restore that met damage is not undone either: the rest of it was done.
 */
function canGoBack(error: unknown, { root }: Workspace, { tree, from }: JournalPlan): boolean {
  const fault = translateError(error, root)
  const isBusy = fault instanceof Fault && (fault.kind === 'busy' || fault.code === 'TOO_MANY_FILES')
  const isDamage = fault instanceof Fault && fault.kind === 'corrupt'
  return from === undefined && !isBusy && (tree !== undefined || !isDamage)
}

/** Another process is at work, the disk is full, or this process has too few descriptors: even undoing has to wait. */
function mayWorkLater(error: unknown, { root }: Workspace): boolean {
  const fault = translateError(error, root)
  return fault instanceof Fault && (fault.kind === 'busy' || WAITS.has(fault.code))
}

const WAITS: ReadonlySet<string> = new Set(['NO_SPACE', 'TOO_MANY_FILES'])

/**
 * Undoes an act after a failure and closes its journal. If that fails, too, returns the problem and leaves the journal
 * to the next command.
 */
export async function undoInterrupted(
  asked: CaptureContext,
  workspace: Workspace,
  journal: Pick<Journal, 'id' | 'plan'>,
): Promise<string | undefined> {
  const ctx = unstoppable(asked)
  try {
    await goBack(ctx, workspace, journal)
    closeJournal(ctx, workspace, journal.id)
    return undefined
  } catch (error) {
    ctx.records.journals.letGo(journal.id)
    return (translateError(error, workspace.root) as Error).message
  }
}

/**
 * Undoes an act that may be partly done. First the journal is reversed: from then on, a process that finishes it undoes
 * it, too. What the act wrote is replaced; what other processes wrote since stays.
 */
async function goBack(
  ctx: CaptureContext,
  workspace: Workspace,
  { id, plan }: Pick<Journal, 'id' | 'plan'>,
): Promise<Receipt> {
  const { backup, paths, session_id } = plan
  const turned: JournalPlan = {
    act: 'recover',
    target: backup,
    backup,
    of: backup,
    paths,
    from: toHex(endsOf(ctx, plan).target.tree),
    ...(session_id ? { session_id } : {}),
  }
  ctx.records.journals.turn(id, turned)
  point('change:turned')
  return carryOut(ctx, workspace, turned)
}

async function carryOut(ctx: CaptureContext, workspace: Workspace, plan: JournalPlan): Promise<Receipt> {
  const { target, from, backup } = endsOf(ctx, plan)
  const trees = new Trees(ctx.store.reader)
  const touched = [...compareTrees(trees.read, from, target.tree, plan.paths)].map(({ path }) => parentOf(path))
  const folders = new Set([...touched, ...allFoldersAbove(touched)])
  const before = (path: RelPath): Entry | undefined => findEntry(trees.read, from, path)
  tidyUp(ctx, workspace, folders, before, backup.id)
  const request: RestoreRequest = {
    act: plan.act,
    target,
    of: plan.of,
    paths: plan.paths,
    session_id: plan.session_id,
    after: plan.after,
    allOrNone: plan.tree !== undefined,
  }
  const present = await captureBackup(ctx, workspace, request, 'recover')
  ctx.store.sync()
  const rest = planFor(trees, workspace, target, request.paths, present.assembled)
  const now = (path: RelPath): Entry | undefined => findEntry(trees.read, present.assembled.tree, path)
  const isOurs = (path: RelPath): boolean => now(path) === undefined || sameContent(now(path), before(path))
  const ours = keepReadable(ctx, workspace, onlyOurs(rest, isOurs), present)
  if (request.allOrNone) refuseHalf(ours.skipped)
  return performRestore(ctx, { workspace, request, plan: ours, present, backup })
}

/** The target, the tree from which the act started, and the snapshot that holds the state before. */
function endsOf(ctx: CaptureContext, plan: JournalPlan) {
  const { snapshots } = ctx.records
  const backup = snapshots.get(plan.backup)
  const target = plan.tree && backup ? wishedState(backup, fromHex(plan.tree)) : snapshots.get(plan.target)
  const dropped = [target, backup].find((one) => !one?.content)
  if (!target?.content || !backup?.content) throw new Fault('SNAPSHOT_DROPPED', { id: dropped?.id ?? plan.backup })
  return { target, backup, from: plan.from ? fromHex(plan.from) : backup.tree }
}

/** Removes the temporary files that a dead process left, and resets the folder modes it had opened. */
function tidyUp(
  ctx: CaptureContext,
  { root }: Workspace,
  paths: ReadonlySet<RelPath>,
  before: (path: RelPath) => Entry | undefined,
  tag: string,
): void {
  const folders = openFolders(root)
  try {
    sweepAside(ctx.store, folders)
    sweepFolders(ctx.store, folders, paths, tag)
    for (const path of paths) if (path !== '') lockAgain(folders, path, before(path))
  } finally {
    folders.close()
  }
}

/** Resets the mode of a folder that was made writable for the act and not reset. */
function lockAgain(folders: OpenFolders, path: RelPath, entry: Entry | undefined): void {
  if (entry?.kind !== KIND.directory || !isLocked(entry)) return
  folders.rest()
  try {
    const at = folders.folder(path)
    if (((stat(at)?.mode ?? 0) & 0o7777) === (entry.mode | 0o700)) chmod(at, entry.mode)
  } catch (error) {
    // The folder no longer exists: there is no mode to reset.
    if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'ENOTDIR') throw error
  }
}

/** The plan without the paths that were changed since the interruption. */
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
