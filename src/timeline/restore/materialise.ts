import { dirname, resolve } from 'node:path'
import { Fault, isFault } from '../../base/fault.ts'
import { outPath } from '../../base/quote.ts'
import { guarded } from '../../host/faults.ts'
import { syncDir } from '../../host/files/durable.ts'
import { errorCode, lstat, readNames, removeDir, removeFile } from '../../host/files/fs.ts'
import { makeDirs } from '../../host/files/make-dirs.ts'
import type { OpenFolders } from '../../host/files/open-folders.ts'
import type { SnapshotRecord } from '../../records/snapshot-record.ts'
import { type RelPath, ROOT } from '../../schema/path.ts'
import { compareTrees, findEntry } from '../../store/compare-trees.ts'
import { KIND } from '../../store/tree.ts'
import { Trees } from '../capture/trees.ts'
import type { CaptureContext } from '../scan/context.ts'
import { openFolders } from '../workspace/own-folders.ts'
import { checkDescriptors } from './readiness.ts'
import { applyPlan } from './restore-apply.ts'
import { makeDurable } from './restore-durable.ts'
import { writeSetup } from './restore-perform.ts'
import { planRestore, type RestorePlan } from './restore-plan.ts'
import { withFoldersAbove } from './restore-scope.ts'

export interface Materialised {
  readonly files: number
  readonly bytes: number
  readonly skipped: readonly { path: RelPath; reason: string }[]
}

/**
 * Writes a snapshot, or any other tree, or some paths of it, into a folder that is empty or does not exist yet. With
 * `lasting`, all of it survives the machine's death when the call returns.
 */
export async function materialise(
  ctx: CaptureContext,
  snapshot: Pick<SnapshotRecord, 'id' | 'tree'>,
  dir: string,
  paths: readonly RelPath[],
  lasting = true,
): Promise<Materialised> {
  const root = resolve(dir)
  const trees = new Trees(ctx.store.reader)
  const differences = [...compareTrees(trees.read, undefined, snapshot.tree, paths)]
  const unknown = paths.find((path) => !findEntry(trees.read, snapshot.tree, path))
  if (unknown !== undefined) throw new Fault('PATH_NOT_FOUND', { path: outPath(unknown), snapshot_id: snapshot.id })
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
  checkDescriptors(root)
  const missing = missingOf(root)
  if (missing.length > 0) guarded(root, () => makeDirs(root))
  const folders = openFolders(root)
  try {
    if (readNames(folders.folder(ROOT)).length > 0) throw new Fault('FOLDER_NOT_EMPTY', { path: root })
    const written = await write(ctx, folders, plan, lasting)
    if (lasting) for (const folder of missing) syncDir(dirname(folder))
    return written
  } catch (error) {
    if (!isFault(error, 'CANCELLED')) throw error
    clear(folders, plan)
    for (const folder of missing) quietly(() => removeDir(folder))
    throw new Fault('CANCELLED', { ...error.data, emptied: root }, { cause: error })
  } finally {
    folders.close()
  }
}

/** The folder and those above it that do not exist. */
function missingOf(dir: string): string[] {
  const missing: string[] = []
  for (let at = dir; lstat(at) === undefined; at = dirname(at)) missing.push(at)
  return missing
}

async function write(
  ctx: CaptureContext,
  folders: OpenFolders,
  plan: RestorePlan,
  lasting: boolean,
): Promise<Materialised> {
  const refusals = await applyPlan(
    {
      store: ctx.store,
      folders,
      setup: writeSetup(ctx, folders, 'm', true),
      expected: () => undefined,
      progress: (done, total) => ctx.progress('Writing', done, total),
      signal: ctx.signal,
    },
    plan,
  )
  const damaged = refusals.filter(({ why }) => why === 'damaged')
  if (damaged.length > 0)
    throw new Fault('OBJECT_DAMAGED', { id: damaged.map(({ path }) => path).join(', '), pack: ctx.store.dir })
  const denied = refusals.find(({ why }) => why === 'denied')
  if (denied) throw new Fault('NO_PERMISSION', { path: outPath(folders.plain(denied.path)) })
  if (lasting) await makeDurable(folders, plan, refusals)
  const refused = new Set(refusals.map(({ path }) => path))
  const written = plan.write.filter(({ path }) => !refused.has(path))
  return {
    files: written.length,
    bytes: written.reduce((sum, { entry }) => sum + (entry.kind === KIND.file ? entry.size : 0), 0),
    skipped: refusals.map(({ path, reason }) => ({ path, reason })),
  }
}

/** Removes what was written. What another process put there stays, with the folders it is in. */
function clear(folders: OpenFolders, plan: RestorePlan): void {
  for (const { path } of plan.write) quietly(() => removeFile(at(folders, path)))
  for (const path of plan.makeFolders.toReversed()) {
    folders.forget(path)
    quietly(() => removeDir(at(folders, path)))
  }
}

function at(folders: OpenFolders, path: RelPath): string {
  folders.rest()
  return folders.child(path)
}

function quietly(act: () => void): void {
  try {
    act()
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR', 'ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '')) throw error
  }
}
