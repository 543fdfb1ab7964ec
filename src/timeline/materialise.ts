import { resolve } from 'node:path'
import { Fault, isFault } from '../base/fault.ts'
import { outPath } from '../base/quote.ts'
import { guarded } from '../host/faults.ts'
import { errorCode, lstat, readNames, removeDir, removeFile } from '../host/fs.ts'
import { makeDirs } from '../host/make-dirs.ts'
import type { SnapshotRecord } from '../records/snapshots.ts'
import type { RelPath } from '../schema/path.ts'
import { KIND } from '../store/tree.ts'
import { compareTrees, findEntry } from './compare.ts'
import { openFolders } from './own-folders.ts'
import type { CaptureRoom } from './publish.ts'
import { applyPlan } from './restore-apply.ts'
import { writeSetup } from './restore-perform.ts'
import { planRestore, type RestorePlan } from './restore-plan.ts'
import { withFoldersAbove } from './restore-scope.ts'
import { Trees } from './trees.ts'

export interface Materialised {
  readonly files: number
  readonly bytes: number
  readonly skipped: readonly { path: RelPath; reason: string }[]
}

/** Writes a snapshot, or any other tree, or some paths of it, into a folder that is empty or does not exist yet. */
export async function materialise(
  room: CaptureRoom,
  snapshot: Pick<SnapshotRecord, 'id' | 'tree'>,
  dir: string,
  paths: readonly RelPath[],
): Promise<Materialised> {
  const root = resolve(dir)
  const trees = new Trees(room.store.reader)
  const differences = [...compareTrees(trees.read, undefined, snapshot.tree, paths)]
  const unknown = paths.find((path) => !findEntry(trees.read, snapshot.tree, path))
  if (unknown !== undefined) throw new Fault('PATH_NOT_FOUND', { path: outPath(unknown), snapshot_id: snapshot.id })
  const isNew = lstat(root) === undefined
  if (isNew) guarded(root, () => makeDirs(root))
  else if (!isEmptyFolder(root)) throw new Fault('FOLDER_NOT_EMPTY', { path: root })
  const plan = planRestore({
    differences: withFoldersAbove(
      differences,
      () => undefined,
      (path) => findEntry(trees.read, snapshot.tree, path),
    ),
    barrier: () => undefined,
    presentFolder: () => undefined,
    targetFolder: () => undefined,
    holdsOther: () => false,
    within: [],
  })
  const folders = openFolders(root)
  const refusals = await applyPlan(
    {
      store: room.store,
      folders,
      setup: writeSetup(room, folders, 'm', true),
      expected: () => undefined,
      progress: (done, total) => room.progress('Writing', done, total),
      signal: room.signal,
    },
    plan,
  )
    .finally(() => folders.close())
    .catch((error: unknown) => {
      if (isFault(error, 'CANCELLED')) clear(root, plan, isNew)
      throw error
    })
  const damaged = refusals.filter(({ why }) => why === 'damaged')
  if (damaged.length > 0)
    throw new Fault('OBJECT_DAMAGED', { id: damaged.map(({ path }) => path).join(', '), pack: room.store.dir })
  const denied = refusals.find(({ why }) => why === 'denied')
  if (denied) throw new Fault('NO_PERMISSION', { path: `${root}/${outPath(denied.path)}` })
  const refused = new Set(refusals.map(({ path }) => path))
  const written = plan.write.filter(({ path }) => !refused.has(path))
  return {
    files: written.length,
    bytes: written.reduce((sum, { entry }) => sum + (entry.kind === KIND.file ? entry.size : 0), 0),
    skipped: refusals.map(({ path, reason }) => ({ path, reason })),
  }
}

/** Removes what was written; what another process put there stays, and so do the folders it is in. */
function clear(root: string, plan: RestorePlan, isNew: boolean): void {
  for (const { path } of plan.write) quietly(() => removeFile(`${root}/${path}`))
  for (const path of plan.makeFolders.toReversed()) quietly(() => removeDir(`${root}/${path}`))
  if (isNew) quietly(() => removeDir(root))
}

function quietly(act: () => void): void {
  try {
    act()
  } catch (error) {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '')) throw error
  }
}

/** Whether a folder exists and holds nothing. */
const isEmptyFolder = (dir: string): boolean => lstat(dir)?.isDirectory() === true && readNames(dir).length === 0
