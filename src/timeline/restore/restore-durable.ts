import type { OpenFolders } from '../../host/files/open-folders.ts'
import { syncTree, type ToSync } from '../../host/files/sync-tree.ts'
import { parentOf, type RelPath } from '../../schema/path.ts'
import { KIND } from '../../store/tree.ts'
import type { WriteRefusal } from './put-checks.ts'
import type { RestorePlan } from './restore-plan.ts'

/** Waits until everything a plan did is on the disk: then its journal may be closed. */
export const makeDurable = (
  folders: OpenFolders,
  plan: RestorePlan,
  refusals: readonly WriteRefusal[],
): Promise<void> => syncTree(folders, toSync(plan, refusals))

/**
 * The files a plan wrote or touched, and the folders in which names were created or deleted, or whose own state
 * changed.
 */
export function toSync(plan: RestorePlan, refusals: readonly WriteRefusal[]): ToSync {
  const refused = new Set(refusals.map(({ path }) => path))
  const isFile = ({ entry }: { readonly entry: { readonly kind: number } }): boolean => entry.kind === KIND.file
  const files = [...plan.write, ...plan.touch].filter(isFile).map(({ path }) => path)
  const names = [...plan.remove, ...plan.removeFolders, ...plan.makeFolders, ...plan.write.map(({ path }) => path)]
  const gone = new Set(plan.removeFolders)
  const folders = new Set<RelPath>([
    ...names.map(parentOf),
    ...plan.makeFolders,
    ...plan.settle.map(({ path }) => path),
  ])
  return {
    files: files.filter((path) => !refused.has(path)),
    folders: [...folders].filter((path) => !gone.has(path)),
  }
}
