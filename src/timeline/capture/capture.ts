import { Fault, isFault } from '../../base/fault.ts'
import { sleep } from '../../host/clock.ts'
import { translateError } from '../../host/faults.ts'
import { freeBytes } from '../../host/files/fs.ts'
import { point } from '../../host/points.ts'
import { busy } from '../../records/leases.ts'
import { ROOT } from '../../schema/path.ts'
import type { WrittenBlock } from '../../store/index-rows.ts'
import type { Batch } from '../../store/object-store.ts'
import { OBJECT } from '../../store/store.ts'
import type { CaptureContext } from '../scan/context.ts'
import { decodeFolder, treeOf } from '../scan/folder.ts'
import { indexFile } from '../scan/index-file.ts'
import type { WatchView } from '../scan/live-view.ts'
import { saveScan } from '../scan/save-scan.ts'
import type { Scan } from '../scan/scan-result.ts'
import { joinScopes, scopeOf } from '../scan/scan-scope.ts'
import { scanBasics, scanView } from '../scan/scan-view.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { type Assembled, assemble, type PutTree } from './assemble.ts'
import { EarlyTrees } from './early-trees.ts'
import { publish, sinceOf } from './publish.ts'
import { stopIfAsked } from './stop.ts'
import { Trees } from './trees.ts'
import type { Captured, CaptureRequest, Elsewhere } from './types.ts'

const TRIES = 6
/**
 * Objects are published in portions, so that a long first capture whose process dies need not start from the beginning.
 * The portions grow with what is published already, because each one touches most pages of the index.
 */
const PORTION = 1024

export const leaseName = (workspace: string): string => `workspace:${workspace}`
/** The lease of a process that removes objects. */
export const COLLECT_LEASE = 'store:collect'

/**
 * Records the present state of a workspace.
 *
 * The bytes are written first, then the trees, then the snapshot. The snapshot's row appears in the same transaction as
 * its last objects, after a check in that transaction that nothing it relies on was removed meanwhile. When `capture`
 * returns, the snapshot survives the death of this process; `store.sync()` makes it survive the machine's.
 */
export async function capture(ctx: CaptureContext, workspace: Workspace, request: CaptureRequest): Promise<Captured> {
  const started = performance.now()
  checkSpace(ctx, workspace)
  let also = request.also
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    if (!request.inAct) await untilFree(ctx, workspace)
    // What the first attempt found in the store may be gone by the second: a new batch stores everything again.
    const asked = attempt === 1 ? request : { ...request, batch: undefined, ...(also ? { also } : {}) }
    const captured = await attemptCapture(ctx, workspace, asked, started, attempt === TRIES)
    if (captured === undefined) continue
    if (!('elsewhere' in captured)) return captured
    also = joinScopes(also ?? new Map(), scopeOf(captured.elsewhere))
  }
  throw new Fault('CAPTURE_UNSETTLED', { root: workspace.root, tries: TRIES })
}

function checkSpace(ctx: CaptureContext, workspace: Workspace): void {
  const least = workspace.config.budget.min_free_bytes
  if (least > 0 && freeBytes(ctx.home) < least) throw new Fault('NO_SPACE', { path: ctx.home })
}

const WAIT_MS = 60_000

/** A capture in the middle of a restore would record a mixed state, so it waits for the end of the restore. */
export async function untilFree(ctx: CaptureContext, workspace: { id: string; root: string }): Promise<void> {
  for (const end = ctx.clock.now() + WAIT_MS; ; await sleep(20)) {
    const holder = ctx.records.leases.holder(leaseName(workspace.id))
    if (holder === undefined) return
    point('capture:waits')
    if (ctx.clock.now() > end) throw busy(holder, workspace.root)
  }
}

/** Undefined when something it relied on changed meanwhile: the caller tries again with a new scan. */
async function attemptCapture(
  ctx: CaptureContext,
  workspace: Workspace,
  request: CaptureRequest,
  started: number,
  last: boolean,
): Promise<Captured | Elsewhere | undefined> {
  const lease = last ? ctx.records.leases.tryTake(COLLECT_LEASE, 'capture') : undefined
  const epoch = ctx.store.index.epoch()
  const acts = ctx.records.workspaces.acts(workspace.id)
  const batch = request.batch ?? ctx.store.beginQuietly()
  const view = request.only
    ? undefined
    : await ctx.live?.view(workspace, { epoch, index: ctx.store.index }, request.also ?? new Map())
  let ended = request.batch !== undefined
  try {
    const seen = await look(ctx, workspace, batch, epoch, request.only, view)
    if (seen === 'lost') return undefined
    stopIfAsked(ctx)
    const trees = request.trees ?? new Trees(ctx.store.reader)
    const assembled = makeTrees(ctx, seen, batch, trees)
    const published = publish({
      ctx,
      workspace,
      request,
      batch,
      trees,
      seen,
      assembled,
      epoch,
      acts,
      started,
      healTrees: () => healTrees(ctx, assembled, batch),
      hasLookedAt: view?.folders.of === 'some' && !last ? (path) => view.hasLookedAt(path) : undefined,
    })
    if (published === undefined || 'elsewhere' in published) return published
    if (published.created) batch.mark()
    const linked = [...seen.linked.keys()]
    if (view) view.keep(published.since, { linked, looked: seen.looked })
    // If the state is in the daemon's memory, the daemon saves the index file later.
    const from = request.only?.since
    const isInMind = view || (from && ctx.live?.advance(workspace.id, from, published.since, linked))
    if (!isInMind && !request.passing) saveIndex(ctx, workspace, seen, assembled, epoch)
    return published
  } catch (error) {
    const fault = translateError(error, ctx.home)
    ended ||= isFault(fault, 'NO_SPACE') && giveUp(batch)
    throw fault
  } finally {
    view?.end()
    if (!ended) batch.end()
    if (lease?.taken) ctx.records.leases.release(COLLECT_LEASE, lease.fence)
  }
}

/**
 * Whether everything written could be removed again. The disk may be too full even for that; then `gc` removes it
 * later.
 */
function giveUp(batch: Batch): boolean {
  try {
    batch.giveUp()
    return true
  } catch {
    return false
  }
}

async function look(
  ctx: CaptureContext,
  workspace: Workspace,
  batch: Batch,
  epoch: number,
  only: CaptureRequest['only'],
  view: WatchView | undefined,
): Promise<Scan | 'lost'> {
  const trees = new EarlyTrees(putTreeInto(batch))
  const seen = await scanView(view, only, {
    ...scanBasics(ctx, workspace, epoch, { objects: ctx.store.dir, writer: batch.writer }),
    packs: () => {
      batch.announce()
      return batch.packs
    },
    onThreads: () => batch.announceThreads(),
    onBlocks: inPortions(batch),
    progress: (folders) => {
      stopIfAsked(ctx)
      ctx.progress('Capturing', folders)
    },
    onFound: (path, found) => trees.found(path, found),
  })
  if (seen === 'lost') return seen
  batch.beginSync()
  point('capture:scanned')
  if (seen.gone.has(ROOT)) throw new Fault('ROOT_MISSING', { root: workspace.root })
  if (seen.unreadable.has(ROOT)) throw new Fault('NO_PERMISSION', { path: workspace.root })
  return seen
}

/** Publishes blocks once there are enough of them. */
function inPortions(batch: Batch): (blocks: readonly WrittenBlock[]) => void {
  let waiting = 0
  let published = 0
  return (blocks) => {
    batch.adopt(blocks)
    waiting += blocks.length
    if (waiting < Math.max(PORTION, published / 4)) return
    published += waiting
    waiting = 0
    batch.publish()
  }
}

const putTreeInto =
  (batch: Batch): PutTree =>
  (hash, bytes) =>
    batch.putAs(hash, OBJECT.tree, bytes)

function makeTrees(ctx: CaptureContext, seen: Scan, batch: Batch, trees: Trees): Assembled {
  const put = putTreeInto(batch)
  const assembled = assemble(seen, put)
  trees.lend(assembled.folders, seen.before, assembled.remade)
  if (seen.distrusted) keepTrees(ctx, assembled, put)
  point('capture:trees')
  return assembled
}

/**
 * Makes missing trees of unchanged folders again from the scan: they may have no rows after a collection, or because
 * the database went back.
 */
function keepTrees(
  ctx: CaptureContext,
  assembled: Assembled,
  put: (hash: Uint8Array, bytes: Uint8Array) => void,
): void {
  for (const { tree, bytes } of treesOf(assembled)) if (!ctx.store.index.has(tree)) put(tree, bytes())
}

/**
 * Stores damaged trees of this state again from the scan, so that the new snapshot does not refer to damaged objects.
 */
function healTrees(ctx: CaptureContext, assembled: Assembled, batch: Batch): void {
  for (const { tree, bytes } of treesOf(assembled))
    if (ctx.store.index.has(tree) && !ctx.store.reader.isReadable(tree)) batch.putAnew(tree, OBJECT.tree, bytes())
}

function* treesOf(assembled: Assembled): Generator<{ tree: Uint8Array; bytes: () => Buffer }> {
  for (const [, encoded] of assembled.folders.all()) {
    const folder = decodeFolder(encoded)
    yield { tree: folder.tree, bytes: () => treeOf(folder) }
  }
}

function saveIndex(ctx: CaptureContext, workspace: Workspace, seen: Scan, assembled: Assembled, epoch: number): void {
  const { last } = seen
  if (last && !assembled.dirty && last.rules === seen.rules && last.epoch === epoch) return
  saveScan(indexFile(ctx.home, workspace.id), sinceOf(seen, assembled, epoch))
  point('capture:indexed')
}
