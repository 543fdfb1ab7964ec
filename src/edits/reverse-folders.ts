import { isWithin, joinPath, nameOf, parentOf, type RelPath } from '../schema/path.ts'
import type { RecordedEdits, StoredState } from './file-change.ts'

/** The present folders. */
export interface PresentFolders {
  /** The mode of the folder at a path; undefined where there is none. */
  mode(path: RelPath): number | undefined
  /** All names in it, captured or not. */
  names(path: RelPath): readonly string[]
}

/** The modes that folders get; undefined: the folder is removed. */
export type FolderTargets = ReadonlyMap<RelPath, number | undefined>

/**
 * Folders that the changes created are removed when nothing is left in them; those that they removed are created again,
 * with their modes. `files` is what becomes of files. Pure.
 */
export function reverseFolders(
  doings: readonly RecordedEdits[],
  present: PresentFolders,
  files: ReadonlyMap<RelPath, StoredState | undefined>,
): FolderTargets {
  const wishes = new Map<RelPath, number | undefined>()
  const now = (path: RelPath): number | undefined => (wishes.has(path) ? wishes.get(path) : present.mode(path))
  const filled = filledFolders(files)
  for (const { folders } of doings)
    for (const { path, before, after } of deepestFirst(folders)) {
      if (now(path) !== after) continue
      if (before !== undefined && files.get(path) === undefined) wishes.set(path, before)
      else if (before === undefined && !filled.has(path) && isLeftEmpty(path, present, files, wishes))
        wishes.set(path, undefined)
    }
  return withoutRoofless(wishes, present, files)
}

const deepestFirst = <T extends { readonly path: RelPath }>(all: readonly T[]): T[] =>
  all.toSorted((a, b) => (a.path < b.path ? 1 : -1))

/** Folders in which a file will be. */
function filledFolders(files: ReadonlyMap<RelPath, StoredState | undefined>): Set<RelPath> {
  const filled = new Set<RelPath>()
  for (const [path, state] of files)
    for (let folder = state && parentOf(path); folder; folder = parentOf(folder)) filled.add(folder)
  return filled
}

function isLeftEmpty(
  path: RelPath,
  present: PresentFolders,
  files: ReadonlyMap<RelPath, StoredState | undefined>,
  wishes: FolderTargets,
): boolean {
  const goes = (child: RelPath): boolean =>
    [files, wishes].some((all) => all.has(child) && all.get(child) === undefined)
  const comes = [...wishes].some(([child, mode]) => mode !== undefined && child !== path && isWithin(child, path))
  return !comes && present.names(path).every((name) => goes(joinPath(path, name)))
}

/** A folder cannot be created again where something else is in the place of a folder above it. */
function withoutRoofless(
  wishes: FolderTargets,
  present: PresentFolders,
  files: ReadonlyMap<RelPath, StoredState | undefined>,
): FolderTargets {
  const isFree = (path: RelPath): boolean =>
    path === '' || present.mode(path) !== undefined || (!isTaken(path) && isFree(parentOf(path)))
  const isTaken = (path: RelPath): boolean => {
    if (files.has(path)) return files.get(path) !== undefined
    const parent = parentOf(path)
    return (parent === '' || present.mode(parent) !== undefined) && present.names(parent).includes(nameOf(path))
  }
  return new Map([...wishes].filter(([path, mode]) => mode === undefined || isFree(path)))
}
