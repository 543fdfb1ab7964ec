import { Fault } from '../base/fault.ts'
import { outPath } from '../base/quote.ts'
import { parsePatch } from '../diff/patch/parse.ts'
import { diffOf, type EditOp } from '../edits/ops.ts'
import { lstat } from '../host/files/fs.ts'
import { foldersAbove, isWithin, parseEditedPath, type RelPath } from '../schema/path.ts'
import { type ScanScope, scopeOf } from '../timeline/scan/scan-scope.ts'

/** The paths that an edit may overwrite; those of a diff are known only when it is applied. */
export const stakeOf = (ops: readonly EditOp[]): ScanScope =>
  scopeOf(ops.flatMap((op) => (op.op === 'diff' ? [] : pathsIn(op))))

/**
 * Refuses edits whose path leads through a symlink, before anything is changed. Paths below a folder that an earlier
 * edit removes are left to the plan; a link that is swapped in later is refused by the code that writes.
 */
export function refuseLinks(root: string, ops: readonly EditOp[]): void {
  const gone: RelPath[] = []
  for (const op of ops) {
    for (const path of pathsIn(op)) refuseLink(root, path, gone)
    if (op.op === 'delete') gone.push(op.path)
    if (op.op === 'rename') gone.push(op.from)
    // Which paths a diff removes and creates is not known before it is applied.
    if (op.op === 'diff') return
  }
}

function refuseLink(root: string, path: RelPath, gone: readonly RelPath[]): void {
  for (const folder of foldersAbove(path)) {
    if (gone.some((one) => isWithin(folder, one))) return
    const stat = lstat(`${root}/${folder}`)
    if (stat?.isSymbolicLink()) throw new Fault('PATH_SYMLINK', { path: outPath(path), link: outPath(folder) })
    if (!stat?.isDirectory()) return
  }
}

function pathsIn(op: EditOp): RelPath[] {
  if (op.op === 'diff') return pathsOfDiff(diffOf(op))
  return 'path' in op ? [op.path] : [op.from, op.to]
}

/**
 * Only paths of git diffs: the classic formats may name files that they do not change; which ones is known when they
 * are applied.
 */
const pathsOfDiff = (diff: Uint8Array): RelPath[] =>
  parsePatch(diff)
    .files.filter(({ format }) => format === 'git')
    .flatMap(({ old, new: current }) => [old.path ?? [], current.path ?? []].flat())
    .map((path) => parseEditedPath(outPath(path)))
