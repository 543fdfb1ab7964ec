import { join } from 'node:path'
import { Fault } from '../base/fault.ts'
import { syncDir, syncFile } from '../host/durable.ts'
import { errorCode, lstat, removeFile } from '../host/fs.ts'
import { point } from '../host/points.ts'
import { keyOf } from './hash.ts'
import { Marker, type Root } from './mark.ts'
import type { ListedObject, PackRow } from './object-index.ts'
import type { ObjectStore } from './object-store.ts'
import { packNames, writerOf } from './pack-scan.ts'
import { PackWriter, type WrittenBlock } from './pack-writer.ts'
import { OBJECT } from './store.ts'

export interface Collected {
  readonly objectsRemoved: number
  readonly packsBefore: number
  readonly packsAfter: number
  readonly bytesBefore: number
  readonly bytesAfter: number
}

/** A pack is rewritten when this share of it is no longer needed. */
const WORTHWHILE = 0.25
/** Packs smaller than this are merged once there are several. */
const SMALL = 4 * 1024 * 1024
const SEVERAL = 8

/**
 * Frees the space of what no root needs.
 *
 * Rows go first, in one transaction in which the roots are looked at once more; captures notice by
 * the epoch. Then packs are rewritten one after another: the new one is durable before the old one
 * goes, so the extra space is that of one pack. Only one process collects at a time (the caller
 * holds the lease); captures go on meanwhile. When contents are to be purged, packs are rewritten
 * however little is gained.
 */
export function collect(store: ObjectStore, roots: () => Iterable<Root>): Collected {
  const before = diskUse(store)
  const purge = store.index.purgePending
  const objectsRemoved = sweep(store, roots)
  const whole = rewritePacks(store, purge)
  removeLeftovers(store)
  if (purge && whole) store.index.setPurge(false)
  const after = diskUse(store)
  return {
    objectsRemoved,
    packsBefore: before.packs,
    packsAfter: after.packs,
    bytesBefore: before.bytes,
    bytesAfter: after.bytes,
  }
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
  const removed = index.db.write(() => {
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
  point('gc:swept')
  return removed
}

function unmarked(store: ObjectStore, marker: Marker): { hash: Uint8Array; writer: string }[] {
  const rows = store.index.db.all<{ hash: Uint8Array; writer: string }>(
    'SELECT o.hash, p.writer FROM objects o JOIN blocks b ON b.id = o.block JOIN packs p ON p.id = b.pack',
  )
  return rows.filter(({ hash }) => !marker.live.has(keyOf(hash)))
}

interface Weighed extends PackRow {
  readonly size: number
  readonly raw: number
  readonly live: number
  readonly objects: number
}

/** Whether it could look at every pack: those of writers at work have to wait. */
function rewritePacks(store: ObjectStore, everything: boolean): boolean {
  const packs = weigh(store)
  const empty = packs.filter(({ objects }) => objects === 0)
  for (const pack of empty) dropPacks(store, [pack])
  const used = packs.filter(({ objects }) => objects > 0)
  const wasteful = used.filter(({ raw, live }) => raw - live > (everything ? 0 : raw * WORTHWHILE))
  const small = used.filter((pack) => pack.size < SMALL && !wasteful.includes(pack))
  const merged = small.length >= SEVERAL ? groups(small) : []
  rewriteGroups(store, [...wasteful.map((pack) => [pack]), ...merged])
  return store.index.liveWriters().size === 0
}

/** Writes packs anew, without what nothing needs and without what is not sound. Packs that cannot be read stay. */
export function rewriteNamed(store: ObjectStore, names: ReadonlySet<string>): void {
  rewriteGroups(
    store,
    store.index
      .packs()
      .filter(({ name }) => names.has(name))
      .map((pack) => [pack]),
  )
}

function rewriteGroups(store: ObjectStore, groups: readonly (readonly PackRow[])[]): void {
  const objects = groups.length === 0 ? new Map() : store.index.objectsOf(groups.flat().map(({ id }) => id))
  for (const group of groups) rewrite(store, group, objects)
}

function weigh(store: ObjectStore): Weighed[] {
  const working = store.index.liveWriters()
  const weights = store.index.weights()
  return store.index
    .packs()
    .filter(({ writer }) => !working.has(writer))
    .map((pack) => ({
      ...pack,
      size: lstat(join(store.dir, pack.name))?.size ?? 0,
      ...(weights.get(pack.id) ?? { raw: 0, live: 0, objects: 0 }),
    }))
}

/** As many small packs as make one good one. */
function groups(small: readonly Weighed[]): Weighed[][] {
  const out: Weighed[][] = [[]]
  let size = 0
  for (const pack of small) {
    if (size > 8 * SMALL) {
      out.push([])
      size = 0
    }
    out.at(-1)?.push(pack)
    size += pack.size
  }
  return out.filter((group) => group.length > 1)
}

/** Copies what is needed of some packs into a new one, then lets the old ones go. Packs that cannot be read stay. */
function rewrite(
  store: ObjectStore,
  packs: readonly PackRow[],
  objects: ReadonlyMap<number, readonly ListedObject[]>,
): void {
  const batch = store.begin()
  const blocks: WrittenBlock[] = []
  const writer = new PackWriter(store.dir, `${batch.writer}-g`, (block) => blocks.push(block))
  try {
    for (const pack of packs)
      for (const { hash, kind } of objects.get(pack.id) ?? []) writer.add(hash, kind, store.reader.raw(hash).bytes)
    writer.close()
    point('gc:copied')
    for (const name of new Set(blocks.map(({ pack }) => pack))) syncFile(join(store.dir, name))
    syncDir(store.dir)
    store.index.db.writeDurably(() => {
      store.index.move(blocks, batch.writer)
      store.index.markSynced([...new Set(blocks.map(({ pack }) => store.index.packId(pack, batch.writer)))])
      for (const pack of packs) store.index.dropPack(pack.id)
    })
    point('gc:moved')
    for (const pack of packs) removeQuietly(join(store.dir, pack.name))
  } catch (error) {
    writer.abandon()
    if (!(error instanceof Fault)) throw error
  } finally {
    batch.end()
  }
}

function dropPacks(store: ObjectStore, packs: readonly PackRow[]): void {
  store.index.db.writeDurably(() => {
    for (const pack of packs) store.index.dropPack(pack.id)
  })
  point('gc:dropped')
  for (const pack of packs) removeQuietly(join(store.dir, pack.name))
}

/** Files of writers that died before they published. The listing comes first: a writer enters before its file exists. */
function removeLeftovers(store: ObjectStore): void {
  const names = packNames(store.dir)
  const working = store.index.liveWriters()
  const known = new Set(store.index.packs().map(({ name }) => name))
  for (const name of names) if (!known.has(name) && !working.has(writerOf(name))) removeQuietly(join(store.dir, name))
}

function removeQuietly(path: string): void {
  try {
    removeFile(path)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
}
