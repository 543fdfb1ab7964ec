import { outPath } from '../base/quote.ts'
import type { RelPath } from '../schema/path.ts'
import { hasBom, hasByte } from './plan-bytes.ts'
import type { Draft, DraftContent, DraftNode } from './plan-draft.ts'

/**
 * The result of edits, as data. To carry it out: delete files, `remove`, `make`, then write the files that are created
 * or changed. In that order no path blocks another, also when a file becomes a folder or two files are swapped.
 */
export interface Plan {
  /** In the order of their paths, each path once. */
  readonly changes: readonly PlannedChange[]
  /** Folders to create, each before its contents. */
  readonly make: readonly { readonly path: RelPath; readonly mode: number }[]
  /** Folders to remove, each after its contents. */
  readonly remove: readonly RelPath[]
  readonly warnings: readonly string[]
}

/** A change of a path: the state before and after. Each end of a move is a change of its own. */
export interface PlannedChange {
  readonly path: RelPath
  /** The path of the file before. If it was only moved, `after` is the same object as `before` there. */
  readonly from?: RelPath
  readonly before?: DraftContent
  readonly after?: DraftContent
}

export function planOf(draft: Draft): Plan {
  const paths = [...draft.touched()].sort()
  const changes = paths.flatMap((path) => changeOf(path, draft.was(path), draft.at(path)) ?? [])
  const make = paths.flatMap((path) => comingFolder(path, draft.was(path), draft.at(path)) ?? [])
  const remove = paths.filter((path) => isFolder(draft.was(path)) && !isFolder(draft.at(path))).reverse()
  const isIdle = changes.length + make.length + remove.length === 0
  const warnings = isIdle ? ['Nothing changes: everything already is as the edit asks.'] : changes.flatMap(warningsOf)
  return { changes, make, remove, warnings }
}

const isFolder = (node: DraftNode | undefined): boolean => node?.kind === 'directory'

function comingFolder(path: RelPath, was: DraftNode | undefined, now: DraftNode | undefined) {
  return now?.kind === 'directory' && !isFolder(was) ? { path, mode: now.mode } : undefined
}

function changeOf(path: RelPath, was: DraftNode | undefined, now: DraftNode | undefined): PlannedChange | undefined {
  const [before, after] = [contentAt(was), contentAt(now)]
  if (before === after || (before && after && isSame(before, after))) return undefined
  const from = now && now.kind !== 'directory' && now.origin !== path ? now.origin : undefined
  return { path, ...(from === undefined ? {} : { from }), ...(before && { before }), ...(after && { after }) }
}

const contentAt = (node: DraftNode | undefined): DraftContent | undefined =>
  node && node.kind !== 'directory' ? node.content : undefined

const isSame = (a: DraftContent, b: DraftContent): boolean =>
  a.kind === b.kind && a.mode === b.mode && a.bytes.length === b.bytes.length && Buffer.compare(a.bytes, b.bytes) === 0

const [CR, LF] = [13, 10]

/** Warnings about changes of a text file that cannot be seen when it is read. */
function warningsOf({ path, before, after }: PlannedChange): string[] {
  if (before?.kind !== 'file' || after?.kind !== 'file' || hasByte(before.bytes, 0)) return []
  const [was, now] = [endsIn(before.bytes), endsIn(after.bytes)]
  const name = outPath(path)
  return [
    ...(hasBom(before.bytes) && !hasBom(after.bytes)
      ? [`${name} began with a byte order mark, and no longer does.`]
      : []),
    ...(was.crlf && !was.lf && now.lf ? [`${name} had CRLF line ends only, and now has LF.`] : []),
    ...(was.lf && !was.crlf && now.crlf ? [`${name} had LF line ends only, and now has CRLF.`] : []),
  ]
}

function endsIn(bytes: Uint8Array): { lf: boolean; crlf: boolean } {
  if (!hasByte(bytes, CR)) return { lf: hasByte(bytes, LF), crlf: false }
  const ends = { lf: false, crlf: false }
  for (let at = bytes.indexOf(LF); at !== -1 && !(ends.lf && ends.crlf); at = bytes.indexOf(LF, at + 1))
    ends[bytes[at - 1] === CR ? 'crlf' : 'lf'] = true
  return ends
}
