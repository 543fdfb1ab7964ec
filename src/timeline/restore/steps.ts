import { Fault } from '../../base/fault.ts'
import type { SnapshotRecord } from '../../records/snapshot-record.ts'
import { isWithin } from '../../schema/path.ts'
import { compareTrees, isChange, type TreeDifference } from '../../store/compare-trees.ts'
import { preview } from '../capture/preview.ts'
import type { CaptureContext } from '../scan/context.ts'
import type { Workspace } from '../workspace/workspace.ts'

/** One step of undo or redo: the state to restore, and the step that is undone or redone. */
export interface StepBack {
  readonly target: SnapshotRecord
  /** Undefined: the backup of this act. */
  readonly of: string | undefined
  readonly what: string
}

/** The number of snapshots searched for steps. */
const DEPTH = 2000

/**
 * The steps of a workspace, as two stacks: what can be undone, what can be redone.
 *
 *     change A, change B, undo (of B), undo (of A), redo (of A)   →   undo: [A]   redo: [B]
 *
 * A backup that captured changes is a step: they are work that no other snapshot holds, and undoing the change before
 * them must not undo them as well. A backup that captured nothing is no step, nor is the state that a recovery
 * captured. A change after an undo leaves nothing to redo. A change that failed and was undone is no step, if nothing
 * else had happened meanwhile. A journey begins with no steps; when it is over, the steps are those from before it.
 */
export function stacksOf(oldestFirst: readonly SnapshotRecord[]): { undo: SnapshotRecord[]; redo: SnapshotRecord[] } {
  let undo: SnapshotRecord[] = []
  let redo: SnapshotRecord[] = []
  let home: { undo: SnapshotRecord[]; redo: SnapshotRecord[] } | undefined
  for (const snapshot of oldestFirst) {
    const { role, act, of } = snapshot.cause
    if (isMereReturn(snapshot, oldestFirst)) continue
    if (role === 'backup') {
      if (act !== 'recover' && changedAnything(snapshot)) [undo, redo] = [[...undo, snapshot], []]
    } else if (role === 'act' && act === 'travel') {
      home ??= { undo, redo }
      ;[undo, redo] = [[], []]
    } else if (role === 'act' && act === 'return') {
      ;({ undo, redo } = home ?? { undo: [], redo: [] })
      home = undefined
    } else if (role === 'act' && act === 'undo') {
      const taken = oldestFirst.find(({ id }) => id === of)
      if (taken) redo = [...redo, taken]
      undo = undo.filter(({ id }) => id !== of)
    } else if (role === 'act' && act === 'redo') {
      const again = redo.find(({ id }) => id === of)
      if (again) undo = [...undo, again]
      redo = redo.filter(({ id }) => id !== of)
    } else {
      undo.push(snapshot)
      redo = []
    }
  }
  return { undo, redo }
}

const isMereReturn = ({ cause, tree }: SnapshotRecord, all: readonly SnapshotRecord[]): boolean => {
  if (cause.role !== 'act' || cause.act !== 'recover') return false
  const before = all.find(({ id }) => id === cause.of)
  return before !== undefined && Buffer.compare(before.tree, tree) === 0
}

const changedAnything = ({ added, modified, deleted }: SnapshotRecord): boolean => added + modified + deleted > 0

/**
 * Whether restoring the newest snapshot would change anything. Paths that the snapshot could not capture do not count.
 */
const isDirty = async (ctx: CaptureContext, workspace: Workspace, newest: SnapshotRecord): Promise<boolean> => {
  const { assembled, trees } = await preview(ctx, workspace)
  const { skipped } = newest.facts
  const isKnown = ({ path }: TreeDifference): boolean => !skipped.some((skip) => isWithin(path, skip.path))
  return [...compareTrees(trees.read, newest.tree, assembled.tree)].some((found) => isChange(found) && isKnown(found))
}

const recent = (ctx: CaptureContext, workspace: Workspace): SnapshotRecord[] =>
  ctx.records.snapshots.list({ workspace: workspace.id }, DEPTH).reverse()

/** What `undo` reverts: changes that are not captured yet, else the newest step that has not been undone. */
export async function undoStep(ctx: CaptureContext, workspace: Workspace): Promise<StepBack> {
  const snapshots = recent(ctx, workspace)
  const newest = snapshots.at(-1)
  if (newest === undefined) throw new Fault('NOTHING_TO_UNDO', { why: 'there is no snapshot yet' })
  if (await isDirty(ctx, workspace, newest))
    return { target: newest, of: undefined, what: 'the changes since the newest snapshot' }
  const step = stacksOf(snapshots).undo.at(-1)
  if (step === undefined) throw new Fault('NOTHING_TO_UNDO', { why: 'everything has been undone' })
  const before = stateBefore(ctx, step)
  return { target: before, of: step.id, what: nameOf(step) }
}

/** The state before a step. */
function stateBefore(ctx: CaptureContext, step: SnapshotRecord): SnapshotRecord {
  const before = ctx.records.snapshots.get(step.cause.backup ?? step.base ?? '')
  if (before === undefined)
    throw new Fault('NOTHING_TO_UNDO', {
      why: step.base === null ? `${step.id} is the first snapshot` : `the state before ${step.id} is no longer kept`,
    })
  if (!before.content) throw new Fault('SNAPSHOT_DROPPED', { id: before.id })
  return before
}

export async function redoStep(ctx: CaptureContext, workspace: Workspace): Promise<StepBack> {
  const snapshots = recent(ctx, workspace)
  const newest = snapshots.at(-1)
  const step = stacksOf(snapshots).redo.at(-1)
  if (newest === undefined || step === undefined) throw new Fault('NOTHING_TO_REDO', { why: 'nothing has been undone' })
  if (await isDirty(ctx, workspace, newest))
    throw new Fault('NOTHING_TO_REDO', {
      why: 'files have changed since the undo; capture them, or undo that change first',
    })
  if (!step.content) throw new Fault('SNAPSHOT_DROPPED', { id: step.id })
  return { target: step, of: step.id, what: nameOf(step) }
}

const nameOf = ({ id, label, cause }: SnapshotRecord): string =>
  cause.role === 'backup'
    ? `the changes that ${id} captured`
    : cause.act
      ? `the ${cause.act} ${id}`
      : `the change ${id}${label ? ` (${label})` : ''}`
