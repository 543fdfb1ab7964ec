import type { AppliedFile, ReadStored, StoredFile } from './applied-file.ts'
/**
 * Applies a patch to files that the caller reads and writes: completely or, with a fault, not at all.
 *
 * A hunk applies where all its old lines match, byte for byte; if that is not at the line it names, the result has the
 * offset. Nothing is applied that matches only approximately. Binary contents are checked by their hashes.
 */

import { Fault } from '../../base/fault.ts'
import { blobHash } from '../git-hash.ts'
import { type ApplyOptions, applyHunks, type HunkOffset, type Patched } from './apply-hunks.ts'
import { applyDelta } from './delta.ts'
import { Overlay } from './overlay.ts'
import { type BinaryPart, type FilePatch, LINK_MODE, NO_BYTES, type Patch, type PatchBody, pathOf } from './patch.ts'

export interface Applied {
  /** Every path once. */
  readonly files: readonly AppliedFile[]
  readonly offsets: readonly HunkOffset[]
}

/**
 * Computes the result of `patch` on the files that `read` returns. Throws `PATCH_MISMATCH`, `PATCH_BAD` or
 * `PATH_OUTSIDE`. Renamed and copied files are made from the state before the patch, whatever the order.
 */
export function applyPatch(patch: Patch, read: ReadStored, options: ApplyOptions = {}): Applied {
  const overlay = new Overlay(patch, read)
  const offsets = patch.files.flatMap((file) => applyFile(file, overlay, options))
  return { files: overlay.files(), offsets }
}

/** Everything that prevents applying `patch`: at most one fault per file. */
export function checkPatch(patch: Patch, read: ReadStored, options: ApplyOptions = {}): Fault[] {
  const overlay = new Overlay(patch, read)
  return patch.files.flatMap((file) => {
    try {
      applyFile(file, overlay, options)
      return []
    } catch (error) {
      if (error instanceof Fault) return [error]
      throw error
    }
  })
}

function applyFile(given: FilePatch, overlay: Overlay, options: ApplyOptions): readonly HunkOffset[] {
  const file = resolve(given, overlay)
  for (const { path, mode } of [file.old, file.new]) {
    if (path !== null) refuseOutside(path)
    if (mode !== null && !KINDS.has(kindOf(mode))) throw bad(file, `it is about something of mode ${mode.toString(8)}`)
  }
  const before = sourceOf(file, overlay)
  if (before) refuseOtherKind(file, before)
  const { bytes, offsets } = patchBytes(file, before?.bytes ?? NO_BYTES, options)
  const path = pathOf(file)
  if (file.change === 'deleted') {
    if (bytes.length > 0) throw mismatch(path, 'the patch deletes the file, but something of it would be left')
    overlay.remove(path)
    return offsets
  }
  const after = { bytes, mode: newMode(file, before) }
  if (file.change === 'renamed') overlay.rename(file.old.path ?? '', path, after)
  else if (file.change === 'modified') overlay.modify(path, after)
  else overlay.add(path, after)
  return offsets
}

/** The classic formats have two names for one file and may not state whether it is new. */
function resolve(file: FilePatch, overlay: Overlay): FilePatch {
  if (file.format === 'git') return file
  if (file.change === 'deleted') return withOneName(file, file.old.path)
  if (file.change === 'added') return withOneName(file, file.new.path)
  const existing = [file.old.path, file.new.path].filter((path) => path !== null && overlay.current(path) !== undefined)
  const [path] = existing.sort((a, b) => (a?.length ?? 0) - (b?.length ?? 0))
  if (path !== undefined) return withOneName(file, path)
  return createsFromNothing(file)
    ? { ...withOneName(file, file.new.path), change: 'added' }
    : withOneName(file, file.new.path)
}

const withOneName = (file: FilePatch, path: string | null): FilePatch => ({
  ...file,
  old: { ...file.old, path },
  new: { ...file.new, path },
})

const createsFromNothing = ({ body }: FilePatch): boolean =>
  body.kind === 'text' &&
  body.hunks.length === 1 &&
  body.hunks.every(({ lines }) => lines.every(({ mark }) => mark === '+'))

function refuseOutside(path: string): void {
  const isBad = path.includes('\0') || path.split('/').some((part) => part === '' || part === '.' || part === '..')
  if (isBad) throw new Fault('PATH_OUTSIDE', { path })
}

/** The file that the patch starts from; undefined for a new file. */
function sourceOf(file: FilePatch, overlay: Overlay): StoredFile | undefined {
  const { change } = file
  const [from, to] = [file.old.path ?? '', pathOf(file)]
  if (change !== 'modified' && change !== 'deleted' && overlay.isTaken(to))
    throw mismatch(to, `it should be ${change}, but exists already`)
  if (change === 'added') return undefined
  const before = change === 'renamed' || change === 'copied' ? overlay.origin(from, change) : overlay.current(from)
  return before ?? refuseMissing(from)
}

function refuseMissing(path: string): never {
  throw mismatch(path, 'it does not exist')
}

const KINDS: ReadonlySet<number> = new Set([0o100000, LINK_MODE])
const kindOf = (mode: number): number => mode & 0o170000 || 0o100000

/** A patch for a file does not apply to a symlink, even if the text is the same. */
function refuseOtherKind(file: FilePatch, before: StoredFile): void {
  const wanted = kindOf(file.old.mode ?? 0)
  const found = kindOf(before.mode)
  if (wanted === found) return
  const isLink = found === LINK_MODE
  throw mismatch(
    file.old.path ?? '',
    isLink ? 'it is a symlink, and the patch is for a file' : 'it is not what the patch is for',
  )
}

/** Git records only whether a file is executable; the other permissions stay. No diff sets more than permissions. */
function newMode({ old, new: current, change }: FilePatch, before: StoredFile | undefined): number {
  if (!before || change === 'added') return freshMode(current.mode ?? 0o100644)
  if (current.mode === null || current.mode === old.mode) return before.mode
  if (kindOf(current.mode) !== kindOf(before.mode)) return freshMode(current.mode)
  return current.mode & 0o100 ? before.mode | ((before.mode & 0o444) >> 2) : before.mode & ~0o111
}

const freshMode = (mode: number): number =>
  kindOf(mode) === LINK_MODE ? LINK_MODE : 0o100000 | (mode & 0o100 ? 0o755 : 0o644)

function patchBytes(file: FilePatch, before: Uint8Array, options: ApplyOptions): Patched {
  const { body } = file
  if (body.kind === 'text') return applyHunks(file.old.path ?? pathOf(file), before, body.hunks, options)
  if (body.kind === 'none') return { bytes: before, offsets: [] }
  if (body.kind === 'binary') return { bytes: replaceBinary(file, body, before), offsets: [] }
  throw bad(file, 'it says only that the binary files differ, not how; git diff --binary says it')
}

function replaceBinary(file: FilePatch, body: PatchBody & { kind: 'binary' }, before: Uint8Array): Uint8Array {
  const { old, new: current } = file
  if (old.hash === null || current.hash === null)
    throw bad(file, 'binary contents need an index line with their hashes')
  const path = old.path ?? pathOf(file)
  if (!isHashOf(old.hash, before)) throw mismatch(path, 'its contents are not those that the patch replaces')
  const after = contentsFrom(body.forward, before)
  if (!after || !isHashOf(current.hash, after))
    throw bad(file, 'the binary contents do not come to the hash in the index line')
  return after
}

const contentsFrom = ({ method, data }: BinaryPart, before: Uint8Array): Uint8Array | undefined =>
  method === 'literal' ? data : applyDelta(before, data)

/** The hash of zeros, which no file has, stands for empty contents. */
const isHashOf = (hash: string, bytes: Uint8Array): boolean =>
  /^0+$/.test(hash) ? bytes.length === 0 : blobHash(bytes, hash.length > 40 ? 64 : 40).startsWith(hash.toLowerCase())

const bad = ({ line }: FilePatch, problem: string): Fault<'PATCH_BAD'> => new Fault('PATCH_BAD', { line, problem })

const mismatch = (path: string, problem: string): Fault<'PATCH_MISMATCH'> =>
  new Fault('PATCH_MISMATCH', {
    path,
    problem,
    hunk: null,
    line: null,
    expected: null,
    found: null,
    already: false,
  })
