import { Fault } from '../../base/fault.ts'
import { errorCode, lstat, type Stat } from '../../host/files/fs.ts'
import type { RelPath } from '../../schema/path.ts'
import { KIND } from '../../store/tree.ts'
import { takeFile, takeLink } from '../scan/read-stable.ts'

/** The signature of a file from the scan, and its hash, which is compared when the times cannot be trusted. */
export interface ExpectedFile {
  readonly kind: number
  readonly size: number
  readonly sigM: number
  readonly sigC: number
  readonly ino: number
  readonly hash: Uint8Array
}

export interface WriteRefusal {
  readonly path: RelPath
  readonly why: 'changed' | 'denied' | 'damaged' | 'blocked'
  readonly reason: string
}

/** Turns an error about this one path into a refusal. All other errors are rethrown. */
export function refusalOf(path: RelPath, error: unknown): WriteRefusal {
  if (error instanceof Fault && (error.code === 'OBJECT_DAMAGED' || error.code === 'OBJECT_MISSING'))
    return { path, why: 'damaged', reason: error.message }
  const code = errorCode(error)
  const refusal = REFUSALS.find(({ codes }) => code !== undefined && codes.includes(code))
  if (refusal === undefined) throw error
  return { path, why: refusal.why, reason: refusal.reason }
}

const REFUSALS: readonly (Omit<WriteRefusal, 'path'> & { readonly codes: readonly string[] })[] = [
  { codes: ['EACCES', 'EPERM', 'EROFS'], why: 'denied', reason: 'permission denied' },
  {
    codes: ['ENOTDIR', 'ENOENT', 'EISDIR', 'ELOOP', 'EEXIST'],
    why: 'changed',
    reason: 'its folder changed meanwhile',
  },
  { codes: ['ENOTEMPTY'], why: 'blocked', reason: 'it holds something that is not captured' },
  { codes: ['EBUSY', 'EXDEV', 'ETXTBSY'], why: 'denied', reason: 'something is mounted there, or it is in use' },
  { codes: ['ENAMETOOLONG', 'EINVAL', 'EILSEQ'], why: 'denied', reason: 'the disk does not take such a name' },
  { codes: ['EFBIG'], why: 'denied', reason: 'the disk does not take so large a file' },
  { codes: ['EIO'], why: 'denied', reason: 'the disk failed to read or write it' },
]

export const changed = (path: RelPath): WriteRefusal => ({
  path,
  why: 'changed',
  reason: 'somebody changed it meanwhile',
})

/** Whether the path still holds what was captured. */
export function isAsExpected(at: string, expect: ExpectedFile): boolean {
  const found = lstat(at)
  if (found === undefined || kindOf(found) !== expect.kind || found.size !== expect.size) return false
  const isUnwritten = found.mtimeMs === expect.sigM && found.ino === expect.ino
  if (isUnwritten && found.ctimeMs === expect.sigC) return true
  // Another hard link of the same file may just have been changed by this act, or only the times have changed.
  return hasContent(at, expect, isUnwritten ? expect : undefined)
}

/** `known`: by its times the file has not been written to, but they are too recent to be relied on alone. */
function hasContent(at: string, expect: ExpectedFile, known?: ExpectedFile): boolean {
  const nowhere = { take: () => {} }
  const taken =
    expect.kind === KIND.symlink ? takeLink(at, nowhere) : takeFile(at, Number.MAX_SAFE_INTEGER, nowhere, true, known)
  return typeof taken === 'object' && 'hash' in taken && Buffer.compare(taken.hash, expect.hash) === 0
}

/**
 * Whether a file was not written to just before it was moved aside. Its change time is not compared: the move has set
 * it.
 */
export function isUntouched(kept: string, expect: ExpectedFile): boolean {
  const found = lstat(kept)
  if (found === undefined || found.size !== expect.size) return false
  return (found.ino === expect.ino && found.mtimeMs === expect.sigM) || hasContent(kept, expect)
}

const kindOf = (found: Stat): number =>
  found.isFile() ? KIND.file : found.isSymbolicLink() ? KIND.symlink : found.isDirectory() ? KIND.directory : -1
