import { lstat, readFolder } from '../../host/files/fs.ts'
import type { OpenFolders } from '../../host/files/open-folders.ts'
import { toHex } from '../../host/hash.ts'
import type { Snapshots } from '../../records/snapshots.ts'
import type { Cause, Sighting } from '../../schema/cause.ts'
import { joinPath, nameOf, parentOf, type RelPath } from '../../schema/path.ts'
import type { TreeDifference } from '../../store/compare-trees.ts'
import { type Entry, KIND } from '../../store/tree.ts'

/** A sighting: a change outside every call, or an editor's swap file. */
export interface Seen {
  readonly at: number
  readonly by: Sighting['by']
  /** An editor has the file open now. */
  readonly isOpen?: boolean
  /** The name that the file had then, if it was another. */
  readonly path?: RelPath
}

/** The last sighting at a path; undefined: there is none. */
export type SeenAt = (path: RelPath) => Seen | undefined

/** At most this many snapshots without a call are checked. */
const LOOKED_AT = 1000

/** Whether no call is known for it: a person made the change, or a process that reported nothing. */
export const isNobodys = ({ role, tool, session_id, shared }: Cause): boolean =>
  role === 'change' && !tool && !session_id && !shared

/**
 * Sightings since a moment, from the snapshots without a call: the changed paths, and the files beside which an
 * editor's swap file changed.
 */
export function seenInRecords(snapshots: Snapshots, workspace: string, since: number): SeenAt {
  const lately = snapshots
    .ofNobody(workspace, since, LOOKED_AT)
    .filter(({ cause, base }) => isNobodys(cause) && base !== null)
  const times = new Map(lately.map(({ seq, created_at }) => [seq, created_at]))
  const seen = new Map<RelPath, { at: number; by: Sighting['by'] }>()
  const add = (path: RelPath, at: number, by: Sighting['by']): void => {
    if (at > (seen.get(path)?.at ?? 0)) seen.set(path, { at, by })
  }
  for (const { seq, path } of snapshots.changedIn([...times.keys()])) {
    const at = times.get(seq) ?? 0
    add(path, at, 'change')
    const edited = editedWith(path)
    if (edited !== undefined) add(edited, at, 'swap-file')
  }
  return (path) => seen.get(path)
}

/** A swap file is always an editor's, whichever calls are running. */
export const seenByName =
  (now: number): SeenAt =>
  (path) =>
    editedWith(path) === undefined ? undefined : { at: now, by: 'swap-file', isOpen: true }

/** For a renamed file, a sighting at its old name counts, too. */
export function followingMoves(changes: readonly TreeDifference[], seenAt: SeenAt): SeenAt {
  const from = new Map([...movesIn(changes)].map(([old, now]) => [now, old]))
  return (path) => {
    const old = from.get(path)
    const seen = seenAt(path)
    if (seen !== undefined || old === undefined) return seen
    const before = seenAt(old)
    return before && { ...before, path: old }
  }
}

/**
 * The files that were renamed, from old name to new: one file was deleted, one was created, and no other deleted or
 * created file has the same content. With several copies, none counts as the renamed file.
 */
export function movesIn(changes: readonly TreeDifference[]): Map<RelPath, RelPath> {
  const gone = new Map<string, RelPath[]>()
  for (const { path, old, new: now } of changes) if (old && !now) add(gone, contentOf(old), path)
  if (gone.size === 0) return new Map()
  const came = new Map<string, RelPath[]>()
  for (const { path, old, new: now } of changes) if (now && !old) add(came, contentOf(now), path)
  return new Map(
    [...gone].flatMap(([content, [from, ...others]]) => {
      const [to, ...copies] = came.get(content) ?? []
      return from && to && others.length + copies.length === 0 ? [[from, to] as const] : []
    }),
  )
}

function add(paths: Map<string, RelPath[]>, content: string | undefined, path: RelPath): void {
  if (content === undefined) return
  const known = paths.get(content)
  if (known) known.push(path)
  else paths.set(content, [path])
}

/** Empty files have no identifying content: they are all alike. */
const contentOf = ({ kind, size, hash }: Entry): string | undefined =>
  kind === KIND.file && size > 0 ? toHex(hash) : undefined

/** Sightings by the swap files that editors keep beside open files right now. Each folder is listed once. */
export function seenOnDisk(folders: OpenFolders, since: number): SeenAt {
  const known = new Map<RelPath, ReadonlyMap<string, number>>()
  return (path) => {
    const folder = parentOf(path)
    let swaps = known.get(folder)
    if (swaps === undefined) known.set(folder, (swaps = swapFilesIn(folders, folder)))
    const at = swaps.get(nameOf(path))
    return at !== undefined && at >= since ? { at, by: 'swap-file', isOpen: true } : undefined
  }
}

/** The names of files that are open in an editor, with the time at which the editor last wrote its swap file. */
function swapFilesIn(folders: OpenFolders, folder: RelPath): Map<string, number> {
  const found = new Map<string, number>()
  try {
    folders.rest()
    const at = folders.folder(folder)
    for (const name of readFolder(`${at}/.`).names) {
      const edited = editedBeside(name)
      const time = edited === undefined ? undefined : lstat(`${at}/${name}`)?.mtimeMs
      if (edited !== undefined && time !== undefined) found.set(edited, Math.max(time, found.get(edited) ?? 0))
    }
  } catch {
    // A folder that is gone or cannot be read gives no sightings.
  }
  return found
}

/** The names of swap files: Vim and Nano, Emacs twice, Kate, LibreOffice. */
const SWAP_FILES = [/^\.(.+)\.sw[a-p]$/, /^\.#(.+)$/, /^#(.+)#$/, /^\.(.+)\.kate-swp$/, /^\.~lock\.(.+)#$/]

/** The file that is being edited, if `path` is a swap file. */
export function editedWith(path: RelPath): RelPath | undefined {
  const edited = editedBeside(nameOf(path))
  return edited === undefined ? undefined : joinPath(parentOf(path), edited)
}

/** The name of the edited file, from that of the swap file. */
function editedBeside(name: string): string | undefined {
  for (const pattern of SWAP_FILES) {
    const [, edited] = pattern.exec(name) ?? []
    if (edited !== undefined) return edited
  }
  return undefined
}
