import { Fault } from '../base/fault.ts'
import { chmod, lstat } from '../host/fs.ts'
import type { Journal } from '../records/journals.ts'
import type { SnapshotRecord } from '../records/snapshots.ts'
import { foldersAbove, isWithin, parentOf, type RelPath } from '../schema/path.ts'
import { fromHex } from '../store/hash.ts'
import { type Entry, KIND } from '../store/tree.ts'
import { leaseName } from './capture.ts'
import { compareTrees, findEntry, sameContent } from './compare.ts'
import type { CaptureRoom } from './publish.ts'
import { asideFolder, captureBackup, closeJournal, perform, type Receipt, type RestoreRequest } from './restore.ts'
import { isLocked, type RestorePlan } from './restore-plan.ts'
import { planFor } from './restore-scope.ts'
import { sweepAside, sweepFolders } from './sweep-aside.ts'
import { Trees } from './trees.ts'
import type { Workspace } from './workspace.ts'

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
  const backup = room.records.snapshots.get(plan.backup)
  const target = plan.tree && backup ? { ...backup, tree: fromHex(plan.tree) } : room.records.snapshots.get(plan.target)
  if (!target?.content || !backup?.content) {
    closeJournal(room, workspace, journal.id)
    return 'lost'
  }
  try {
    return await carryOut(room, workspace, journal, target, backup)
  } catch (error) {
    // It cannot be finished, now or later: what is damaged stays so. The next command must not stumble again.
    if (error instanceof Fault && error.kind !== 'busy') return 'lost'
    throw error
  } finally {
    closeJournal(room, workspace, journal.id)
  }
}

async function carryOut(
  room: CaptureRoom,
  workspace: Workspace,
  { plan }: Journal,
  target: SnapshotRecord,
  backup: SnapshotRecord,
): Promise<Receipt> {
  const trees = new Trees(room.store.reader)
  const touched = [...compareTrees(trees.read, backup.tree, target.tree, plan.paths)].map(({ path }) => parentOf(path))
  const folders = new Set(touched.flatMap((folder) => [folder, ...foldersAbove(folder)]))
  sweepAside(room.store, workspace.root, asideFolder(workspace))
  sweepFolders(room.store, workspace.root, folders, backup.id)
  lockAgain(workspace.root, folders, (path) => findEntry(trees.read, backup.tree, path))
  const request: RestoreRequest = {
    ...{ act: plan.act, target, of: plan.of, paths: plan.paths },
    ...{ session_id: plan.session_id, after: plan.after },
  }
  const present = await captureBackup(room, workspace, request)
  room.store.sync()
  const rest = planFor(trees, workspace, target, request.paths, present.assembled)
  const before = (path: RelPath): Entry | undefined => findEntry(trees.read, backup.tree, path)
  const now = (path: RelPath): Entry | undefined => findEntry(trees.read, present.assembled.tree, path)
  const isOurs = (path: RelPath): boolean => now(path) === undefined || sameContent(now(path), before(path))
  return perform(room, workspace, request, onlyOurs(rest, isOurs), present, backup)
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
