import { isDamage } from '../../base/fault.ts'
import { globsOf } from '../../config/rules.ts'
import { lstat } from '../../host/files/fs.ts'
import { point } from '../../host/points.ts'
import { encodeNote } from '../../records/notes.ts'
import type { NewSnapshot, SnapshotRecord } from '../../records/snapshot-record.ts'
import type { Skipped } from '../../schema/cause.ts'
import type { PathChange } from '../../schema/change.ts'
import { makeId } from '../../schema/ids.ts'
import { foldersAbove, type RelPath } from '../../schema/path.ts'
import { asChange, compareTrees, findEntry, isChange, type TreeDifference } from '../../store/compare-trees.ts'
import { OBJECT } from '../../store/store.ts'
import { KIND } from '../../store/tree.ts'
import { type AttributedStep, sharesOf, stepsOf } from '../attribution/attributed-steps.ts'
import { claimsOn, doubtEarlier } from '../attribution/claims.ts'
import type { Scan, ScanState } from '../scan/scan-result.ts'
import { gitFacts } from '../workspace/git-facts.ts'
import type { Workspace } from '../workspace/workspace.ts'
import type { Assembled } from './assemble.ts'
import { warningsOf } from './capture-warnings.ts'
import { areOf, compareFolders } from './compare-folders.ts'
import { lacksObjects } from './lacks-objects.ts'
import { leftOutNow, leftOutWarnings } from './left-out.ts'
import { encodeSnapshot } from './snapshot-object.ts'
import type { Captured, CaptureRequest, Elsewhere, Publication } from './types.ts'

/** A snapshot with more changed paths than this lists none of them: readers compare its trees. */
const LISTED_CHANGES = 5000

/**
 * Records the snapshot in one transaction: either it and all its objects are visible, or nothing is. Undefined: scan
 * again.
 */
export function publish(p: Publication): Captured | Elsewhere | undefined {
  const { ctx, workspace, request, batch } = p
  for (;;) {
    const base = ctx.records.snapshots.newest(workspace.id)
    const differences = compareWith(p, base)
    if (differences === 'gone') return undefined
    const unknown = unknownPaths(p, base)
    const leftOut = new Set(differences?.filter(leftOutNow(workspace)))
    const changes = differences?.filter((one) => isChange(one) && !unknown(one.path) && !leftOut.has(one))
    const elsewhere = notLookedAt(p, base, changes ?? [])
    if (elsewhere.length > 0) return { elsewhere }
    // A newly excluded path is recorded once, by a snapshot without it; the next capture then has nothing to report
    // about it.
    const isQuiet = changes?.length === 0 && leftOut.size === 0
    const same = base !== undefined && (isQuiet || Buffer.compare(base.tree, p.assembled.tree) === 0)
    const isAsked = Boolean(request.label || request.pin || request.always) && !request.ifChanged
    const isNews = !same || isAsked || request.mark !== undefined
    if (isNews) batch.announce()
    const record = (): Captured | 'again' | undefined => {
      if (!request.inAct && ctx.records.workspaces.acts(workspace.id) !== p.acts) return undefined
      // When nothing is recorded, it suffices that this was the newest snapshot just now.
      if (isNews && ctx.records.snapshots.newest(workspace.id)?.id !== base?.id) return 'again'
      batch.flush()
      if (lacksObjects(p)) return undefined
      const answer = isNews ? answerOf(p, addSnapshots(p, base, changes)) : answerOf(p, [], base)
      batch.publish()
      return { ...answer, warnings: [...answer.warnings, ...leftOutWarnings([...leftOut])] }
    }
    // Without anything to write, the capture need not wait for another process's write transaction.
    const answer = isNews || batch.isPending ? ctx.records.db.write(record) : record()
    if (answer !== 'again') return answer
  }
}

/**
 * The changed paths that this scan did not cover, when the newest snapshot is not the state from which the scan
 * started. Another process scanned them, and may have found changes that were never reported here.
 */
function notLookedAt(
  { hasLookedAt, seen }: Publication,
  base: SnapshotRecord | undefined,
  changes: readonly TreeDifference[],
): RelPath[] {
  if (hasLookedAt === undefined || changes.length === 0 || base === undefined || areOf(seen.before, base.tree))
    return []
  return changes.map(({ path }) => path).filter((path) => !hasLookedAt(path))
}

/**
 * Undefined when the newest snapshot cannot be compared with, because retention or damage took its trees: the present
 * is recorded all the same. `gone`: a collection removed something meanwhile.
 */
function compareWith(p: Publication, base: SnapshotRecord | undefined): TreeDifference[] | 'gone' | undefined {
  if (!base?.content) return undefined
  if (Buffer.compare(base.tree, p.assembled.tree) === 0) return []
  try {
    // The trees of changed folders are known without the store; the root tree is read all the same, to notice damage
    // early.
    p.ctx.store.reader.get(base.tree)
    if (areOf(p.seen.before, base.tree)) return compareFolders(p.seen.before, p.assembled.folders, p.assembled.remade)
    return [...compareTrees(p.trees.read, base.tree, p.assembled.tree)]
  } catch (error) {
    if (!isDamage(error)) throw error
    if (p.ctx.store.index.epoch() !== p.epoch) return 'gone'
    p.healTrees()
    return undefined
  }
}

/**
 * A path that cannot be captured now may be unchanged, so that it is missing from the tree is no change. A path that
 * could not be captured before and is captured now is a change: no snapshot holds it yet. So is a file that grew past
 * the size limit, or that became a pipe or the like.
 */
function unknownPaths(p: Publication, base: SnapshotRecord | undefined): (path: RelPath) => boolean {
  const { skipped } = p.assembled
  const unknown = new Set(skipped.filter((one) => !hasOutgrown(p, base, one)).map(({ path }) => path))
  return (path) => unknown.size > 0 && (unknown.has(path) || foldersAbove(path).some((folder) => unknown.has(folder)))
}

/** Whether a path is known to hold something else than in the newest snapshot, although it cannot be captured. */
function hasOutgrown(
  { trees, workspace }: Publication,
  base: SnapshotRecord | undefined,
  { path, reason }: Skipped,
): boolean {
  if (reason !== 'oversized' && reason !== 'special') return false
  const entry = base?.content ? findEntry(trees.read, base.tree, path) : undefined
  // Under a lower size limit, a file is skipped without having changed.
  const isAsItWas = entry?.kind === KIND.file && entry.size === lstat(`${workspace.root}/${path}`)?.size
  return reason === 'special' || !isAsItWas
}

/** Adds one snapshot, or one for each cause that has a share in the changes. */
function addSnapshots(
  p: Publication,
  base: SnapshotRecord | undefined,
  changes: TreeDifference[] | undefined,
): SnapshotRecord[] {
  const isMark = changes?.length === 0 && p.request.mark !== undefined
  const whole: AttributedStep = { ...p.request, ...(isMark ? p.request.mark : {}), ...p.assembled, base, changes }
  const claims = base && changes ? claimsOn(p, changes, (path) => findEntry(p.trees.read, base.tree, path)) : []
  if (base === undefined || changes === undefined || claims.length === 0) return [addSnapshot(p, whole)]
  const recorded: SnapshotRecord[] = []
  const put = (hash: Uint8Array, tree: Uint8Array) => p.batch.putAs(hash, OBJECT.tree, tree)
  const shares = sharesOf(p.request, claims, changes)
  for (const step of stepsOf(p.trees.read, base, p.assembled, shares, put))
    recorded.push(addSnapshot(p, { ...step, base: recorded.at(-1) ?? base }))
  return recorded
}

function addSnapshot(p: Publication, step: AttributedStep): SnapshotRecord {
  const { ctx, workspace, request, batch, assembled } = p
  const { base, changes } = step
  const files = changes?.filter(({ old: a, new: b }) => (b ?? a)?.kind !== KIND.directory)
  const uncaptured = new Set(assembled.skipped.map(({ path }) => path))
  const asListed = (one: TreeDifference): PathChange =>
    uncaptured.has(one.path) ? { ...asChange(one), status: 'modified' } : asChange(one)
  const tally = (status: string): number => files?.filter((one) => asListed(one).status === status).length ?? 0
  const now = ctx.clock.now()
  const listed = changes !== undefined && changes.length <= LISTED_CHANGES
  const snapshot: Omit<NewSnapshot, 'object'> = {
    id: makeId('s', now, () => ctx.clock.random()),
    workspace: workspace.id,
    created_at: now,
    tree: step.tree,
    base: base?.id ?? null,
    source: step.source,
    label: step.label ?? null,
    description: step.description ?? null,
    cause: step.cause,
    files: step.files,
    bytes: step.bytes,
    added: files ? tally('added') : step.files,
    modified: tally('modified'),
    deleted: tally('deleted'),
    stored_bytes: batch.stored,
    duration_ms: performance.now() - (request.started ?? p.started),
    facts: factsOf(workspace, assembled.skipped, request),
    listed,
    changes: listed ? (changes ?? []).map(asListed) : [],
  }
  if (listed) doubtEarlier(p, step.cause, snapshot.changes, now)
  const object = batch.put(OBJECT.snapshot, encodeSnapshot(snapshot))
  const record = ctx.records.snapshots.add({ ...snapshot, object })
  if (request.pin) pinIt(p, record.id, now)
  batch.publish()
  point('capture:recorded')
  return { ...record, pinned: request.pin ?? false }
}

function pinIt({ ctx, batch }: Publication, id: string, at: number): void {
  const object = batch.put(OBJECT.note, encodeNote({ note: 'pin', id, pinned: true, at }))
  ctx.records.notes.add(object, id, 'pin')
  ctx.records.snapshots.setPinned(id, true)
}

const factsOf = (
  workspace: Workspace,
  skipped: readonly Skipped[],
  { lines_changed, facts: more = {} }: CaptureRequest,
): NewSnapshot['facts'] => ({
  exclude_globs: globsOf(workspace.rules),
  env_fingerprint: {
    platform: process.platform,
    node: process.version,
    ...more.env_fingerprint,
    git: gitFacts(workspace.gitDir) ?? null,
  },
  ...(more.initial_task_hint ? { initial_task_hint: more.initial_task_hint } : {}),
  skipped,
  ...(lines_changed === undefined ? {} : { lines_changed }),
})

/** The state a scan reached, once its trees are made. */
export const sinceOf = ({ last, rules }: Scan, { folders, skipped }: Assembled, epoch: number): ScanState => ({
  last,
  folders,
  rules,
  epoch,
  hasSkipped: skipped.length > 0,
})

const answerOf = (p: Publication, recorded: readonly SnapshotRecord[], newest?: SnapshotRecord): Captured => ({
  snapshot: (recorded.at(-1) ?? newest) as SnapshotRecord,
  created: recorded.length > 0,
  recorded,
  assembled: p.assembled,
  trees: p.trees,
  since: sinceOf(p.seen, p.assembled, p.epoch),
  warnings: [...p.workspace.warnings, ...warningsOf(p.workspace, p.assembled)],
  duration_ms: performance.now() - p.started,
})
