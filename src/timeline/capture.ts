import { Fault, isFault } from '../base/fault.ts'
import { outPath } from '../base/quote.ts'
import { count, size } from '../base/text.ts'
import { type Clock, sleep } from '../host/clock.ts'
import { writeCache } from '../host/durable.ts'
import { translateError } from '../host/faults.ts'
import { freeBytes } from '../host/fs.ts'
import { point } from '../host/points.ts'
import { busy } from '../records/leases.ts'
import { encodeNote } from '../records/notes.ts'
import type { Records } from '../records/records.ts'
import type { NewSnapshot, SnapshotRecord } from '../records/snapshots.ts'
import type { Cause, Skipped, Source } from '../schema/cause.ts'
import { makeId } from '../schema/ids.ts'
import { foldersAbove, type RelPath } from '../schema/path.ts'
import type { Batch, ObjectStore } from '../store/object-store.ts'
import { HASH_BYTES, OBJECT } from '../store/store.ts'
import { encodeTreeColumns, KIND } from '../store/tree.ts'
import { type Assembled, assemble, encodeAssembled } from './assemble.ts'
import { asChange, compareTrees, type Difference, isChange, statusOf } from './compare.ts'
import { decodeFolder, filterFolder, hashAt, headOf, SKIPPED } from './folder.ts'
import { gitFacts } from './git.ts'
import { indexFile } from './index-file.ts'
import { globsOf } from './rules.ts'
import { type Scan, type Since, scan } from './scan.ts'
import { encodeSnapshot } from './snapshot-object.ts'
import { Trees } from './trees.ts'
import type { Workspace } from './workspace.ts'

/** What a capture works with. */
export interface CaptureRoom {
  readonly home: string
  readonly store: ObjectStore
  readonly records: Records
  readonly clock: Clock
  readonly progress: (message: string, done?: number, total?: number) => void
}

export interface CaptureRequest {
  readonly source: Source
  readonly cause: Cause
  readonly label?: string | undefined
  readonly description?: string | undefined
  readonly pin?: boolean
  /** Record a snapshot even if nothing changed. */
  readonly always?: boolean
  /** The caller holds the workspace's lease: do not wait for it. */
  readonly inAct?: boolean
  /** Another look follows at once: its scan is the one to keep for the next command. */
  readonly passing?: boolean
  /** Look at these folders alone; everything else is as this capture left it. */
  readonly only?: { readonly folders: readonly RelPath[]; readonly since: Since }
}

export interface Captured {
  readonly snapshot: SnapshotRecord
  readonly created: boolean
  readonly assembled: Assembled
  /** Where the scan left off, for a look at some folders more. */
  readonly since: Since
  readonly warnings: readonly string[]
  readonly duration_ms: number
}

/** Only the first so many changed paths are listed beside a snapshot; beyond, the trees tell. */
const LISTED_CHANGES = 5000
const TRIES = 6
/** Objects are made findable in portions, so that a long first capture that dies need not begin anew. */
const PORTION = 256

export const leaseName = (workspace: string): string => `workspace:${workspace}`
/** Whoever removes objects holds this. */
export const COLLECT_LEASE = 'store:collect'

/**
 * Records the present state of a workspace.
 *
 * The bytes are written first, then the trees, then the snapshot: its row appears in the same
 * transaction in which its last objects become findable, after it has been checked there that
 * nothing it relies on was removed meanwhile. When it returns, the death of this process takes
 * nothing away; `store.sync()` makes it survive the machine's.
 */
export async function capture(room: CaptureRoom, workspace: Workspace, request: CaptureRequest): Promise<Captured> {
  const started = performance.now()
  checkSpace(room, workspace)
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    if (!request.inAct) await untilFree(room, workspace)
    const captured = await attemptCapture(room, workspace, request, started, attempt === TRIES)
    if (captured) return captured
  }
  throw new Fault('CAPTURE_UNSETTLED', { root: workspace.root, tries: TRIES })
}

function checkSpace(room: CaptureRoom, workspace: Workspace): void {
  const least = workspace.config.budget.min_free_bytes
  if (least > 0 && freeBytes(room.home) < least) throw new Fault('NO_SPACE', { path: room.home })
}

const WAIT_MS = 60_000

/** A capture in the middle of a restore would record a state nobody wants: it waits for the end. */
export async function untilFree(room: CaptureRoom, workspace: { id: string; root: string }): Promise<void> {
  for (const end = room.clock.now() + WAIT_MS; ; await sleep(20)) {
    const holder = room.records.leases.holder(leaseName(workspace.id))
    if (holder === undefined) return
    if (room.clock.now() > end) throw busy(holder, workspace.root)
  }
}

/** Undefined when something it relied on changed meanwhile: then all is looked at again. */
async function attemptCapture(
  room: CaptureRoom,
  workspace: Workspace,
  request: CaptureRequest,
  started: number,
  last: boolean,
): Promise<Captured | undefined> {
  const lease = last ? room.records.leases.tryTake(COLLECT_LEASE, 'capture') : undefined
  const epoch = room.store.index.epoch()
  const acts = room.records.workspaces.acts(workspace.id)
  const batch = room.store.begin()
  let ended = false
  try {
    const seen = await look(room, workspace, batch, epoch, request.only)
    const trees = new Trees(room.store.reader)
    const assembled = makeTrees(room, seen, batch, trees, epoch)
    const published = publish({ room, workspace, request, batch, trees, seen, assembled, epoch, acts, started })
    if (published === undefined) return undefined
    if (!request.passing) saveIndex(room, workspace, seen, assembled, epoch)
    return published
  } catch (error) {
    const fault = translateError(error, room.home)
    ended = isFault(fault, 'NO_SPACE') && giveUp(batch)
    throw fault
  } finally {
    if (!ended) batch.end()
    if (lease?.taken) room.records.leases.release(COLLECT_LEASE, lease.fence)
  }
}

/** Whether everything could be taken back. The disk may be too full even for that; then `gc` does it later. */
function giveUp(batch: Batch): boolean {
  try {
    batch.giveUp()
    return true
  } catch {
    return false
  }
}

async function look(
  room: CaptureRoom,
  workspace: Workspace,
  batch: Batch,
  epoch: number,
  only: CaptureRequest['only'],
): Promise<Scan> {
  let waiting = 0
  const seen = await scan({
    setup: {
      root: workspace.root,
      rules: workspace.rules,
      maxBytes: workspace.config.max_file_bytes,
      store: { db: room.records.db.path, objects: room.store.dir, writer: batch.writer },
    },
    indexFile: indexFile(room.home, workspace.id),
    objects: room.store.index,
    packs: batch.packs,
    epoch,
    onBlocks: (blocks) => {
      batch.adopt(blocks)
      waiting += blocks.length
      if (waiting < PORTION) return
      waiting = 0
      batch.publish()
    },
    progress: (folders) => room.progress('Capturing', folders),
    ...(only ? { only } : {}),
  })
  point('capture:scanned')
  if (seen.gone.has('')) throw new Fault('ROOT_MISSING', { root: workspace.root })
  if (seen.unreadable.has('')) throw new Fault('NO_PERMISSION', { path: workspace.root })
  return seen
}

function makeTrees(room: CaptureRoom, seen: Scan, batch: Batch, trees: Trees, epoch: number): Assembled {
  const put = (hash: Uint8Array, bytes: Uint8Array): void => {
    batch.putAs(hash, OBJECT.tree, bytes)
    trees.lend(hash, bytes as Buffer)
  }
  const assembled = assemble(seen, put)
  if (seen.last && seen.last.epoch !== epoch) keepTrees(room, assembled, put)
  point('capture:trees')
  return assembled
}

/** After objects were removed, trees of unchanged folders may be among them; they are made again from the scan. */
function keepTrees(room: CaptureRoom, assembled: Assembled, put: (hash: Uint8Array, bytes: Uint8Array) => void): void {
  for (const [, bytes] of assembled.folders.all()) {
    const { tree } = headOf(bytes)
    if (room.store.index.has(tree)) continue
    const folder = decodeFolder(bytes)
    put(tree, encodeTreeColumns(filterFolder(folder, (i) => folder.kinds[i] !== SKIPPED)))
  }
}

interface Publication {
  readonly room: CaptureRoom
  readonly workspace: Workspace
  readonly request: CaptureRequest
  readonly batch: Batch
  readonly trees: Trees
  readonly seen: Scan
  readonly assembled: Assembled
  readonly epoch: number
  readonly acts: number
  readonly started: number
}

/** One transaction: everything is findable and the snapshot is there, or nothing is. */
function publish(p: Publication): Captured | undefined {
  const { room, workspace, request, batch } = p
  for (;;) {
    const base = room.records.snapshots.newest(workspace.id)
    const differences = compareWith(p, base)
    if (differences === 'gone') return undefined
    const unknown = unknownPaths(p.assembled.skipped, base?.facts.skipped ?? [])
    const changes = differences?.filter((difference) => isChange(difference) && !unknown(difference.path))
    const same = base !== undefined && (changes?.length === 0 || Buffer.compare(base.tree, p.assembled.tree) === 0)
    const answer = room.records.db.write((): Captured | 'again' | undefined => {
      if (!request.inAct && room.records.workspaces.acts(workspace.id) !== p.acts) return undefined
      if (room.records.snapshots.newest(workspace.id)?.id !== base?.id) return 'again'
      batch.publish()
      if (room.store.index.epoch() !== p.epoch && anyMissing(p)) return undefined
      if (same && base && !request.label && !request.pin && !request.always) return answerOf(p, base, false)
      return answerOf(p, addSnapshot(p, base, changes), true)
    })
    if (answer !== 'again') return answer
  }
}

/**
 * Undefined when the newest snapshot cannot be compared with, because retention or damage took its
 * trees: that is no reason not to record the present. `gone`: a collection took something meanwhile.
 */
function compareWith(p: Publication, base: SnapshotRecord | undefined): Difference[] | 'gone' | undefined {
  if (!base?.content) return undefined
  try {
    return [...compareTrees(p.trees.read, base.tree, p.assembled.tree)]
  } catch (error) {
    if (!isFault(error, 'OBJECT_MISSING') && !isFault(error, 'OBJECT_DAMAGED')) throw error
    return p.room.store.index.epoch() === p.epoch ? undefined : 'gone'
  }
}

/** What one of the two states could not capture neither came nor went: nobody knows. */
function unknownPaths(now: readonly Skipped[], before: readonly Skipped[]): (path: RelPath) => boolean {
  const unknown = new Set([...now, ...before].map(({ path }) => path))
  return (path) => unknown.size > 0 && (unknown.has(path) || foldersAbove(path).some((folder) => unknown.has(folder)))
}

/** Whether the store lacks anything that the new state refers to. */
function anyMissing({ room, seen, assembled }: Publication): boolean {
  const { index } = room.store
  for (const reused of seen.reused)
    for (let at = 0; at < reused.length; at += HASH_BYTES)
      if (!index.has(reused.subarray(at, at + HASH_BYTES))) return true
  for (const [, bytes] of assembled.folders.all()) {
    const folder = decodeFolder(bytes)
    if (!index.has(folder.tree)) return true
    for (let i = 0; i < folder.names.length; i++) {
      const isContent = folder.kinds[i] !== KIND.directory && folder.kinds[i] !== SKIPPED
      if (isContent && !index.has(hashAt(folder, i))) return true
    }
  }
  return false
}

function addSnapshot(
  p: Publication,
  base: SnapshotRecord | undefined,
  changes: Difference[] | undefined,
): SnapshotRecord {
  const { room, workspace, request, batch, assembled } = p
  const files = changes?.filter(({ old: a, new: b }) => (b ?? a)?.kind !== KIND.directory)
  const tally = (status: string): number => files?.filter((change) => statusOf(change) === status).length ?? 0
  const now = room.clock.now()
  const listed = changes !== undefined && changes.length <= LISTED_CHANGES
  const snapshot: Omit<NewSnapshot, 'object'> = {
    id: makeId('s', now, () => room.clock.random()),
    workspace: workspace.id,
    created_at: now,
    tree: assembled.tree,
    base: base?.id ?? null,
    source: request.source,
    label: request.label ?? null,
    description: request.description ?? null,
    cause: request.cause,
    files: assembled.files,
    bytes: assembled.bytes,
    added: files ? tally('added') : assembled.files,
    modified: tally('modified'),
    deleted: tally('deleted'),
    stored_bytes: batch.stored,
    duration_ms: performance.now() - p.started,
    facts: factsOf(workspace, assembled.skipped),
    listed,
    changes: listed ? (changes ?? []).map(asChange) : [],
  }
  const object = batch.put(OBJECT.snapshot, encodeSnapshot(snapshot))
  const record = room.records.snapshots.add({ ...snapshot, object })
  if (request.pin) pinIt(p, record.id, now)
  batch.publish()
  point('capture:recorded')
  return { ...record, pinned: request.pin ?? false }
}

function pinIt({ room, batch }: Publication, id: string, at: number): void {
  const object = batch.put(OBJECT.note, encodeNote({ note: 'pin', id, pinned: true, at }))
  room.records.notes.add(object, id, 'pin')
  room.records.snapshots.setPinned(id, true)
}

const factsOf = (workspace: Workspace, skipped: readonly Skipped[]): NewSnapshot['facts'] => ({
  exclude_globs: globsOf(workspace.rules),
  env_fingerprint: { platform: process.platform, node: process.version, git: gitFacts(workspace.gitDir) ?? null },
  skipped,
})

const answerOf = (p: Publication, snapshot: SnapshotRecord, created: boolean): Captured => ({
  snapshot,
  created,
  assembled: p.assembled,
  since: { last: p.seen.last, folders: p.assembled.folders, rules: p.seen.rules, epoch: p.epoch },
  warnings: [...p.workspace.warnings, ...warningsOf(p.workspace, p.assembled)],
  duration_ms: performance.now() - p.started,
})

const WHY: Record<string, string> = {
  unreadable: 'it cannot be read',
  oversized: 'it is larger than max_file_bytes',
  special: 'it is a socket, pipe or device',
  busy: 'it kept changing while it was read',
  budget: 'it is over the budget',
}

function warningsOf(workspace: Workspace, { skipped, files, bytes }: Assembled): string[] {
  const { max_files, max_bytes } = workspace.config.budget
  const warnings = skipped.map(({ path, reason }) => `${outPath(path)} is not captured: ${WHY[reason]}`)
  if (files > max_files) warnings.push(`the workspace has ${count(files, 'file')}, over its budget of ${max_files}`)
  if (max_bytes !== null && bytes > max_bytes)
    warnings.push(`the workspace holds ${size(bytes)}, over its budget of ${size(max_bytes)}`)
  return warnings
}

function saveIndex(room: CaptureRoom, workspace: Workspace, seen: Scan, assembled: Assembled, epoch: number): void {
  const { last } = seen
  if (last && !assembled.dirty && last.rules === seen.rules && last.epoch === epoch) return
  writeCache(indexFile(room.home, workspace.id), encodeAssembled(assembled, seen.rules, epoch))
  point('capture:indexed')
}
