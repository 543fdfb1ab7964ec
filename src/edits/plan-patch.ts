import { Fault } from '../base/fault.ts'
import { outPath } from '../base/quote.ts'
import { parseRelPath, type RelPath } from '../schema/path.ts'
import { diffOf, type OpOf } from './ops.ts'
import type { Draft, DraftContent } from './plan-draft.ts'
import { barrierTo, checkHash, target } from './plan-path.ts'

/** What a diff does to one path. Without `after` the file is deleted; with `from` it is moved from there. */
interface Patched {
  readonly path: string
  readonly from?: string | undefined
  /** `mode` may be the whole st_mode or the permissions only. */
  readonly after?: { readonly bytes: Uint8Array; readonly mode: number } | undefined
}

/**
 * Applies a diff to the files that `read` returns, and returns the results; throws a fault when it does not apply.
 * Paths have neither quotes nor the prefixes `a/` and `b/`. `read` throws when a path may not be edited.
 */
export type ApplyDiff = (
  diff: Uint8Array,
  read: (path: string) => { readonly bytes: Uint8Array; readonly mode: number } | undefined,
) => readonly Patched[]

/** A diff describes the states before and after: so all deletions come first, then everything is written. */
export function patch(draft: Draft, op: OpOf<'diff'>, applyDiff: ApplyDiff): void {
  const patched = applyDiff(diffOf(op), (path) => readable(draft, given(path))).map(resolved)
  checkOnly(draft, patched, op.expected_hash)
  const origins = patched.map(({ path, from }) => draft.originOf(from ?? path))
  const going = patched.flatMap(({ path, from, after }) => [
    ...(from === undefined ? [] : [from]),
    ...(after === undefined ? [path] : []),
  ])
  for (const path of new Set(going)) takeAway(draft, path)
  for (const [i, { path, from, after }] of patched.entries()) {
    if (after === undefined) continue
    makeWay(draft, path)
    const known = draft.file(target(draft, path))
    if (from !== undefined && known !== undefined) throw new Fault('PATH_EXISTS', { path: outPath(path) })
    draft.write(path, after.bytes, after.mode, origins[i])
  }
}

/** The path of a diff is already unquoted, so it must not be unquoted again. */
const given = (path: string): RelPath => parseRelPath(outPath(path))

/**
 * Undefined for a folder or a path below a file: there is nothing to patch, but the diff may delete what is in the way.
 */
function readable(draft: Draft, path: RelPath): DraftContent | undefined {
  const isBarred = barrierTo(draft, path) !== undefined || draft.at(path)?.kind === 'directory'
  return isBarred ? undefined : draft.file(path)
}

interface Resolved {
  readonly path: RelPath
  readonly from: RelPath | undefined
  readonly after: Patched['after']
}

function resolved({ path: text, from: fromText, after }: Patched): Resolved {
  const path = given(text)
  const from = fromText === undefined ? path : given(fromText)
  if (((after?.mode ?? 0) & 0o170000) === 0o120000)
    throw new Fault('PATH_SYMLINK', { path: outPath(path), link: outPath(path) })
  return { path, from: from === path ? undefined : from, after }
}

/** A hash of one file cannot be checked against several. */
function checkOnly(draft: Draft, patched: readonly Resolved[], expected: string | undefined): void {
  const [one, another] = patched
  if (expected === undefined) return
  if (one === undefined || another !== undefined)
    throw new Fault('BAD_INPUT', { problem: `expected_hash is for one file; this diff changes ${patched.length}.` })
  checkHash(draft, one.from ?? one.path, expected)
}

function takeAway(draft: Draft, path: RelPath): void {
  if (draft.file(target(draft, path)) === undefined) throw new Fault('PATH_MISSING', { path: outPath(path) })
  draft.remove(path)
}

/** A diff does not describe folders: one without a file in it is removed when a file takes its place. */
function makeWay(draft: Draft, path: RelPath): void {
  if (path !== '' && draft.at(path)?.kind === 'directory' && draft.isHollow(path)) draft.remove(path)
}
