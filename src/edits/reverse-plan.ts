import { allFoldersAbove, foldersAbove, type RelPath } from '../schema/path.ts'
import type { RecordedEdit, RecordedEdits, StoredState } from './file-change.ts'
import { type FolderTargets, type PresentFolders, reverseFolders } from './reverse-folders.ts'

/** A conflict with later work, with what both sides want. */
interface Clash {
  readonly path: RelPath
  readonly id: string
  readonly reason: string
  /** What is there now is not captured, so replacing it would lose it. */
  readonly uncaptured?: true
  /** The line in the present, counted from 1; absent where the conflict is about the whole file. */
  readonly line?: number
  readonly present?: string
  readonly wanted?: string
}

export type Merge = (
  base: Uint8Array,
  ours: Uint8Array,
  theirs: Uint8Array,
) =>
  | { readonly bytes: Uint8Array }
  | {
      readonly conflicts: readonly { line: number; ours: Uint8Array; theirs: Uint8Array }[]
      readonly forced: Uint8Array
    }

export interface Reversal {
  /**
   * What each changed path becomes; undefined: it is deleted. Has only paths that change, and none with a clash unless
   * it is forced.
   */
  readonly wishes: ReadonlyMap<RelPath, StoredState | undefined>
  readonly folders: FolderTargets
  readonly clashes: readonly Clash[]
}

/** The present state of the workspace. */
export interface PresentReader {
  readonly read: (path: RelPath) => StoredState | undefined
  /** Why a path cannot be read or written; undefined where it can. */
  readonly barred?: (path: RelPath) => string | undefined
  readonly folders: PresentFolders
}

/**
 * Reverts some changes and leaves all later work alone. Pure.
 *
 * The inverse of each change is merged into the present, the newest change first: the state after the change is the
 * common ancestor, the present is one side, the state before the change the other. Where the two overlap there is a
 * clash: that file is left as it is, whatever else in it could be reverted, and the other files are still reverted.
 * With `force` the change is reverted there all the same.
 */
export function planReversal(
  doings: readonly RecordedEdits[],
  { read: present, barred = () => undefined, folders }: PresentReader,
  merge: Merge,
  force: boolean,
): Reversal {
  const now = new Map<RelPath, StoredState | undefined>()
  const read = (path: RelPath): StoredState | undefined => (now.has(path) ? now.get(path) : present(path))
  const clashes: Clash[] = []
  const moved: [RelPath, RelPath][] = []
  for (const doing of doings)
    takeBack(doing, { read, barred, write: (path, state) => now.set(path, state), merge, force, clashes, moved })
  const way = { read: present, now, folders, clashes }
  if (!force) for (const doing of doings) findInTheWay(doing, way)
  const held = force ? new Set() : heldBack(clashes, moved)
  const wishes = new Map([...now].filter(([path, state]) => !held.has(path) && !isSame(state, present(path))))
  return { wishes, folders: reverseFolders(doings, folders, wishes), clashes }
}

interface Way {
  readonly read: (path: RelPath) => StoredState | undefined
  readonly now: ReadonlyMap<RelPath, StoredState | undefined>
  readonly folders: PresentFolders
  readonly clashes: Clash[]
}

/**
 * Finds clashes where a file or a link that stays is in the place of a folder: neither the folder nor its contents can
 * be restored.
 */
function findInTheWay({ id, did, folders }: RecordedEdits, { read, now, folders: present, clashes }: Way): void {
  const stands = (path: RelPath): StoredState | undefined => (now.has(path) ? now.get(path) : read(path))
  const tell = (path: RelPath, over: RelPath): void => {
    const what = stands(over)?.kind === 'symlink' ? 'a symlink' : 'a file'
    const reason = path === over ? `${what} is where the folder was` : `${what} is where its folder ${over} was`
    if (!clashes.some((other) => other.path === path)) clashes.push({ path, id, reason })
  }
  for (const { path } of did) {
    const over = now.get(path) && foldersAbove(path).find(stands)
    if (over !== undefined) tell(path, over)
  }
  const told = allFoldersAbove(clashes.map(({ path }) => path))
  for (const { path, before, after } of folders)
    if (before !== undefined && after === undefined && present.mode(path) === undefined && !told.has(path))
      if (stands(path)) tell(path, path)
}

/** Paths with a clash, and the other names of those files: a file is reverted as a whole or not at all. */
function heldBack(clashes: readonly Clash[], moved: readonly (readonly [RelPath, RelPath])[]): Set<RelPath> {
  const held = new Set(clashes.map(({ path }) => path))
  for (let size = -1; size < held.size; ) {
    size = held.size
    for (const names of moved) if (names.some((name) => held.has(name))) for (const name of names) held.add(name)
  }
  return held
}

interface Work {
  readonly read: (path: RelPath) => StoredState | undefined
  readonly barred: (path: RelPath) => string | undefined
  readonly write: (path: RelPath, state: StoredState | undefined) => void
  readonly merge: Merge
  readonly force: boolean
  readonly clashes: Clash[]
  /** Pairs of names that one file had. */
  readonly moved: [RelPath, RelPath][]
}

function takeBack({ id, did: all }: RecordedEdits, work: Work): void {
  const did = all.filter(({ path }) => {
    const reason = work.barred(path)
    if (reason !== undefined && !work.clashes.some((other) => other.path === path && other.id === id))
      work.clashes.push({ path, id, reason, uncaptured: true })
    return reason === undefined
  })
  const moves = movesOf(did)
  for (const { from, to } of moves.values()) moveBack(id, from, to, work)
  for (const one of did) if (!moves.has(one.path)) takeBackOne(id, one, work)
}

/** Files that were only renamed: later changes to them move back with them. */
function movesOf(did: readonly RecordedEdit[]): Map<RelPath, { from: RecordedEdit; to: RecordedEdit }> {
  const moves = new Map<RelPath, { from: RecordedEdit; to: RecordedEdit }>()
  const gone = did.filter(({ after, unknown }) => after === undefined && !unknown)
  for (const to of did.filter(({ before, unknown }) => before === undefined && !unknown)) {
    const from = gone.find((one) => !moves.has(one.path) && isSame(one.before, to.after))
    if (from === undefined || from.before?.bytes.length === 0) continue
    moves.set(from.path, { from, to })
    moves.set(to.path, { from, to })
  }
  return moves
}

function moveBack(id: string, from: RecordedEdit, to: RecordedEdit, work: Work): void {
  const moved = work.read(to.path)
  work.moved.push([from.path, to.path])
  const isBack = work.read(from.path) !== undefined
  if (moved !== undefined && isBack) return clash(work, id, from.path, 'something else is under its old name now')
  if (moved === undefined && !isBack) return clash(work, id, from.path, 'it was deleted since')
  // Both names lead here; the second time nothing is left to do.
  if (moved === undefined) return
  work.write(from.path, moved)
  work.write(to.path, undefined)
}

function takeBackOne(id: string, { path, before, after, unknown }: RecordedEdit, work: Work): void {
  const ours = work.read(path)
  if (unknown === 'before') {
    if (ours !== undefined) clash(work, id, path, 'what was there before is not captured')
    return
  }
  if (isSame(ours, before)) return
  if (isSame(ours, after) || (work.force && (!ours || !before || !after))) return work.write(path, before)
  if (ours === undefined) return clash(work, id, path, 'it was deleted since')
  if (before === undefined) return clash(work, id, path, 'it was created by this change and changed since')
  if (after === undefined)
    return clash(
      work,
      id,
      path,
      unknown
        ? 'what it became was not captured, and it was changed since'
        : 'it was deleted by this change and made anew since',
    )
  mergeBack(id, path, { before, after, ours }, work)
}

function mergeBack(
  id: string,
  path: RelPath,
  all: { before: StoredState; after: StoredState; ours: StoredState },
  work: Work,
): void {
  const { before, after, ours } = all
  if (before.kind !== 'file' || after.kind !== 'file' || ours.kind !== 'file') {
    if (work.force) work.write(path, before)
    else clash(work, id, path, 'it is a symlink, and was changed since')
    return
  }
  const mode = ours.mode === after.mode ? before.mode : ours.mode
  const merged = work.merge(after.bytes, ours.bytes, before.bytes)
  if ('bytes' in merged) return work.write(path, { kind: 'file', mode, bytes: merged.bytes })
  if (work.force) return work.write(path, { kind: 'file', mode, bytes: merged.forced })
  for (const { line, ours: present, theirs: wanted } of merged.conflicts)
    work.clashes.push({
      path,
      id,
      line,
      reason: 'the same lines were changed since',
      present: textOf(present),
      wanted: textOf(wanted),
    })
}

function clash(work: Work, id: string, path: RelPath, reason: string): void {
  if (!work.clashes.some((other) => other.path === path && other.id === id)) work.clashes.push({ path, id, reason })
}

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

export const isSame = (a: StoredState | undefined, b: StoredState | undefined): boolean =>
  a === undefined || b === undefined ? a === b : a.kind === b.kind && a.mode === b.mode && equal(a.bytes, b.bytes)

function equal(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i])
}
