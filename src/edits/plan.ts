/**
 * Plans edits: what all of them together change, or the fault of the first one that cannot be made.
 *
 * Nothing is written here and nothing is guessed; a dry run shows the same plan that is carried out.
 */

import { Fault } from '../base/fault.ts'
import { outPath } from '../base/quote.ts'
import { isWithin, type RelPath } from '../schema/path.ts'
import { contentOf, type EditOp, type OpOf } from './ops.ts'
import { Draft, type PresentFiles } from './plan-draft.ts'
import { type Plan, planOf } from './plan-outcome.ts'
import { type ApplyDiff, patch } from './plan-patch.ts'
import { checkHash, target } from './plan-path.ts'
import { blockEdited, rangeEdited } from './plan-text.ts'

/**
 * The plan for some edits; each sees the results of those before it. When one cannot be made there is no plan: its
 * fault is thrown and, if there are several edits, `edit` in its data is the number of the edit.
 */
export function planEdits(ops: readonly EditOp[], present: PresentFiles, applyDiff: ApplyDiff): Plan {
  const draft = new Draft(present)
  for (const [i, op] of ops.entries()) {
    try {
      perform(draft, op, applyDiff)
    } catch (error) {
      throw ops.length > 1 && error instanceof Fault ? numbered(error, i + 1) : error
    }
  }
  return planOf(draft)
}

const numbered = ({ code, data }: Fault, edit: number): Fault => new Fault(code, { ...data, edit } as never)

function perform(draft: Draft, op: EditOp, applyDiff: ApplyDiff): void {
  switch (op.op) {
    case 'block':
      return rewrite(draft, op, (path, before) => blockEdited(path, before, op))
    case 'ranged':
      return rewrite(draft, op, (path, before) => rangeEdited(path, before, op))
    case 'whole':
      return rewrite(draft, op, () => contentOf(op))
    case 'diff':
      return patch(draft, op, applyDiff)
    case 'delete':
      return remove(draft, op)
    case 'create_directory':
      return makeFolder(draft, op)
    case 'rename':
      return rename(draft, op)
  }
}

type Rewriting = OpOf<'block' | 'ranged' | 'whole'>

function rewrite(
  draft: Draft,
  op: Rewriting,
  edited: (path: RelPath, before: Uint8Array | undefined) => Uint8Array,
): void {
  const path = target(draft, op.path)
  checkHash(draft, path, op.expected_hash)
  draft.write(path, edited(path, draft.file(path)?.bytes))
}

function remove(draft: Draft, op: OpOf<'delete'>): void {
  draft.remove(existing(draft, op.path, op.expected_hash))
}

function makeFolder(draft: Draft, op: OpOf<'create_directory'>): void {
  const path = target(draft, op.path)
  checkHash(draft, path, op.expected_hash)
  if (draft.at(path)?.kind === 'directory') return
  if (draft.file(path) !== undefined)
    throw new Fault('PATH_KIND', { path: outPath(path), wanted: 'directory', found: 'file' })
  draft.makeFolder(path)
}

function rename(draft: Draft, op: OpOf<'rename'>): void {
  const from = existing(draft, op.from, op.expected_hash)
  const to = target(draft, op.to)
  if (draft.at(to) !== undefined) throw new Fault('PATH_EXISTS', { path: outPath(to) || '.' })
  if (isWithin(to, from)) throw new Fault('RENAME_INSIDE', { from: outPath(from), to: outPath(to) })
  draft.move(from, to)
}

/** An existing path that is itself deleted or moved, so it may be a symlink. */
function existing(draft: Draft, path: RelPath, expected: string | undefined): RelPath {
  target(draft, path)
  checkHash(draft, path, expected)
  if (draft.at(path) === undefined) throw new Fault('PATH_MISSING', { path: outPath(path) })
  return path
}
