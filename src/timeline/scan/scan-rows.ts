import type { Stat } from '../../host/files/fs.ts'
import type { RelPath } from '../../schema/path.ts'
import { SKIP_REASONS, type SkipReason } from '../../schema/skip.ts'
import { HASH_BYTES } from '../../store/store.ts'
import { KIND } from '../../store/tree.ts'
import { copyEntry, encodeHead, type Folder, headOf, newFolder, SKIPPED } from './folder.ts'
import type { ReadOutcome } from './read-stable.ts'

export type FolderScan =
  | { readonly state: 'same'; readonly linked: boolean }
  | { readonly state: 'gone' }
  | { readonly state: 'unreadable' }
  | {
      readonly state: 'changed'
      /** The folder, encoded; its tree is not made yet. */
      readonly folder: Uint8Array
      readonly fresh: RelPath[]
      /** The inodes of files in it that have several hard links. */
      readonly linked: readonly number[]
    }

/** What a scan found at one name of a folder. `same` is the row in the last record. */

export type ScannedEntry =
  | { readonly same: number; readonly linked: boolean }
  | { readonly folder: true }
  | { readonly taken: ReadOutcome & object; readonly stat: Stat | undefined }
export type ScannedRow = ScannedEntry & { readonly name: string }

/** The inodes of the entries that have several hard links. */
export function linkedOf(rows: Iterable<ScannedEntry | undefined>, last: Folder | undefined): number[] {
  const inodes: number[] = []
  for (const row of rows)
    if (row === undefined) continue
    else if ('same' in row) {
      if (row.linked) inodes.push(last?.inos[row.same] ?? 0)
    } else if ('taken' in row && 'linked' in row.taken && row.taken.linked) inodes.push(row.taken.ino)
  return inodes
}

/**
 * Writes what was found at some names into `folder`, which is decoded from `encoded`. Returns false, having changed
 * nothing, when that takes more than new contents in existing rows.
 */
export function overwrite(
  encoded: Uint8Array,
  folder: Folder,
  found: ReadonlyMap<string, ScannedEntry | undefined>,
  positionOf: (name: string) => number | undefined,
): boolean {
  const rows = new Map<number, Kept>()
  for (const [name, row] of found) {
    const i = positionOf(name)
    if (i === undefined || row === undefined || 'folder' in row) return false
    if ('same' in row) continue
    if ('skip' in row.taken || folder.kinds[i] !== row.taken.kind) return false
    rows.set(i, row.taken)
  }
  for (const [i, taken] of rows) setTaken(folder, i, taken)
  encodeHead(encoded, folder, headOf(encoded).namesLength)
  return true
}

/** The folder updated by what was found at some names; a name with nothing found is removed. */
export function merge(last: Folder, found: ReadonlyMap<string, ScannedEntry | undefined>): Folder {
  const rows = new Map<string, ScannedRow>(last.names.map((name, same) => [name, { name, same, linked: false }]))
  for (const [name, row] of found)
    if (row) rows.set(name, { name, ...row })
    else rows.delete(name)
  return asFolder(
    [...rows.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    last,
  )
}

type Kept = Exclude<ReadOutcome, 'moved' | { skip: SkipReason }>

export function asFolder(rows: readonly ScannedRow[], last: Folder | undefined): Folder {
  const folder = newFolder(rows.map((row) => row.name))
  rows.forEach((row, i) => {
    if ('same' in row) copyEntry(last as Folder, row.same, folder, i)
    else if ('folder' in row) folder.kinds[i] = KIND.directory
    else if ('skip' in row.taken) setSkipped(folder, i, row.taken.skip, row.stat)
    else setTaken(folder, i, row.taken)
  })
  return folder
}

function setTaken(folder: Folder, i: number, taken: Kept): void {
  folder.kinds[i] = taken.kind
  folder.modes[i] = taken.mode
  folder.sizes[i] = taken.size
  folder.mtimes[i] = taken.mtime
  folder.sigM[i] = taken.sigM
  folder.sigC[i] = taken.sigC
  folder.inos[i] = taken.ino
  folder.hashes.set(taken.hash, HASH_BYTES * i)
}

/** Entries that may become readable without changing themselves are tried again in every scan. */
function setSkipped(folder: Folder, i: number, reason: SkipReason, stat: Stat | undefined): void {
  const lasting = reason === 'oversized' || reason === 'special'
  folder.kinds[i] = SKIPPED
  folder.modes[i] = SKIP_REASONS.indexOf(reason)
  folder.sizes[i] = stat?.size ?? 0
  folder.sigM[i] = stat?.mtimeMs ?? 0
  folder.sigC[i] = lasting && stat ? stat.ctimeMs : Number.NaN
  folder.inos[i] = stat?.ino ?? 0
}
