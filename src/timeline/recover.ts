import { Fault } from '../base/fault.ts'
import { translateError } from '../host/faults.ts'
import { chmod, lstat } from '../host/fs.ts'
import { point } from '../host/points.ts'
import type { Journal, JournalPlan } from '../records/journals.ts'
import { foldersAbove, isWithin, parentOf, type RelPath } from '../schema/path.ts'
import { fromHex } from '../store/hash.ts'
import { type Entry, KIND } from '../store/tree.ts'
import { leaseName } from './capture.ts'
import { compareTrees, findEntry, sameContent } from './compare.ts'
import type { CaptureRoom } from './publish.ts'
import {
  asideFolder,
  captureBackup,
  closeJournal,
  perform,
  type Receipt,
  type RestoreRequest,
  refuseHalf,
} from './restore.ts'
import { isLocked, type RestorePlan } from './restore-plan.ts'
import { planFor } from './restore-scope.ts'
import { sweepAside, sweepFolders } from './sweep-aside.ts'
import { Trees } from './trees.ts'
import type { Workspace } from './workspace.ts'

/**
 * Finishes a restore whose process died, in the next command that looks at the workspace.
 *
 * A path that is still as the backup has it goes on to the target; one that is there already is
 * done; one that is neither was changed since and is left alone. What must be done as a whole, and no longer can be,
 * goes back instead.
 */
export async function carryOn(
  room: CaptureRoom,
  workspace: Workspace,
  journal: Journal,
): Promise<Receipt | 'done' | 'back' | 'lost'> {
  const purpose = `recovery of a ${journal.plan.act}`
  return room.records.leases.during(leaseName(workspace.id), purpose, workspace.root, async () =>
    // Another process may have finished it between our look and our lease.
    room.records.journals.isOpen(journal.id) ? finish(room, workspace, journal) : 'done',
  )
}

async function finish(room: CaptureRoom, workspace: Workspace, journal: Journal): Promise<Receipt | 'back' | 'lost'> {
  try {
    const receipt = await finishOrGoBack(room, workspace, journal)
    closeJournal(room, workspace, journal.id)
    return receipt
  } catch (error) {
    if (mayWorkLater(error, workspace, journal.plan)) throw error
    closeJournal(room, workspace, journal.id)
    // It cannot be finished, now or later: what is damaged stays so. The next command must not stumble again.
    if (error instanceof Fault) return 'lost'
    throw error
  }
}

async function finishOrGoBack(room: CaptureRoom, workspace: Workspace, journal: Journal): Promise<Receipt | 'back'> {
  const { plan } = journal
  if (plan.tree === undefined) return carryOut(room, workspace, plan)
  try {
    return await carryOut(room, workspace, plan)
  } catch (error) {
    if (mayWorkLater(error, workspace, plan)) throw error
    await goBack(room, workspace, journal)
    return 'back'
  }
}

/** Somebody else is at it; or the disk is full, and what must be done as a whole waits for space. */
function mayWorkLater(error: unknown, { root }: Workspace, { tree, from }: JournalPlan): boolean {
  const fault = translateError(error, root)
  const isWhole = tree !== undefined || from !== undefined
  return fault instanceof Fault && (fault.kind === 'busy' || (isWhole && fault.code === 'NO_SPACE'))
}

/**
 * Takes a change back of which some may be done. First the journal is turned round: from then on whoever carries it on
 * goes back, too. What the change wrote makes way; what somebody else wrote since stays.
 */
export async function goBack(
  room: CaptureRoom,
  workspace: Workspace,
  { id, plan }: Pick<Journal, 'id' | 'plan'>,
): Promise<Receipt> {
  const { backup, paths, tree, session_id } = plan
  const turned: JournalPlan = {
    ...{ act: 'recover', target: backup, backup, of: backup, paths },
    ...(tree ? { from: tree } : {}),
    ...(session_id ? { session_id } : {}),
  }
  room.records.journals.turn(id, turned)
  point('change:turned')
  return carryOut(room, workspace, turned)
}

async function carryOut(room: CaptureRoom, workspace: Workspace, plan: JournalPlan): Promise<Receipt> {
  const { target, from, backup } = endsOf(room, plan)
  const trees = new Trees(room.store.reader)
  const touched = [...compareTrees(trees.read, from, target.tree, plan.paths)].map(({ path }) => parentOf(path))
  const folders = new Set(touched.flatMap((folder) => [folder, ...foldersAbove(folder)]))
  const before = (path: RelPath): Entry | undefined => findEntry(trees.read, from, path)
  sweepAside(room.store, workspace.root, asideFolder(workspace))
  sweepFolders(room.store, workspace.root, folders, backup.id)
  lockAgain(workspace.root, folders, before)
  const request: RestoreRequest = {
    ...{ act: plan.act, target, of: plan.of, paths: plan.paths },
    ...{ session_id: plan.session_id, after: plan.after, allOrNone: plan.tree !== undefined },
  }
  const present = await captureBackup(room, workspace, request, 'recover')
  room.store.sync()
  const rest = planFor(trees, workspace, target, request.paths, present.assembled)
  const now = (path: RelPath): Entry | undefined => findEntry(trees.read, present.assembled.tree, path)
  const isOurs = (path: RelPath): boolean => now(path) === undefined || sameContent(now(path), before(path))
  const ours = onlyOurs(rest, isOurs)
  if (request.allOrNone) refuseHalf(ours.skipped)
  return perform(room, workspace, request, ours, present, backup)
}

/** Where it goes to, where it comes from, and the snapshot that holds the state before. */
function endsOf(room: CaptureRoom, plan: JournalPlan) {
  const { snapshots } = room.records
  const backup = snapshots.get(plan.backup)
  const target = plan.tree && backup ? { ...backup, tree: fromHex(plan.tree) } : snapshots.get(plan.target)
  const dropped = [target, backup].find((one) => !one?.content)
  if (!target?.content || !backup?.content) throw new Fault('SNAPSHOT_DROPPED', { id: dropped?.id ?? plan.backup })
  return { target, backup, from: plan.from ? fromHex(plan.from) : backup.tree }
}

/** Folders that were opened for the work and not closed again get the mode they had. */
function lockAgain(root: string, folders: Iterable<RelPath>, before: (path: RelPath) => Entry | undefined): void {
  for (const path of folders) {
    const entry = path === '' ? undefined : before(path)
    const stat = lstat(`${root}/${path}`)
    if (!entry || entry.kind !== KIND.directory || !stat?.isDirectory()) continue
    if (isLocked(entry) && (stat.mode & 0o7777) === (entry.mode | 0o700)) chmod(`${root}/${path}`, entry.mode)
  }
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
