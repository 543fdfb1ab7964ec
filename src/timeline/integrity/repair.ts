import { join } from 'node:path'
import { inPath } from '../../base/quote.ts'
import { lstat } from '../../host/files/fs.ts'
import { fromHex, fromKey, keyOf, sha256 } from '../../host/hash.ts'
import type { StoreProblem } from '../../protocol/keeping.ts'
import { encodeNote, type Note } from '../../records/notes.ts'
import { rewriteNamed } from '../../store/collect.ts'
import type { Batch } from '../../store/object-store.ts'
import { decodePayload, listDirectory } from '../../store/pack-format.ts'
import { packNames, scanPack } from '../../store/pack-scan.ts'
import { OBJECT, type ObjectKind } from '../../store/store.ts'
import { encodeTreeColumns } from '../../store/tree.ts'
import { decodeSnapshot, encodeSnapshot } from '../capture/snapshot-object.ts'
import { type NewObject, storeAnew } from '../capture/store-anew.ts'
import { decodeFolder, filterFolder, headOf, SKIPPED } from '../scan/folder.ts'
import { indexFile } from '../scan/index-file.ts'
import { takeFile, takeLink } from '../scan/read-stable.ts'
import { loadScanIndex } from '../scan/scan-index.ts'
import type { MaintenanceContext } from './context.ts'
import { reindex } from './rebuild.ts'
import { lostPacks } from './unrecorded.ts'

/**
 * Repairs what `check` found, as far as intact bytes still exist somewhere. Nothing that is intact is removed. The
 * caller checks again afterwards.
 */
export function repair(ctx: MaintenanceContext, problems: readonly StoreProblem[], mirror: string | undefined): void {
  const wrongRows = problems.flatMap(({ code, object }) => (code === 'INDEX_WRONG' && object ? [fromHex(object)] : []))
  if (problems.some(({ code }) => code === 'INDEX_WRONG')) reindex(ctx, wrongRows)
  const named = problems.flatMap(({ object }) => (object ? [fromHex(object)] : []))
  const wanted = new Set(named.filter((object) => !ctx.store.reader.isReadable(object)).map(keyOf))
  if (wanted.size > 0) storeAnew(ctx, asNewObjects(findAgain(ctx, problems, wanted, mirror)))
  tellAgain(ctx, wanted)
  correctRecords(ctx, problems)
  rewriteNamed(ctx.store, new Set(problems.flatMap(({ pack }) => (pack ? [pack] : []))), lostPacks(ctx))
}

type Found = Map<string, { kind: ObjectKind; bytes: Buffer }>
const asNewObjects = (found: Found): NewObject[] =>
  [...found].map(([key, object]) => ({ hash: fromKey(key), ...object }))

type Offer = (hash: Uint8Array, kind: ObjectKind, bytes: Uint8Array) => void

function findAgain(
  ctx: MaintenanceContext,
  problems: readonly StoreProblem[],
  wanted: ReadonlySet<string>,
  mirror: string | undefined,
): Found {
  const found: Found = new Map()
  const offer: Offer = (hash, kind, bytes) => {
    const key = keyOf(hash)
    if (wanted.has(key) && !found.has(key)) found.set(key, { kind, bytes: Buffer.from(bytes) })
  }
  lookInWorkspaces(ctx, problems, offer)
  lookInScans(ctx, offer)
  if (mirror !== undefined) lookInPacks(join(mirror, 'objects'), offer)
  // Two captures at the same time may have written the object twice to the store's own packs.
  lookInPacks(ctx.store.dir, offer)
  return found
}

function lookInWorkspaces(ctx: MaintenanceContext, problems: readonly StoreProblem[], offer: Offer): void {
  const places = new Set<string>()
  for (const { snapshots, paths } of problems)
    for (const id of snapshots) {
      const root = ctx.records.workspaces.get(ctx.records.snapshots.get(id)?.workspace ?? '')?.root
      if (root) for (const path of paths) places.add(join(root, inPath(path)))
    }
  for (const at of places) {
    const stat = lstat(at)
    if (stat?.isFile()) takeFile(at, Number.MAX_SAFE_INTEGER, { take: offer })
    else if (stat?.isSymbolicLink()) takeLink(at, { take: offer })
  }
}

/** The last scan of each workspace holds the trees of the state it saw. */
function lookInScans(ctx: MaintenanceContext, offer: Offer): void {
  for (const { id } of ctx.records.workspaces.all()) {
    const scan = loadScanIndex(indexFile(ctx.home, id))
    for (let i = 0; i < (scan?.paths.length ?? 0); i++) {
      const bytes = scan?.folderAt(i) as Uint8Array
      const folder = decodeFolder(bytes)
      const tree = encodeTreeColumns(filterFolder(folder, (at) => folder.kinds[at] !== SKIPPED))
      if (sha256(tree).equals(headOf(bytes).tree)) offer(headOf(bytes).tree, OBJECT.tree, tree)
    }
  }
}

function lookInPacks(dir: string, offer: Offer): void {
  if (!lstat(dir)?.isDirectory()) return
  for (const name of packNames(dir))
    for (const block of scanPack(dir, name)) {
      if (!block.sound) continue
      const payload = decodePayload(block.head.codec, block.stored, block.head.raw)
      for (const { hash, kind, start, size } of listDirectory(block.head.directory)) {
        const bytes = payload.subarray(start, start + size)
        if (kind === OBJECT.list || sha256(bytes).equals(hash)) offer(hash, kind, bytes)
      }
    }
}

/** Snapshots and notes whose objects are lost are stored again from their rows. */
function tellAgain(ctx: MaintenanceContext, bad: ReadonlySet<string>): void {
  const { records, store } = ctx
  const isLost = (object: Uint8Array): boolean => bad.has(keyOf(object)) && !ctx.store.reader.isReadable(object)
  const batch = store.begin()
  try {
    records.db.writeDurably(() => {
      for (const snapshot of records.snapshots.all()) {
        if (!isLost(snapshot.object)) continue
        store.index.drop(snapshot.object)
        const object = putFresh(
          batch,
          OBJECT.snapshot,
          encodeSnapshot({ ...snapshot, changes: records.snapshots.changesOf(snapshot.seq) }),
        )
        records.snapshots.replace(snapshot, object)
      }
      for (const { object, subject, kind } of records.notes.all()) {
        if (!isLost(object)) continue
        store.index.drop(object)
        records.notes.forget(object)
        const note = noteAgain(ctx, subject, kind)
        if (note) records.notes.add(putFresh(batch, OBJECT.note, encodeNote(note)), subject, kind)
      }
      batch.publish()
    })
  } finally {
    batch.end()
  }
}

/** Writes the object even if its bytes, and so its hash, equal those of the damaged one. */
function putFresh(batch: Batch, kind: ObjectKind, bytes: Uint8Array): Buffer {
  const hash = sha256(bytes)
  batch.putAnew(hash, kind, bytes)
  return hash
}

function noteAgain(ctx: MaintenanceContext, id: string, kind: string): Note | undefined {
  const at = ctx.now()
  const workspace = ctx.records.workspaces.get(id)
  const snapshot = ctx.records.snapshots.get(id)
  if (kind === 'workspace' && workspace)
    return { note: kind, id, root: workspace.root, created_at: workspace.created_at }
  if (kind === 'pin' && snapshot) return { note: kind, id, pinned: snapshot.pinned, at }
  if (kind === 'label' && snapshot) return { note: kind, id, label: snapshot.label, at }
  if (kind === 'doubt' && snapshot) return { note: kind, id, paths: ctx.records.doubts.of(id), at }
  const milestone = ctx.records.milestones.get(id)
  if (kind === 'milestone' && milestone) return { note: kind, at, ...milestone }
  const keep = ctx.records.gitKeeps.get(id)
  if (kind === 'git_keep' && keep) return { note: kind, at: keep.created_at, ...keep }
  const [issue, travel] = [ctx.records.issues.get(id), ctx.records.travels.get(id)]
  if (kind === 'issue' && issue) return { note: kind, at, ...issue }
  if (kind === 'travel' && travel) return { note: kind, at, ...travel }
  if (kind === 'content' || kind === 'removed') return { note: kind, id, at }
  return undefined
}

/** Rewrites a row that differs from its object, from the object. */
function correctRecords({ records, store }: MaintenanceContext, problems: readonly StoreProblem[]): void {
  for (const { code, snapshots } of problems) {
    const row = code === 'RECORD_WRONG' ? records.snapshots.get(snapshots[0] ?? '') : undefined
    if (row) records.snapshots.correct(decodeSnapshot(store.reader.get(row.object), row.object), row.seq)
  }
}
