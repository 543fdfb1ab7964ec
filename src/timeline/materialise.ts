import { resolve } from 'node:path'
import { Fault } from '../base/fault.ts'
import { guarded } from '../host/faults.ts'
import { lstat, makeDirs } from '../host/fs.ts'
import type { SnapshotRecord } from '../records/snapshots.ts'
import { foldersAbove, type RelPath } from '../schema/path.ts'
import { type Entry, KIND } from '../store/tree.ts'
import type { CaptureRoom } from './capture.ts'
import { compareTrees } from './compare.ts'
import { isEmptyFolder, writeSetup } from './restore.ts'
import { applyPlan } from './restore-apply.ts'
import { planRestore } from './restore-plan.ts'
import { Trees } from './trees.ts'

export interface Materialised {
  readonly files: number
  readonly bytes: number
  readonly skipped: readonly { path: RelPath; reason: string }[]
}

/** Writes a snapshot, or some paths of it, into a folder that is empty or does not exist yet. */
export async function materialise(
  room: CaptureRoom,
  snapshot: SnapshotRecord,
  dir: string,
  paths: readonly RelPath[],
): Promise<Materialised> {
  const root = resolve(dir)
  if (lstat(root) === undefined) guarded(root, () => makeDirs(root))
  else if (!isEmptyFolder(root)) throw new Fault('FOLDER_NOT_EMPTY', { path: root })
  const trees = new Trees(room.store.reader)
  const plan = planRestore({
    differences: withParents([...compareTrees(trees.read, undefined, snapshot.tree, paths)], trees, snapshot),
    barrier: () => undefined,
    presentFolder: () => undefined,
    targetFolder: () => undefined,
    within: [],
  })
  const refusals = await applyPlan(
    {
      store: room.store,
      setup: writeSetup(room, root, root, 'm', true),
      expected: () => undefined,
      progress: (done, total) => room.progress('Writing', done, total),
    },
    plan,
  )
  const damaged = refusals.filter(({ why }) => why === 'damaged')
  if (damaged.length > 0)
    throw new Fault('OBJECT_DAMAGED', { id: damaged.map(({ path }) => path).join(', '), pack: room.store.dir })
  const refused = new Set(refusals.map(({ path }) => path))
  const written = plan.write.filter(({ path }) => !refused.has(path))
  return {
    files: written.length,
    bytes: written.reduce((sum, { entry }) => sum + (entry.kind === KIND.file ? entry.size : 0), 0),
    skipped: refusals.map(({ path, reason }) => ({ path, reason })),
  }
}

/** Paths deep in the tree need the folders above them, which the limited comparison leaves out. */
function withParents(
  differences: readonly { path: RelPath; old: Entry | undefined; new: Entry | undefined }[],
  trees: Trees,
  snapshot: SnapshotRecord,
): { path: RelPath; old: Entry | undefined; new: Entry | undefined }[] {
  const known = new Set(differences.map(({ path }) => path))
  const parents = new Set<RelPath>()
  for (const { path } of differences)
    for (const folder of foldersAbove(path)) if (!known.has(folder)) parents.add(folder)
  if (parents.size === 0) return [...differences]
  const wanted = new Map([...compareTrees(trees.read, undefined, snapshot.tree, [...parents])].map((d) => [d.path, d]))
  return [...[...parents].sort().flatMap((path) => wanted.get(path) ?? []), ...differences]
}
