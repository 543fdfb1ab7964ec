import { joinPath, nameOf, parentOf, type RelPath, ROOT } from '../../schema/path.ts'
import type { TreeDifference } from '../../store/compare-trees.ts'
import { type Entry, type EntryKind, KIND } from '../../store/tree.ts'
import { differingRows, rowOf, sameShape } from '../scan/encoded.ts'
import { decodeFolder, type Folder, hashAt, headOf, SKIPPED } from '../scan/folder.ts'
import type { Folders } from '../scan/folders.ts'

/**
 * The differences between two states of a workspace, from the records of the folders whose trees were remade. They are
 * the same that `compareTrees` finds, without reading or decoding any tree.
 */
export function compareFolders(before: Folders, after: Folders, remade: readonly RelPath[]): TreeDifference[] {
  const found: TreeDifference[] = []
  const done = new Set<RelPath>()
  const whole = (folders: Folders, path: RelPath, side: 'old' | 'new'): void => {
    done.add(path)
    const bytes = folders.get(path)
    const folder = bytes && decodeFolder(bytes)
    folder?.names.forEach((name, i) => {
      const entry = entryAt(folder, i)
      if (entry === undefined) return
      const at = joinPath(path, name)
      found.push(side === 'old' ? { path: at, old: entry, new: undefined } : { path: at, old: undefined, new: entry })
      if (entry.kind === KIND.directory) whole(folders, at, side)
    })
  }
  for (const path of [...remade].sort()) {
    if (done.has(path)) continue
    for (const difference of compareRows(path, before.get(path), after.get(path))) {
      found.push(difference)
      const { old: a, new: b } = difference
      if (a?.kind === KIND.directory && b?.kind !== KIND.directory) whole(before, difference.path, 'old')
      if (b?.kind === KIND.directory && a?.kind !== KIND.directory) whole(after, difference.path, 'new')
    }
  }
  return found.sort((a, b) => compareParts(a.path, b.path))
}

/** Whether this is the root tree of the folders. */
export function areOf(folders: Folders, tree: Uint8Array): boolean {
  const root = folders.get(ROOT)
  return root !== undefined && Buffer.compare(headOf(root).tree, tree) === 0
}

/** The entry at `path`, as the tree has it; undefined for a path that is not in the tree. */
export function entryIn(folders: Folders, path: RelPath): Entry | undefined {
  const parent = path === '' ? undefined : folders.get(parentOf(path))
  const i = parent === undefined ? -1 : rowOf(parent, nameOf(path))
  return parent === undefined || i === -1 ? undefined : entryAt(decodeFolder(parent), i)
}

/** The differing rows of one folder. Most rows are equal, and nothing is allocated for them. */
function* compareRows(
  path: RelPath,
  before: Uint8Array | undefined,
  after: Uint8Array | undefined,
): Generator<TreeDifference> {
  if (before && after && sameShape(before, after)) return yield* compareColumns(path, before, after)
  const a = before && decodeFolder(before)
  const b = after && decodeFolder(after)
  const [olds, news] = [a?.names ?? [], b?.names ?? []]
  for (let i = 0, j = 0; i < olds.length || j < news.length; ) {
    const [x, y] = [olds[i], news[j]]
    const order = x === undefined ? 1 : y === undefined ? -1 : x < y ? -1 : x > y ? 1 : 0
    const name = (order <= 0 ? x : y) as string
    const isSame = order === 0 && a && b && sameRow(a, i, b, j)
    const old = order <= 0 && a && !isSame ? entryAt(a, i) : undefined
    const fresh = order >= 0 && b && !isSame ? entryAt(b, j) : undefined
    if (order <= 0) i++
    if (order >= 0) j++
    if ((old || fresh) && !sameFolderRow(old, fresh)) yield { path: joinPath(path, name), old, new: fresh }
  }
}

/** Compares folders with the same names column by column: above a change, nearly all rows are equal. */
function* compareColumns(path: RelPath, before: Uint8Array, after: Uint8Array): Generator<TreeDifference> {
  const rows = differingRows(before, after)
  if (rows.length === 0) return
  const [a, b] = [decodeFolder(before), decodeFolder(after)]
  for (const i of rows) {
    const [old, fresh] = [entryAt(a, i), entryAt(b, i)]
    if (old || fresh) yield { path: joinPath(path, a.names[i] ?? ''), old, new: fresh }
  }
}

const sameRow = (a: Folder, i: number, b: Folder, j: number): boolean =>
  a.kinds[i] === b.kinds[j] &&
  a.modes[i] === b.modes[j] &&
  a.mtimes[i] === b.mtimes[j] &&
  a.sizes[i] === b.sizes[j] &&
  Buffer.compare(hashAt(a, i), hashAt(b, j)) === 0

/** Compares two folder entries by their own mode and time; what is in them has differences of its own. */
const sameFolderRow = (a: Entry | undefined, b: Entry | undefined): boolean =>
  a?.kind === KIND.directory && b?.kind === KIND.directory && a.mode === b.mode && a.mtime === b.mtime

/** The entry as the tree has it; undefined for an entry that is not in the tree. */
function entryAt(folder: Folder, i: number): Entry | undefined {
  const kind = folder.kinds[i]
  if (kind === SKIPPED) return undefined
  return {
    name: folder.names[i] ?? '',
    kind: kind as EntryKind,
    mode: folder.modes[i] ?? 0,
    size: folder.sizes[i] ?? 0,
    mtime: folder.mtimes[i] ?? 0,
    hash: hashAt(folder, i),
  }
}

/** The order of a walk through the trees: a folder, then what is in it, then the next name. */
function compareParts(a: RelPath, b: RelPath): number {
  const [x, y] = [a.split('/'), b.split('/')]
  for (let i = 0; i < Math.min(x.length, y.length); i++)
    if (x[i] !== y[i]) return (x[i] as string) < (y[i] as string) ? -1 : 1
  return x.length - y.length
}
