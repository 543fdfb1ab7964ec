import { lazily } from '../base/lazily.ts'
import { sha256 } from '../host/hash.ts'
import type { PathChange } from '../schema/change.ts'
import { isWithin, joinPath, type RelPath, ROOT } from '../schema/path.ts'
import { type Entry, encodeTree, KIND } from './tree.ts'

/** One path that differs between two trees. */
export interface TreeDifference {
  readonly path: RelPath
  readonly old: Entry | undefined
  readonly new: Entry | undefined
}

/** Reads the entries of a tree. Callers pass the folder's path where they know it: its entries may be in memory. */
export type ReadTree = (hash: Uint8Array, path?: RelPath) => readonly Entry[]

/** Computed on first use: most commands need no hash at all. */
const emptyTree = lazily(() => sha256(encodeTree([])))
const isEmptyTree = (entry: Entry): boolean => Buffer.compare(entry.hash, emptyTree()) === 0

/**
 * Every path that differs, folders included, in walk order (a folder before its contents). The cost is proportional to
 * the differences: subtrees with the same hash are skipped. `within` limits it to some paths. Folders may be nested
 * thousands deep, so pending folders are in a list, not on the call stack.
 */
export function* compareTrees(
  read: ReadTree,
  from: Uint8Array | undefined,
  to: Uint8Array | undefined,
  within: readonly RelPath[] = [],
  path: RelPath = ROOT,
): Generator<TreeDifference> {
  const waiting: Pair[] = [...pairOf(read, path, from, to)]
  for (let pair = waiting.at(-1); pair !== undefined; pair = waiting.at(-1)) {
    const next = nextOf(pair)
    if (next === undefined) waiting.pop()
    else if (touches(next.path, within)) {
      const { path: at, old: a, new: b } = next
      const inside = within.length === 0 || within.some((folder) => isWithin(at, folder))
      if (inside && !sameEntry(a, b)) yield next
      waiting.push(...pairOf(read, at, treeOf(a), treeOf(b)))
    }
  }
}

/** Two states of a folder, and how far the comparison has got. */
interface Pair {
  readonly path: RelPath
  readonly olds: readonly Entry[]
  readonly news: readonly Entry[]
  i: number
  j: number
}

/** Undefined when there is nothing to compare. */
function pairOf(read: ReadTree, path: RelPath, from: Uint8Array | undefined, to: Uint8Array | undefined): Pair[] {
  if (!from && !to) return []
  if (from && to && Buffer.compare(from, to) === 0) return []
  return [{ path, olds: from ? read(from, path) : [], news: to ? read(to, path) : [], i: 0, j: 0 }]
}

/** The next entry of a folder that differs in itself or in its contents. */
function nextOf(pair: Pair): TreeDifference | undefined {
  while (pair.i < pair.olds.length || pair.j < pair.news.length) {
    const [a, b] = [pair.olds[pair.i], pair.news[pair.j]]
    const order = a === undefined ? 1 : b === undefined ? -1 : a.name < b.name ? -1 : a.name > b.name ? 1 : 0
    if (order <= 0) pair.i++
    if (order >= 0) pair.j++
    if (order === 0 && isEqual(a as Entry, b as Entry)) continue
    const path = joinPath(pair.path, (order <= 0 ? a : b)?.name ?? '')
    return { path, old: order <= 0 ? a : undefined, new: order >= 0 ? b : undefined }
  }
  return undefined
}

/** Whether `path` is one of the wanted paths, below one, or above one. */
const touches = (path: RelPath, within: readonly RelPath[]): boolean =>
  within.length === 0 || within.some((wanted) => isWithin(path, wanted) || isWithin(wanted, path))

const treeOf = (entry: Entry | undefined): Uint8Array | undefined =>
  entry?.kind === KIND.directory ? entry.hash : undefined

/** Most entries are equal: they are skipped without an allocation. */
const isEqual = (a: Entry, b: Entry): boolean =>
  a.mtime === b.mtime &&
  a.size === b.size &&
  a.mode === b.mode &&
  a.kind === b.kind &&
  Buffer.compare(a.hash, b.hash) === 0

/** Compares folders by their own attributes only; differences of their contents are separate differences. */
function sameEntry(a: Entry | undefined, b: Entry | undefined): boolean {
  if (a === undefined || b === undefined) return false
  if (a.kind !== b.kind || a.mode !== b.mode || a.mtime !== b.mtime) return false
  return a.kind === KIND.directory || (a.size === b.size && Buffer.compare(a.hash, b.hash) === 0)
}

export const sameContent = (a: Entry | undefined, b: Entry | undefined): boolean =>
  a !== undefined &&
  b !== undefined &&
  a.kind === b.kind &&
  (a.kind === KIND.directory || Buffer.compare(a.hash, b.hash) === 0)

/**
 * Whether a user would call it a change. A folder counts when an empty one is created or deleted, when it becomes
 * something else, or when its mode changes. Its time does not count: it changes whenever an entry does.
 */
export function isChange({ old: a, new: b }: TreeDifference): boolean {
  if (a?.kind !== KIND.directory && b?.kind !== KIND.directory) return true
  if (a?.kind === KIND.directory && b?.kind === KIND.directory) return a.mode !== b.mode
  if (a && b) return true
  return isEmptyTree((a ?? b) as Entry)
}

export const statusOf = ({ old: a, new: b }: TreeDifference): 'added' | 'modified' | 'deleted' =>
  a === undefined ? 'added' : b === undefined ? 'deleted' : 'modified'

/** The entry at `path`, or undefined. The root itself has no entry. */
export function findEntry(read: ReadTree, root: Uint8Array, path: RelPath): Entry | undefined {
  let tree: Uint8Array | undefined = root
  let entry: Entry | undefined
  let at: RelPath = ROOT
  for (const name of path.split('/')) {
    if (tree === undefined) return undefined
    entry = byName(read(tree, at), name)
    if (entry === undefined) return undefined
    tree = treeOf(entry)
    at = joinPath(at, name)
  }
  return entry
}

/** Entries are sorted by name. */
function byName(entries: readonly Entry[], name: string): Entry | undefined {
  let [low, high] = [0, entries.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((entries[middle] as Entry).name < name) low = middle + 1
    else high = middle
  }
  return entries[low]?.name === name ? entries[low] : undefined
}

/** Every entry below a tree, a folder before what is in it. */
export function* walkTree(
  read: ReadTree,
  tree: Uint8Array,
  path: RelPath = ROOT,
): Generator<{ path: RelPath; entry: Entry }> {
  const waiting = [{ path, entries: read(tree), next: 0 }]
  for (let folder = waiting.at(-1); folder !== undefined; folder = waiting.at(-1)) {
    const entry = folder.entries[folder.next++]
    if (entry === undefined) waiting.pop()
    else {
      const at = joinPath(folder.path, entry.name)
      yield { path: at, entry }
      if (entry.kind === KIND.directory) waiting.push({ path: at, entries: read(entry.hash), next: 0 })
    }
  }
}

/** In the form of a row of `changes`. */
export function asChange(difference: TreeDifference): PathChange {
  const entry = difference.new?.kind === KIND.directory ? undefined : difference.new
  return { path: difference.path, status: statusOf(difference), size: entry?.size ?? null }
}
