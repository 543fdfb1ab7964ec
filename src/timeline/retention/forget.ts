import { type Deep, deeply } from '../../base/deeply.ts'
import { Fault } from '../../base/fault.ts'
import { nearest } from '../../base/text.ts'
import { fromKey, keyOf, toHex } from '../../host/hash.ts'
import { point } from '../../host/points.ts'
import type { SnapshotRecord } from '../../records/snapshot-record.ts'
import type { Skipped } from '../../schema/cause.ts'
import { isWithin, joinPath, nameOf, parseRelPath, type RelPath, ROOT } from '../../schema/path.ts'
import { FORGOTTEN } from '../../schema/skip.ts'
import { decodeList } from '../../store/chunk-list.ts'
import { compareTrees, type ReadTree, type TreeDifference, walkTree } from '../../store/compare-trees.ts'
import { Marker } from '../../store/mark.ts'
import type { Batch } from '../../store/object-store.ts'
import { OBJECT } from '../../store/store.ts'
import { type Entry, encodeTree, KIND } from '../../store/tree.ts'
import { decodeSnapshot, encodeSnapshot } from '../capture/snapshot-object.ts'
import { Trees } from '../capture/trees.ts'
import { globMatcher } from '../history/listing.ts'
import type { MaintenanceContext } from '../integrity/context.ts'
import { freeSpace, rootsOf } from './prune.ts'

export interface ForgetPlan {
  readonly paths: readonly RelPath[]
  readonly snapshots: readonly SnapshotRecord[]
  /** Contents that nothing else refers to, each with the bytes it takes in the packs. */
  readonly purged: ReadonlyMap<string, number>
  /** Paths whose contents something else refers to, too: those contents stay. */
  readonly stillHeld: readonly RelPath[]
  readonly matches: (path: RelPath) => boolean
}

/** A path matches itself and everything below it; with `*`, `?` or `[` it is a glob. */
function forgetMatcher(pattern: string): (path: RelPath) => boolean {
  if (/[*?[]/.test(pattern)) return globMatcher(pattern)
  const path = parseRelPath(pattern)
  return (candidate) => isWithin(candidate, path)
}

/** Names that only a pattern for everything matches. */
const ANY_NAMES = ['qzjx', '.qzjx', 'qzjx.qzjx'].map((name) => parseRelPath(name))

/** Whether the pattern matches every possible path: `.`, `*`, `**`, … */
export const isEverything = (pattern: string): boolean => ANY_NAMES.every(forgetMatcher(pattern))

/** A suggestion for a pattern that matches nothing: a similar path of the newest snapshot. */
export function nearestPath(ctx: MaintenanceContext, workspace: string, pattern: string): string | undefined {
  const newest = ctx.records.snapshots.newest(workspace)
  if (!newest?.content) return undefined
  const paths: RelPath[] = []
  for (const { path } of walkTree(new Trees(ctx.store.reader).read, newest.tree))
    if (paths.push(path) >= MOST_COMPARED) break
  return paths.find((path) => nameOf(path) === pattern) ?? nearest(pattern, paths)
}

/** Comparing a name with more paths would take seconds. */
const MOST_COMPARED = 20_000

export function planForget(ctx: MaintenanceContext, workspace: string, pattern: string): ForgetPlan {
  const matches = forgetMatcher(pattern)
  const { read } = new Trees(ctx.store.reader)
  const finder = new Finder(read, matches)
  const paths = new Set<RelPath>()
  const contents = new Map<string, RelPath>()
  const snapshots = ctx.records.snapshots.all(workspace).filter((snapshot) => {
    const found = snapshot.content ? finder.find(snapshot.tree, ROOT) : []
    for (const { path, entry } of found) {
      paths.add(path)
      if (entry.kind !== KIND.directory) contents.set(keyOf(entry.hash), path)
    }
    return found.length > 0
  })
  return { paths: [...paths].sort(), snapshots, matches, ...divide(ctx, snapshots, finder, contents) }
}

/**
 * Separates contents that will be purged from those that something else refers to once the snapshots have lost their
 * paths.
 */
function divide(
  ctx: MaintenanceContext,
  snapshots: readonly SnapshotRecord[],
  finder: Finder,
  contents: ReadonlyMap<string, RelPath>,
): Pick<ForgetPlan, 'purged' | 'stillHeld'> {
  const { live } = markKept(ctx, snapshots, finder)
  const counted = new Set<string>()
  const weigh = (key: string): number => {
    const place = live.has(key) || counted.has(key) ? undefined : ctx.store.index.find(fromKey(key))
    counted.add(key)
    if (place === undefined) return 0
    const own = Math.round(((place.head + place.stored) * place.size) / Math.max(1, place.raw))
    if (place.kind !== OBJECT.list) return own
    const chunks = decodeList(Buffer.from(ctx.store.reader.raw(fromKey(key)).bytes))
    return chunks.reduce((sum, { hash }) => sum + weigh(keyOf(hash)), own)
  }
  const purged = new Map<string, number>()
  const stillHeld: RelPath[] = []
  for (const [key, path] of contents)
    if (live.has(key)) stillHeld.push(path)
    else purged.set(key, weigh(key))
  return { purged, stillHeld }
}

/** Marks what stays reachable: all other roots, and the trees of the snapshots without the matching paths. */
function markKept(ctx: MaintenanceContext, snapshots: readonly SnapshotRecord[], finder: Finder): Marker {
  const marker = new Marker(ctx.store.reader, (hash) => ctx.store.index.find(hash)?.kind === OBJECT.list)
  for (const root of rootsOf(ctx.records, new Set(snapshots.map(({ id }) => id)))) marker.add(root)
  for (const { tree } of snapshots) finder.markOthers(tree, ROOT, marker)
  return marker
}

interface Hit {
  readonly path: RelPath
  readonly entry: Entry
}

/** Finds matching entries. A subtree that was seen at the same path before is not walked again. */
class Finder {
  readonly #read: ReadTree
  readonly #matches: (path: RelPath) => boolean
  readonly #known = new Map<string, readonly Hit[]>()
  readonly #marked = new Set<string>()

  constructor(read: ReadTree, matches: (path: RelPath) => boolean) {
    this.#read = read
    this.#matches = matches
  }

  find(tree: Uint8Array, path: RelPath): readonly Hit[] {
    return deeply(this.#find(tree, path))
  }

  *#find(tree: Uint8Array, path: RelPath): Deep<readonly Hit[]> {
    const key = `${keyOf(tree)}${path}`
    const known = this.#known.get(key)
    if (known) return known
    const hits: Hit[] = []
    for (const entry of this.#read(tree)) {
      const at = joinPath(path, entry.name)
      if (this.#matches(at)) for (const hit of [{ path: at, entry }, ...this.#below(entry, at)]) hits.push(hit)
      else if (entry.kind === KIND.directory) for (const hit of yield this.#find(entry.hash, at)) hits.push(hit)
    }
    this.#known.set(key, hits)
    return hits
  }

  /** Marks everything in a tree that does not match. */
  markOthers(tree: Uint8Array, path: RelPath, marker: Marker): void {
    deeply(this.#markOthers(tree, path, marker))
  }

  *#markOthers(tree: Uint8Array, path: RelPath, marker: Marker): Deep<void> {
    if (this.find(tree, path).length === 0) return marker.add({ hash: tree, tree: true })
    const key = `${keyOf(tree)}${path}`
    if (this.#marked.has(key)) return
    this.#marked.add(key)
    for (const entry of this.#read(tree)) {
      const at = joinPath(path, entry.name)
      if (this.#matches(at)) continue
      if (entry.kind === KIND.directory) yield this.#markOthers(entry.hash, at, marker)
      else marker.addContent(entry.hash)
    }
  }

  #below(entry: Entry, path: RelPath): Hit[] {
    return entry.kind === KIND.directory ? [...walkTree(this.#read, entry.hash, path)] : []
  }
}

export interface Forgotten {
  readonly purged: number
  /** The bytes that the purged contents took. */
  readonly freed: number
  /** False: packs that are being written now still hold some of the contents; the next gc purges them. */
  readonly complete: boolean
}

/**
 * Removes the matching paths from every snapshot, then their bytes from the packs. The snapshots keep their ids; their
 * trees and record objects are rewritten.
 */
export async function forget(ctx: MaintenanceContext, plan: ForgetPlan): Promise<Forgotten> {
  const batch = ctx.store.begin()
  try {
    ctx.records.db.writeDurably(() => {
      const cutter = new Cutter(new Trees(ctx.store.reader).read, plan.matches, batch)
      for (const { id } of plan.snapshots) rewrite(ctx, id, cutter, batch)
      batch.publish()
      ctx.store.index.setPurge(true)
    })
  } finally {
    batch.end()
  }
  point('forget:rewritten')
  await finishPurge(ctx)
  const gone = [...plan.purged].filter(([key]) => !ctx.store.index.has(fromKey(key)))
  return {
    purged: gone.length,
    freed: gone.reduce((sum, [, bytes]) => sum + bytes, 0),
    complete: !ctx.store.index.purgePending && gone.length === plan.purged.size,
  }
}

/** Removes from the packs what snapshots no longer refer to, for instance after a crash in the middle of `forget`. */
export async function finishPurge(ctx: MaintenanceContext): Promise<void> {
  if ((await freeSpace(ctx)) === undefined) throw new Fault('STORE_BUSY', { path: ctx.home })
}

function rewrite(ctx: MaintenanceContext, id: string, cutter: Cutter, batch: Batch): void {
  const snapshot = ctx.records.snapshots.get(id)
  if (!snapshot?.content) return
  const stored = decodeSnapshot(ctx.store.reader.get(snapshot.object), snapshot.object)
  const tree = cutter.cut(snapshot.tree, ROOT)
  const gone = [...compareTrees(cutter.read, snapshot.tree, tree)].filter(({ old: a, new: b }) => a && !b)
  const removed = gone.filter(({ old: a }) => a?.kind !== KIND.directory)
  const files = snapshot.files - removed.length
  const bytes = snapshot.bytes - removed.reduce((sum, { old: a }) => sum + (a?.kind === KIND.file ? a.size : 0), 0)
  const changes = stored.changes.filter(({ path }) => !cutter.matches(path))
  const facts = { ...stored.facts, skipped: withForgotten(stored.facts.skipped, gone) }
  const next = { ...stored, tree, files, bytes, changes, facts, revision: (stored.revision ?? 0) + 1 }
  const object = batch.put(OBJECT.snapshot, encodeSnapshot(next))
  ctx.records.snapshots.replace(next, object)
  ctx.records.snapshots.setChanges(snapshot.seq, changes)
}

/** A forgotten path existed: the snapshot must not claim that it was absent, or a restore would delete it. */
function withForgotten(skipped: readonly Skipped[], gone: readonly TreeDifference[]): Skipped[] {
  const all = [...skipped]
  let top: RelPath | undefined
  for (const { path } of gone) {
    // Paths below a forgotten folder need no entry of their own.
    if (top !== undefined && isWithin(path, top)) continue
    top = path
    all.push({ path, reason: FORGOTTEN })
  }
  return all
}

/** Makes trees without the matching entries. */
class Cutter {
  readonly matches: (path: RelPath) => boolean
  readonly #read: ReadTree
  readonly #batch: Batch
  readonly #done = new Map<string, Uint8Array>()
  readonly #made = new Map<string, readonly Entry[]>()

  constructor(read: ReadTree, matches: (path: RelPath) => boolean, batch: Batch) {
    this.#read = read
    this.matches = matches
    this.#batch = batch
  }

  /** Reads stored trees as well as those made here. */
  readonly read: ReadTree = (hash) => this.#made.get(toHex(hash)) ?? this.#read(hash)

  cut(tree: Uint8Array, path: RelPath): Uint8Array {
    return deeply(this.#cut(tree, path))
  }

  *#cut(tree: Uint8Array, path: RelPath): Deep<Uint8Array> {
    const key = `${keyOf(tree)}${path}`
    const known = this.#done.get(key)
    if (known) return known
    const entries = this.#read(tree)
    const kept: Entry[] = []
    for (const entry of entries) {
      const at = joinPath(path, entry.name)
      if (this.matches(at)) continue
      kept.push(entry.kind === KIND.directory ? { ...entry, hash: yield this.#cut(entry.hash, at) } : entry)
    }
    const same =
      kept.length === entries.length &&
      kept.every((entry, i) => Buffer.compare(entry.hash, entries[i]?.hash ?? entry.hash) === 0)
    const hash = same ? tree : this.#batch.put(OBJECT.tree, encodeTree(kept))
    this.#made.set(toHex(hash), kept)
    this.#done.set(key, hash)
    return hash
  }
}
