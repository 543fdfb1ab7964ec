/**
 * Diffs as text, under the names of this project's first design. Strings in, strings out; bytes in, bytes out. Only
 * bytes can hold a diff of files that are not UTF-8.
 */

import { type FaultJson, isFault } from '../base/fault.ts'
import { ByteSink } from './byte-sink.ts'
import { blobHash } from './git-hash.ts'
import { writeUnifiedHunks } from './hunks.ts'
import { diffLines } from './lines.ts'
import type { ReadStored } from './patch/applied-file.ts'
import { type Applied, applyPatch, checkPatch } from './patch/apply.ts'
import { type ApplyOptions, applyHunks } from './patch/apply-hunks.ts'
import { cleanTimestamps } from './patch/clean-timestamps.ts'
import { formatPatch } from './patch/format.ts'
import { gitName, headerName } from './patch/git-names.ts'
import { parsePatch } from './patch/parse.ts'
import { type FilePatch, NO_BYTES, type PatchChange, type PatchSide, pathOf } from './patch/patch.ts'
import { reversePatch } from './patch/reverse.ts'
import { isBinary } from './unified.ts'

export type Text = string | Uint8Array
/** The type of the result follows the input: text for text, bytes for bytes. */
export type Like<T extends Text> = T extends string ? string : Uint8Array

const bytesOf = (text: Text): Uint8Array => (typeof text === 'string' ? new TextEncoder().encode(text) : text)

const like = <T extends Text>(sample: T, bytes: Uint8Array): Like<T> =>
  (typeof sample === 'string' ? Buffer.from(bytes).toString() : bytes) as Like<T>

export interface UnifiedOptions {
  /** The names for the header, unchanged; `/dev/null` where there is no file. */
  readonly oldPath?: string
  readonly newPath?: string
  /** Unchanged lines around a change; default 3. */
  readonly context?: number
  /** Times for the header, for example from `getGitTimestamp`. */
  readonly oldTimestamp?: string
  readonly newTimestamp?: string
}

/** The unified diff of two contents; empty when they are equal. */
export function generateUnifiedDiff<T extends Text>(before: T, after: T, options: UnifiedOptions = {}): Like<T> {
  const { oldPath = 'a/file', newPath = 'b/file', context = 3, oldTimestamp, newTimestamp } = options
  const [old, current] = [bytesOf(before), bytesOf(after)]
  const out = new ByteSink()
  if (Buffer.compare(old, current) === 0) return like(before, NO_BYTES)
  const [oldName, newName] = [gitName('', oldPath), gitName('', newPath)]
  if (isBinary(old) || isBinary(current)) {
    out.add(`Binary files ${oldName} and ${newName} differ\n`)
    return like(before, out.bytes())
  }
  out.add(`--- ${stamped(oldName, oldTimestamp)}\n+++ ${stamped(newName, newTimestamp)}\n`)
  writeUnifiedHunks(out, diffLines(old, current), context)
  return like(before, out.bytes())
}

const stamped = (name: string, time: string | undefined): string =>
  time === undefined ? headerName(name) : `${name}\t${time}`

/** A time as git stores it: seconds since 1970 and the offset from UTC. */
export function getGitTimestamp(date: Date = new Date()): string {
  const offset = -date.getTimezoneOffset()
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60]
  const zone = `${offset < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}${String(minutes).padStart(2, '0')}`
  return `${Math.floor(date.getTime() / 1000)} ${zone}`
}

/** The first seven digits of git's id of a file with these contents. */
export const calculateFileHash = (content: Text): string => blobHash(bytesOf(content)).slice(0, 7)

export interface FileDiff {
  /** The names as in the diff, with prefixes; `/dev/null` where there is no file. */
  readonly oldPath: string
  readonly newPath: string
  /** The path of the file, without prefix. */
  readonly path: string
  readonly change: PatchChange
  readonly linesAdded: number
  readonly linesRemoved: number
  /** The part of the diff that is about this file. */
  readonly diffContent: string
  readonly patch: FilePatch
}

/** The files of a diff. Throws `PATCH_BAD`, which names the line. */
export const parseMultiFileDiff = (diff: Text): FileDiff[] => parsePatch(bytesOf(diff)).files.map(fileDiff)

function fileDiff(patch: FilePatch): FileDiff {
  const lines = patch.body.kind === 'text' ? patch.body.hunks.flatMap((hunk) => hunk.lines) : []
  const alone = formatPatch({ files: [{ ...patch, lead: NO_BYTES }], tail: NO_BYTES })
  return {
    oldPath: labelOf(patch.old),
    newPath: labelOf(patch.new),
    path: pathOf(patch),
    change: patch.change,
    linesAdded: lines.filter(({ mark }) => mark === '+').length,
    linesRemoved: lines.filter(({ mark }) => mark === '-').length,
    diffContent: Buffer.from(alone).toString(),
    patch,
  }
}

const labelOf = ({ path, prefix }: PatchSide): string => (path === null ? '/dev/null' : prefix + path)

export interface DiffValidation {
  readonly isValid: boolean
  readonly errors: readonly { readonly line: number; readonly problem: string }[]
}

/** Whether a text can be parsed as a diff, and if not, at which line it fails and why. */
export function validateDiffFormat(diff: Text): DiffValidation {
  const bytes = bytesOf(diff)
  try {
    const { files } = parsePatch(bytes)
    if (files.length > 0 || bytes.length === 0) return { isValid: true, errors: [] }
    return { isValid: false, errors: [{ line: 1, problem: 'there is no diff in this text' }] }
  } catch (error) {
    if (isFault(error, 'PATCH_BAD')) return { isValid: false, errors: [error.data] }
    throw error
  }
}

export interface PatchAnalysis extends Applied {
  readonly success: boolean
  /** The obstacles, one sentence per file; empty when there are none. */
  readonly detailedError: string
  readonly problems: readonly FaultJson[]
}

/** The result of applying a diff to the files that `read` returns, with all obstacles. */
export function analyzePatchResult(diff: Text, read: ReadStored, options: ApplyOptions = {}): PatchAnalysis {
  const patch = parsePatch(bytesOf(diff))
  const problems = checkPatch(patch, read, options)
  const applied = problems.length === 0 ? applyPatch(patch, read, options) : { files: [], offsets: [] }
  return {
    ...applied,
    success: problems.length === 0,
    detailedError: problems.map(({ message }) => message).join('\n'),
    problems: problems.map((problem) => problem.toJSON()),
  }
}

/** The reverse of `diff`, including modes, names and binary contents. */
export const reverseDiff = <T extends Text>(diff: T): Like<T> =>
  like(diff, formatPatch(reversePatch(parsePatch(bytesOf(diff)))))

/** The diff without the times after its file names. */
export const cleanDiffTimestamps = <T extends Text>(diff: T): Like<T> => like(diff, cleanTimestamps(bytesOf(diff)))

/**
 * The diff with git's headers, including the ids of the old and new contents. `oldContent` returns the contents before
 * the change; without it they are known only where the diff contains them completely. A file whose contents are unknown
 * stays as it is.
 */
export function addFileHashesToDiff<T extends Text>(diff: T, oldContent?: (path: string) => Text | undefined): Like<T> {
  const { files, tail } = parsePatch(bytesOf(diff))
  return like(diff, formatPatch({ files: files.map((file) => withHashes(file, oldContent)), tail }))
}

function withHashes(file: FilePatch, oldContent?: (path: string) => Text | undefined): FilePatch {
  const { body, old, new: current, change } = file
  const isRenamed = old.path !== null && current.path !== null && old.path !== current.path
  if (file.format === 'context' || body.kind !== 'text' || old.hash !== null || isRenamed) return file
  const given = change === 'added' ? '' : oldContent?.(old.path ?? '')
  const before = given === undefined ? wholeOldContent(file) : bytesOf(given)
  if (!before) return file
  const after = applyHunks(pathOf(file), before, body.hunks).bytes
  const missing = '0000000'
  return {
    ...file,
    format: 'git',
    old: { ...old, hash: change === 'added' ? missing : calculateFileHash(before) },
    new: { ...current, hash: change === 'deleted' ? missing : calculateFileHash(after) },
  }
}

/** The old content, if a single hunk spans the file from the first line to the last. See `expectedBy` for the last. */
function wholeOldContent({ body }: FilePatch): Uint8Array | undefined {
  const hunk = body.kind === 'text' && body.hunks.length === 1 ? body.hunks[0] : undefined
  if (!hunk || hunk.oldStart > 1 || hunk.lines.at(-1)?.mark === ' ') return undefined
  return Buffer.concat(hunk.lines.flatMap(({ mark, bytes }) => (mark === '+' ? [] : [bytes])))
}
