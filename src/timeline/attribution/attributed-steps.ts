import type { SnapshotRecord } from '../../records/snapshot-record.ts'
import { foldersAbove, type RelPath } from '../../schema/path.ts'
import type { ReadTree, TreeDifference } from '../../store/compare-trees.ts'
import { KIND } from '../../store/tree.ts'
import { blend } from './blend.ts'
import type { Share } from './share.ts'

/** One of several consecutive snapshots that lead from one state to the next. */
export interface AttributedStep extends Omit<Share, 'paths'> {
  readonly base: SnapshotRecord | undefined
  /** Undefined when they are not known. */
  readonly changes: TreeDifference[] | undefined
  readonly tree: Uint8Array
  readonly files: number
  readonly bytes: number
}

/** The intermediate states, one for each share, in order; the last one is the state that was scanned. */
export function* stepsOf(
  read: ReadTree,
  from: { readonly tree: Uint8Array; readonly files: number; readonly bytes: number },
  to: { readonly tree: Uint8Array; readonly files: number; readonly bytes: number },
  shares: readonly (Share & { readonly changes: TreeDifference[] })[],
  put: (hash: Uint8Array, tree: Uint8Array) => void,
): Generator<Omit<AttributedStep, 'base'>> {
  const taken = new Set<RelPath>()
  let { files, bytes } = from
  for (const [at, { paths, changes, ...share }] of shares.entries()) {
    for (const path of paths) taken.add(path)
    for (const change of changes) {
      files += fileIn(change.new) - fileIn(change.old)
      bytes += bytesIn(change.new) - bytesIn(change.old)
    }
    const isLast = at === shares.length - 1
    const tree = isLast ? to.tree : blend(read, from.tree, to.tree, (path) => taken.has(path), put)
    yield { ...share, changes, tree, ...(isLast ? { files: to.files, bytes: to.bytes } : { files, bytes }) }
  }
}

const fileIn = (entry: TreeDifference['new']): number => (entry && entry.kind !== KIND.directory ? 1 : 0)
const bytesIn = (entry: TreeDifference['new']): number => (entry && entry.kind === KIND.file ? entry.size : 0)

/**
 * Puts every change into exactly one share, in the order of the shares. Changes that no share claims come first, under
 * the request's own cause. A folder belongs to the same share as what is in it. Shares without a change are left out.
 */
export function sharesOf(
  own: Omit<Share, 'paths'>,
  claims: readonly Share[],
  changes: readonly TreeDifference[],
): (Share & { readonly changes: TreeDifference[] })[] {
  const { cause, source, label, description } = own
  const all = [{ cause, source, label, description, paths: new Set<RelPath>() }, ...claims]
  const owners = ownersOf(claims, changes)
  const shared = all.map((share) => ({ ...share, paths: new Set<RelPath>(), changes: [] as TreeDifference[] }))
  for (const change of changes) {
    const share = shared[owners.get(change.path) ?? 0]
    share?.paths.add(change.path)
    share?.changes.push(change)
  }
  const [first, ...others] = shared
  const some = others.filter(({ changes: mine }) => mine.length > 0)
  return first && (first.changes.length > 0 || some.length === 0) ? [first, ...some] : some
}

/** The number of the share of each changed path; 0: no share claims it. */
function ownersOf(claims: readonly Share[], changes: readonly TreeDifference[]): Map<RelPath, number> {
  const owners = new Map<RelPath, number>()
  const claimOf = (path: RelPath): number => claims.findIndex(({ paths }) => paths.has(path)) + 1
  const isFolder = ({ old, new: now }: TreeDifference): boolean => (now ?? old)?.kind === KIND.directory
  for (const change of changes) if (!isFolder(change)) owners.set(change.path, claimOf(change.path))
  const below = new Map<RelPath, number>()
  for (const [path, owner] of owners)
    for (const folder of foldersAbove(path)) below.set(folder, Math.max(owner, below.get(folder) ?? 0))
  for (const change of changes)
    if (isFolder(change)) owners.set(change.path, below.get(change.path) ?? claimOf(change.path))
  return owners
}
