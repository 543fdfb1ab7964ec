import { Fault } from '../base/fault.ts'
import { outPath } from '../base/quote.ts'
import { parsePatch } from '../diff/patch/parse.ts'
import { diffOf, type EditOp } from '../edits/ops.ts'
import { lstat } from '../host/files/fs.ts'
import { foldersAbove, isWithin, parseEditedPath, type RelPath } from '../schema/path.ts'
import { type ScanScope, scopeOf } from '../timeline/scan/scan-scope.ts'

/** Everything an edit may overwrite; of a diff it is known only once that is applied. */
export const stakeOf = (ops: readonly EditOp[]): ScanScope =>
  scopeOf(ops.flatMap((op) => (op.op === 'diff' ? [] : pathsIn(op))))

/**
 * Refuses edits that lead through a symlink, before anything is done. A folder that an earlier edit takes away is left to
 * the plan, as is a link that is swapped in later to whoever writes.
 */
export function refuseLinks(root: string, ops: readonly EditOp[]): void {
  const gone: RelPath[] = []
  for (const op of ops) {
    for (const path of pathsIn(op)) refuseLink(root, path, gone)
    if (op.op === 'delete') gone.push(op.path)
    if (op.op === 'rename') gone.push(op.from)
    // What a diff takes away and makes is not known before it is applied.
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

/** The classic formats may name files that are not meant; which are is known when they are applied. */
const pathsOfDiff = (diff: Uint8Array): RelPath[] =>
  parsePatch(diff)
    .files.filter(({ format }) => format === 'git')
    .flatMap(({ old, new: current }) => [old.path ?? [], current.path ?? []].flat())
    .map((path) => parseEditedPath(outPath(path)))
