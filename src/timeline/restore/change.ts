import { Fault, isFault } from '../../base/fault.ts'
import { outPath } from '../../base/quote.ts'
import { lstat, readFile, readNames } from '../../host/files/fs.ts'
import { sha256, toHex } from '../../host/hash.ts'
import { point } from '../../host/points.ts'
import type { Journal, JournalPlan } from '../../records/journals.ts'
import type { SnapshotRecord } from '../../records/snapshot-record.ts'
import type { RelPath } from '../../schema/path.ts'
import { findEntry } from '../../store/compare-trees.ts'
import type { Batch, Syncing } from '../../store/object-store.ts'
import { OBJECT } from '../../store/store.ts'
import type { Entry } from '../../store/tree.ts'
import { capture, leaseName } from '../capture/capture.ts'
import { isOnDisk } from '../capture/left-out.ts'
import { preview } from '../capture/preview.ts'
import { stopIfAsked } from '../capture/stop.ts'
import type { Trees } from '../capture/trees.ts'
import type { Captured } from '../capture/types.ts'
import type { CaptureContext } from '../scan/context.ts'
import type { ScanScope } from '../scan/scan-scope.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { keepReadable } from './read-back.ts'
import { checkReady } from './readiness.ts'
import { undoInterrupted } from './recover.ts'
import { closeJournal, performRestore, refuseHalf } from './restore-perform.ts'
import type { Receipt, RestoreRequest } from './restore-request.ts'
import { planFor, wishedState } from './restore-scope.ts'
import { applyTreeEdits, type TreeEdits } from './tree-edits.ts'

/** The present state of the workspace, for the caller that decides on the change. */
export interface PresentTree {
  readonly tree: Uint8Array
  readonly trees: Trees
  /** The captured entry at a path. */
  captured(path: RelPath): Entry | undefined
  /** As `captured`; throws if something exists at the path that is not captured. */
  entry(path: RelPath): Entry | undefined
  bytes(path: RelPath, entry: Entry): Uint8Array
  /** What exists at a path, captured or not. Symlinks on the way are not followed. */
  stands(path: RelPath): 'folder' | 'other' | undefined
  /** The names in a folder, captured or not. */
  names(folder: RelPath): string[]
}

/** The decision what to change. */
interface Decision<Detail> {
  /** The edits to make; undefined: nothing is to be done. */
  readonly wishes: readonly TreeEdits[] | undefined
  /** The number of lines that the edits add and remove. A preview does not call it, because counting may take long. */
  readonly linesChanged?: () => number
  /** Passed through to the caller. */
  readonly detail: Detail
}

/** May throw faults: then nothing has been changed. */
export type Decide<Detail> = (present: PresentTree) => Decision<Detail>

export interface ChangeRequest<Detail> {
  readonly act: 'edit' | 'revert'
  /** The places to scan in any case, even if no event was reported there. */
  readonly also: ScanScope
  readonly decide: Decide<Detail>
  /** Source, cause and label of the snapshot after the change. */
  readonly after: NonNullable<JournalPlan['after']>
  /** The snapshot that the journal names as `of`; undefined: the state before the change. */
  readonly of?: string | undefined
}

interface Changed {
  readonly before: SnapshotRecord
  readonly after: SnapshotRecord
  readonly receipt: Receipt
}

/** The outcome of a decision; `changed` is undefined when nothing was to be done, and in a preview. */
export interface Outcome<Detail> {
  readonly detail: Detail
  readonly changed: Changed | undefined
}

/** The detail that would be decided. Changes nothing and stores nothing. */
export async function previewChange<Detail>(
  ctx: CaptureContext,
  workspace: Workspace,
  decide: Decide<Detail>,
): Promise<Outcome<Detail>> {
  const { assembled, trees } = await preview(ctx, workspace)
  return { detail: decide(presentOf(ctx, workspace, assembled.tree, trees)).detail, changed: undefined }
}

/**
 * Changes files, all or none.
 *
 * Earlier changes by others are captured first, with their own cause. The wanted state is put into the store. The
 * journal names it in the same transaction in which it becomes visible. Then the files change as in a restore. If the
 * process dies, the next command finishes the change. If it cannot be done as a whole, because another process changes
 * one of the files meanwhile or the disk fails, the journal is reversed and all files are restored to the state before.
 */
export async function change<Detail>(
  ctx: CaptureContext,
  workspace: Workspace,
  request: ChangeRequest<Detail>,
): Promise<Outcome<Detail>> {
  const started = performance.now()
  return ctx.records.leases.during(leaseName(workspace.id), request.act, workspace.root, async () => {
    const syncing = ctx.store.beginSync()
    const before = await capture(ctx, workspace, {
      source: request.after.source,
      label: `pre-${request.act}`,
      cause: { role: 'change' },
      ifChanged: true,
      inAct: true,
      also: request.also,
    })
    const present = presentOf(ctx, workspace, before.assembled.tree, before.trees)
    const { wishes, linesChanged, detail } = request.decide(present)
    if (wishes === undefined) return { detail, changed: undefined }
    const after = { ...request.after, ...(linesChanged ? { lines_changed: linesChanged() } : {}) }
    const changed = await carryOut(ctx, workspace, { ...request, after, started, syncing }, before, wishes)
    return { detail, changed }
  })
}

/** The present, from a captured state. */
export function presentOf(ctx: CaptureContext, workspace: Workspace, tree: Uint8Array, trees: Trees): PresentTree {
  const captured = (path: RelPath): Entry | undefined => (path === '' ? undefined : findEntry(trees.read, tree, path))
  return {
    tree,
    trees,
    captured,
    stands: (path) => {
      if (!isOnDisk(workspace.root, path)) return undefined
      return lstat(`${workspace.root}/${path}`)?.isDirectory() ? 'folder' : 'other'
    },
    entry: (path) => {
      const entry = captured(path)
      if (entry === undefined && lstat(`${workspace.root}/${path}`) !== undefined && path !== '')
        throw new Fault('PATH_EXCLUDED', { path: outPath(path) })
      return entry
    },
    bytes: (path, entry) => contentOf(ctx, workspace, path, entry),
    names: (folder) => readNames(`${workspace.root}/${folder}`),
  }
}

/**
 * Reads from the store; from the workspace if the store does not have the bytes yet, as in a dry run, or cannot read
 * them.
 */
function contentOf(ctx: CaptureContext, workspace: Workspace, path: RelPath, entry: Entry): Uint8Array {
  try {
    return ctx.store.reader.get(entry.hash)
  } catch (error) {
    if (!isFault(error, 'OBJECT_MISSING') && !isFault(error, 'OBJECT_DAMAGED')) throw error
    const bytes = readFile(`${workspace.root}/${path}`)
    if (bytes !== undefined && Buffer.compare(sha256(bytes), entry.hash) === 0) return bytes
    if (isFault(error, 'OBJECT_DAMAGED')) throw error
    throw new Fault('CAPTURE_UNSETTLED', { root: workspace.root, tries: 1 })
  }
}

async function carryOut(
  ctx: CaptureContext,
  workspace: Workspace,
  request: ActOptions & { readonly syncing: Syncing },
  before: Captured,
  wishes: readonly TreeEdits[],
): Promise<Changed> {
  const paths = wishes.map(({ path }) => path)
  const act: Act = { ...request, paths, of: request.of ?? before.snapshot.id }
  const batch = ctx.store.begin()
  try {
    const now = ctx.clock.now() * 1000
    const contents: (readonly [Uint8Array, Uint8Array])[] = []
    const tree = applyTreeEdits(before.trees.read, before.assembled.tree, wishes, now, (hash, kind, bytes) => {
      batch.putAs(hash, kind, bytes)
      if (kind === OBJECT.blob) contents.push([hash, bytes])
    })
    const id = `j_${before.snapshot.id}_${Math.floor(ctx.clock.random() * 1e9).toString(36)}`
    const plan = journalOf(act, before.snapshot, tree)
    const tellSynced = await ctx.store.synced(request.syncing)
    stopIfAsked(ctx)
    checkReady(workspace.root)
    ctx.records.journals.open(id, workspace.id, plan, ctx.clock.now(), () => {
      tellSynced()
      ctx.records.workspaces.countAct(workspace.id)
      batch.publish()
    })
    for (const [hash, bytes] of contents) ctx.store.reader.remember(hash, bytes)
    point('change:journal')
    const changed = await apply(ctx, workspace, { ...act, batch }, before, tree).catch(async (error: unknown) => {
      throw await undone(ctx, workspace, { id, plan }, error)
    })
    closeJournal(ctx, workspace, id)
    return changed
  } finally {
    batch.end()
  }
}

type ActOptions = Pick<ChangeRequest<unknown>, 'act' | 'after' | 'of'> & { readonly started: number }
type Act = ActOptions & { readonly paths: readonly RelPath[]; readonly of: string }

const journalOf = ({ act, of, paths, after }: Act, before: SnapshotRecord, tree: Uint8Array): JournalPlan => ({
  act,
  of,
  paths,
  after,
  target: before.id,
  backup: before.id,
  tree: toHex(tree),
})

async function apply(
  ctx: CaptureContext,
  workspace: Workspace,
  act: Act & { readonly batch: Batch },
  before: Captured,
  tree: Uint8Array,
): Promise<Changed> {
  const target = wishedState(before.snapshot, tree)
  const request: RestoreRequest = {
    act: act.act,
    target,
    of: act.of,
    paths: act.paths,
    after: act.after,
    allOrNone: true,
    started: act.started,
    batch: act.batch,
  }
  const wished = planFor(before.trees, workspace, target, act.paths, before.assembled)
  const plan = keepReadable(ctx, workspace, wished, before)
  refuseHalf(plan.skipped)
  const receipt = await performRestore(ctx, { workspace, request, plan, present: before, backup: before.snapshot })
  if (receipt.after === undefined) throw new Fault('INTERNAL', { problem: 'a change left no state' })
  return { before: before.snapshot, after: receipt.after, receipt }
}

/** Undoes what was written. If that fails, too, the journal stays open and the next command tries again. */
async function undone(
  ctx: CaptureContext,
  workspace: Workspace,
  journal: Pick<Journal, 'id' | 'plan'>,
  error: unknown,
): Promise<unknown> {
  if (isFault(error, 'ROOT_REPLACED')) {
    closeJournal(ctx, workspace, journal.id)
    return error
  }
  const problem = await undoInterrupted(ctx, workspace, journal)
  if (problem === undefined) return error
  return new Fault('EDIT_INTERRUPTED', { backup_id: journal.plan.backup, problem }, { cause: error })
}
