import { Fault } from '../base/fault.ts'
import { point } from '../host/points.ts'
import type { SnapshotRecord } from '../records/snapshots.ts'
import { isWithin, joinPath, parseRelPath, type RelPath, ROOT } from '../schema/path.ts'
import { keyOf, toHex } from '../store/hash.ts'
import type { Batch } from '../store/object-store.ts'
import { OBJECT } from '../store/store.ts'
import { type Entry, encodeTree, KIND } from '../store/tree.ts'
import { compareTrees, type ReadTree, walkTree } from './compare.ts'
import { globMatcher } from './listing.ts'
import { freeSpace, type UpkeepRoom } from './prune.ts'
import { decodeSnapshot, encodeSnapshot } from './snapshot-object.ts'
import { Trees } from './trees.ts'

export interface ForgetPlan {
  readonly paths: readonly RelPath[]
  readonly snapshots: readonly SnapshotRecord[]
  /** Contents that lose a path, with one path each. */
  readonly contents: ReadonlyMap<string, RelPath>
  readonly matches: (path: RelPath) => boolean
}

/** A path stands for itself and what lies below it; with `*`, `?` or `[` it is a glob. */
function forgetMatcher(pattern: string): (path: RelPath) => boolean {
  if (/[*?[]/.test(pattern)) return globMatcher(pattern)
  const path = parseRelPath(pattern)
  return (candidate) => isWithin(candidate, path)
}

export function planForget(room: UpkeepRoom, workspace: string, pattern: string): ForgetPlan {
  const matches = forgetMatcher(pattern)
  const { read } = new Trees(room.store.reader)
  const finder = new Finder(read, matches)
  const paths = new Set<RelPath>()
  const contents = new Map<string, RelPath>()
  const snapshots = room.records.snapshots.all(workspace).filter((snapshot) => {
    const found = snapshot.content ? finder.find(snapshot.tree, ROOT) : []
    for (const { path, entry } of found) {
      paths.add(path)
      if (entry.kind !== KIND.directory) contents.set(keyOf(entry.hash), path)
    }
    return found.length > 0
  })
  return { paths: [...paths].sort(), snapshots, contents, matches }
}

interface Hit {
  readonly path: RelPath
  readonly entry: Entry
}

/** Finds matching entries; a subtree seen before at the same path is not walked again. */
class Finder {
  readonly #read: ReadTree
  readonly #matches: (path: RelPath) => boolean
  readonly #known = new Map<string, readonly Hit[]>()

  constructor(read: ReadTree, matches: (path: RelPath) => boolean) {
    this.#read = read
    this.#matches = matches
  }

  find(tree: Uint8Array, path: RelPath): readonly Hit[] {
    const key = `${keyOf(tree)}${path}`
    let hits = this.#known.get(key)
    if (hits === undefined) this.#known.set(key, (hits = this.#walk(tree, path)))
    return hits
  }

  #walk(tree: Uint8Array, path: RelPath): Hit[] {
    const hits: Hit[] = []
    for (const entry of this.#read(tree)) {
      const at = joinPath(path, entry.name)
      if (this.#matches(at)) hits.push({ path: at, entry }, ...this.#below(entry, at))
      else if (entry.kind === KIND.directory) for (const hit of this.find(entry.hash, at)) hits.push(hit)
    }
    return hits
  }

  #below(entry: Entry, path: RelPath): Hit[] {
    return entry.kind === KIND.directory ? [...walkTree(this.#read, entry.hash, path)] : []
  }
}

export interface Forgotten {
  readonly purged: number
  readonly stillHeld: readonly RelPath[]
  readonly freed: number
  /** False: packs that are being written now still hold some; the next gc purges those. */
  readonly complete: boolean
}

/**
 * Takes the matching paths out of every snapshot, then their bytes out of the packs.
 * The snapshots keep their ids; their trees and record objects are written anew.
 */
export async function forget(room: UpkeepRoom, plan: ForgetPlan): Promise<Forgotten> {
  const batch = room.store.begin()
  try {
    room.records.db.writeDurably(() => {
      const cutter = new Cutter(new Trees(room.store.reader).read, plan.matches, batch)
      for (const { id } of plan.snapshots) rewrite(room, id, cutter, batch)
      batch.publish()
      room.store.index.setPurge(true)
    })
  } finally {
    batch.end()
  }
  point('forget:rewritten')
  const collected = await freeSpace(room)
  if (collected === undefined) throw new Fault('STORE_BUSY', { path: room.home })
  const stillHeld = [...plan.contents].filter(([key]) => room.store.index.has(Buffer.from(key, 'latin1')))
  return {
    purged: plan.contents.size - stillHeld.length,
    stillHeld: stillHeld.map(([, path]) => path),
    freed: Math.max(0, collected.bytesBefore - collected.bytesAfter),
    complete: !room.store.index.purgePending,
  }
}

function rewrite(room: UpkeepRoom, id: string, cutter: Cutter, batch: Batch): void {
  const snapshot = room.records.snapshots.get(id)
  if (!snapshot?.content) return
  const stored = decodeSnapshot(room.store.reader.get(snapshot.object), snapshot.object)
  const tree = cutter.cut(snapshot.tree, ROOT)
  const removed = [...compareTrees(cutter.read, snapshot.tree, tree)].filter(
    ({ old: a, new: b }) => a && !b && a.kind !== KIND.directory,
  )
  const files = snapshot.files - removed.length
  const bytes = snapshot.bytes - removed.reduce((sum, { old: a }) => sum + (a?.kind === KIND.file ? a.size : 0), 0)
  const changes = stored.changes.filter(({ path }) => !cutter.matches(path))
  const next = { ...stored, tree, files, bytes, changes, revision: (stored.revision ?? 0) + 1 }
  const object = batch.put(OBJECT.snapshot, encodeSnapshot(next))
  room.records.snapshots.replace(id, tree, object, files, bytes)
  room.records.snapshots.setChanges(snapshot.seq, changes)
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

  /** Reads stored trees and those made here alike. */
  readonly read: ReadTree = (hash) => this.#made.get(toHex(hash)) ?? this.#read(hash)

  cut(tree: Uint8Array, path: RelPath): Uint8Array {
    const key = `${keyOf(tree)}${path}`
    const known = this.#done.get(key)
    if (known) return known
    const entries = this.#read(tree)
    const kept = entries
      .filter((entry) => !this.matches(joinPath(path, entry.name)))
      .map((entry) =>
        entry.kind === KIND.directory ? { ...entry, hash: this.cut(entry.hash, joinPath(path, entry.name)) } : entry,
      )
    const same =
      kept.length === entries.length &&
      kept.every((entry, i) => Buffer.compare(entry.hash, entries[i]?.hash ?? entry.hash) === 0)
    const hash = same ? tree : this.#batch.put(OBJECT.tree, encodeTree(kept))
    this.#made.set(toHex(hash), kept)
    this.#done.set(key, hash)
    return hash
  }
}
