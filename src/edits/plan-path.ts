import { Fault } from '../base/fault.ts'
import { outPath } from '../base/quote.ts'
import { foldersAbove, type RelPath, refuseProtected } from '../schema/path.ts'
import type { Draft } from './plan-draft.ts'

/** A path that may be edited: not protected, and with only folders above it. */
export function target(draft: Draft, path: RelPath): RelPath {
  const barrier = barrierTo(draft, path)
  if (barrier !== undefined)
    throw new Fault('PATH_KIND', { path: outPath(barrier), wanted: 'directory', found: 'file' })
  return path
}

/** The file that is in the place of a folder above the path; faults for a symlink there. */
export function barrierTo(draft: Draft, path: RelPath): RelPath | undefined {
  refuseProtected(path)
  for (const folder of foldersAbove(path)) {
    const found = draft.at(folder)?.kind
    if (found === 'symlink') throw new Fault('PATH_SYMLINK', { path: outPath(path), link: outPath(folder) })
    if (found !== 'directory') return found && folder
  }
  return undefined
}

/** Faults when the file is not as the caller expects: as it was before all edits, or as they left it. */
export function checkHash(draft: Draft, path: RelPath, expected: string | undefined): void {
  if (expected === undefined) return
  const { was, now } = draft.hashes(path)
  if (expected !== was && expected !== now)
    throw new Fault('FILE_CHANGED', { path: outPath(path), expected, found: now })
}
