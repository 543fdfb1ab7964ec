import { join } from 'node:path'
import { lstat } from '../host/files/fs.ts'
import { keyOf } from '../host/hash.ts'
import { point } from '../host/points.ts'
import type { PackRow } from './index-rows.ts'
import { Marker, type Root } from './mark.ts'
import { type LostPacks, mergePacks } from './merge.ts'
import type { ObjectStore } from './object-store.ts'
import { packNames, writerOf } from './pack-scan.ts'
import { dropEmpty, removeQuietly, rewriteGroup } from './rewrite.ts'
import { OBJECT } from './store.ts'

export interface Collected {
  readonly objectsRemoved: number
  readonly packsBefore: number
  readonly packsAfter: number
  readonly bytesBefore: number
  readonly bytesAfter: number
  /** How many packs hold snapshots that are missing from the records. While there are any, no object is removed. */
  readonly lostPacks: number
}

/** A pack is rewritten when this share of it is no longer needed. */
const WORTHWHILE = 0.25
/** Rows deleted per transaction when the disk is nearly full, so that the database's log stays short. */
const LITTLE = 100

/**
 * Frees the space of objects that no root reaches.
 *
 * First it deletes rows, in one transaction that reads the roots again (in several small ones when the disk is nearly
 * full); captures notice by the epoch. Then it rewrites packs one after another: the new pack is durable before the old
 * one is removed, so the extra space is that of one pack. Only one process collects at a time (the caller holds the
 * lease); captures continue meanwhile. When a purge is pending, it rewrites every pack that has any unneeded bytes,
 * however few.
 *
 * When snapshots are missing from the records, what they need is unknown until a rebuild has found them. Until then it
 * deletes no row and leaves the packs that hold them unchanged.
 */
export function collect(store: ObjectStore, roots: () => Iterable<Root>, lost: LostPacks): Collected {
  const before = diskUse(store)
  const purge = store.index.purgePending
  const objectsRemoved = lost.size > 0 ? 0 : sweep(store, roots)
  const whole = rewritePacks(store, purge, lost)
  removeLeftovers(store, lost)
  if (purge && whole) store.index.setPurge(false)
  store.index.db.shrink()
  return outcome(store, before, objectsRemoved, lost)
}

function outcome(
  store: ObjectStore,
  before: ReturnType<typeof diskUse>,
  objectsRemoved: number,
  lost: LostPacks,
): Collected {
  const after = diskUse(store)
  return {
    objectsRemoved,
    packsBefore: before.packs,
    packsAfter: after.packs,
    bytesBefore: before.bytes,
    bytesAfter: after.bytes,
    lostPacks: lost.size,
  }
}

/** Merges small packs. Like `collect`, but removes no object and does not read the roots. */
export function merge(store: ObjectStore, lost: LostPacks): Collected {
  const before = diskUse(store)
  mergePacks(store, lost)
  removeLeftovers(store, lost)
  store.index.db.shrink()
  return outcome(store, before, 0, lost)
}

function diskUse(store: ObjectStore): { packs: number; bytes: number } {
  const names = packNames(store.dir)
  return { packs: names.length, bytes: names.reduce((sum, name) => sum + (lstat(join(store.dir, name))?.size ?? 0), 0) }
}

function sweep(store: ObjectStore, roots: () => Iterable<Root>): number {
  const { index } = store
  const marker = new Marker(store.reader, (hash) => index.find(hash)?.kind === OBJECT.list)
  for (const root of roots()) marker.add(root)
  const suspects = unmarked(store, marker)
  point('gc:marked')
  let removed = 0
  const atOnce = store.isShortOfSpace ? LITTLE : Math.max(1, suspects.length)
  for (let at = 0; at < suspects.length; at += atOnce) {
    removed += dropUnneeded(store, marker, roots, suspects.slice(at, at + atOnce))
    if (store.isShortOfSpace) index.db.checkpoint()
  }
  point('gc:swept')
  return removed
}

/** Deletes the rows of objects that are still unreachable, in one transaction that reads the roots again. */
function dropUnneeded(
  { index }: ObjectStore,
  marker: Marker,
  roots: () => Iterable<Root>,
  suspects: readonly Suspect[],
): number {
  return index.db.write(() => {
    for (const root of roots()) marker.add(root)
    const working = index.liveWriters()
    let count = 0
    for (const { hash, writer } of suspects) {
      if (marker.live.has(keyOf(hash)) || working.has(writer)) continue
      count += index.drop(hash)
    }
    if (count > 0) index.raiseEpoch()
    return count
  })
}

interface Suspect {
  readonly hash: Uint8Array
  readonly writer: string
}

function unmarked(store: ObjectStore, marker: Marker): Suspect[] {
  const rows = store.index.db.all<Suspect>(
    'SELECT o.hash, p.writer FROM objects o JOIN blocks b ON b.id = o.block JOIN packs p ON p.id = b.pack',
  )
  return rows.filter(({ hash }) => !marker.live.has(keyOf(hash)))
}

interface Weighed extends PackRow {
  readonly raw: number
  readonly live: number
  readonly objects: number
}

/**
 * Returns whether every pack could be processed. Packs of live writers, and packs with snapshots that are missing from
 * the records, are left for a later run.
 */
function rewritePacks(store: ObjectStore, everything: boolean, lost: LostPacks): boolean {
  const packs = weigh(store).filter(({ name }) => !lost.has(name))
  dropEmpty(
    store,
    packs.filter(({ objects }) => objects === 0),
  )
  for (const pack of packs)
    if (pack.objects > 0 && pack.raw - pack.live > (everything ? 0 : pack.raw * WORTHWHILE)) rewriteGroup(store, [pack])
  mergePacks(store, lost, { isEager: true })
  return lost.size === 0 && store.index.liveWriters().size === 0
}

/** Rewrites packs; the new ones have only sound objects that have a row. Packs that cannot be read stay. */
export function rewriteNamed(store: ObjectStore, names: ReadonlySet<string>, lost: LostPacks): void {
  for (const pack of store.index.packs()) if (names.has(pack.name) && !lost.has(pack.name)) rewriteGroup(store, [pack])
}

function weigh(store: ObjectStore): Weighed[] {
  const packs = store.index.packs()
  const working = store.index.liveWriters()
  const weights = store.index.weights()
  return packs
    .filter(({ writer }) => !working.has(writer))
    .map((pack) => ({ ...pack, ...(weights.get(pack.id) ?? { raw: 0, live: 0, objects: 0 }) }))
}

/**
 * Removes files of writers that died before they published. The files are listed before the writers: a writer registers
 * before its first file exists, so the file of a live writer is never taken for a leftover.
 */
function removeLeftovers(store: ObjectStore, lost: LostPacks): void {
  const names = packNames(store.dir)
  const working = store.index.liveWriters()
  const known = new Set(store.index.packs().map(({ name }) => name))
  // The records name a pack that does not exist. They are then older than a merge, and the merged pack has no row and
  // would look like a leftover.
  if (known.values().some((name) => lstat(join(store.dir, name)) === undefined)) return
  for (const name of names)
    if (!known.has(name) && !working.has(writerOf(name)) && !lost.has(name)) removeQuietly(join(store.dir, name))
}
