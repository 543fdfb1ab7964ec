import { join } from 'node:path'
import { Fault, isFault } from '../base/fault.ts'
import { syncDir, syncFile } from '../host/files/durable.ts'
import { errorCode, removeFile } from '../host/files/fs.ts'
import { sha256, toHex } from '../host/hash.ts'
import { point } from '../host/points.ts'
import { identity } from '../host/processes/process.ts'
import type { BlockRow, PackRow, WrittenBlock } from './index-rows.ts'
import type { ObjectStore } from './object-store.ts'
import { countListed, decodePayload, describes, listDirectory } from './pack-format.ts'
import { packNames, type ScannedBlock, scanPack } from './pack-scan.ts'
import { PackWriter } from './pack-writer.ts'
import { OBJECT } from './store.ts'

/** Rows changed per transaction, so that a concurrent capture waits a few milliseconds at most. */
const ROWS_AT_ONCE = 500

/** One pack of a group, with its blocks as they were listed. */
interface Source {
  readonly pack: PackRow
  readonly blocks: readonly BlockRow[]
}

/**
 * Copies the objects of some packs that have a row into new packs, then removes the old ones. Packs that cannot be read
 * stay.
 *
 * The new packs are durable before a row points into them, and the rows are durable before a file is removed; in
 * between, both copies exist. If the process dies, each row points to one of the two.
 */
export function rewriteGroup(store: ObjectStore, packs: readonly PackRow[]): void {
  const batch = store.begin()
  const written: WrittenBlock[] = []
  const writer = new PackWriter(store.dir, `${batch.writer}-g`, (block) => written.push(block), { effort: 'dense' })
  try {
    const copied = packs.flatMap((pack) => copyPack(store, pack, writer))
    // Only objects with a row were copied, so the records have their snapshots.
    writer.flush()
    writer.mark(identity().boot)
    writer.close()
    point('gc:copied')
    if (copied.length === 0) return
    for (const name of new Set(written.map(({ pack }) => pack))) syncFile(join(store.dir, name))
    syncDir(store.dir)
    moveRows(store, written, batch.writer)
    point('gc:moved')
    dropPacks(store, copied)
  } catch (error) {
    writer.abandon()
    removeUnpublished(store, batch.writer)
    throw error
  } finally {
    batch.end()
  }
}

/**
 * Empty when an object of the pack that has a row cannot be read: the pack stays, so that `fsck` can report the damage.
 * Objects copied before that are merely second copies.
 */
function copyPack(store: ObjectStore, pack: PackRow, writer: PackWriter): Source[] {
  const blocks = store.index.blocksOf(pack.id)
  const left = new Map(blocks.map((block) => [block.offset, block]))
  try {
    for (const block of scanPack(store.dir, pack.name)) {
      const row = left.get(block.offset)
      if (row === undefined || !block.sound || !describes(row, block.head)) continue
      copyBlock(store, pack, block, writer)
      left.delete(block.offset)
    }
    for (const { id } of left.values())
      for (const { hash, kind } of store.index.objectsIn(id)) writer.add(hash, kind, store.reader.raw(hash).bytes)
    return [{ pack, blocks }]
  } catch (error) {
    if (isFault(error, 'OBJECT_DAMAGED') || isFault(error, 'OBJECT_MISSING') || errorCode(error) === 'ENOENT') return []
    throw error
  }
}

/** Copies those objects of a sound block whose row points to it. */
function copyBlock(store: ObjectStore, pack: PackRow, block: ScannedBlock, writer: PackWriter): void {
  const { head, stored, offset } = block
  const payload = decodePayload(head.codec, stored, head.raw)
  for (const { hash, kind, start, size } of listDirectory(head.directory)) {
    const place = store.index.find(hash)
    if (place?.pack !== pack.name || place.offset !== offset) continue
    const bytes = payload.subarray(start, start + size)
    // A list is named by the hash of the whole content.
    if (kind !== OBJECT.list && !sha256(bytes).equals(hash))
      throw new Fault('OBJECT_DAMAGED', { id: toHex(hash), pack: pack.name })
    writer.add(hash, kind, bytes)
  }
}

/** Packs without rows are unreachable. They are removed at once, because the disk may be full. */
function removeUnpublished(store: ObjectStore, writer: string): void {
  const published = new Set(store.index.packs().map(({ name }) => name))
  for (const name of packNames(store.dir))
    if (name.startsWith(`${writer}-`) && !published.has(name)) removeQuietly(join(store.dir, name))
}

/** A concurrent reader finds the old place or the new one; both hold the same bytes. */
function moveRows(store: ObjectStore, blocks: readonly WrittenBlock[], writer: string): void {
  for (const some of inPortions(blocks, ({ directory }) => countListed(directory))) {
    store.index.db.write(() => {
      store.index.move(some, writer)
      store.index.markSynced([...new Set(some.map(({ pack }) => store.index.packId(pack, writer)))])
    })
    point('gc:moving')
  }
}

function dropPacks(store: ObjectStore, sources: readonly Source[]): void {
  const { index } = store
  const dropped: PackRow[] = []
  const portions = [...inPortions(sources, ({ blocks }) => 1 + blocks.length)]
  portions.forEach((some, i) => {
    const act = (): void => {
      for (const { pack, blocks } of some) {
        // A writer has added blocks meanwhile: the pack stays.
        if (index.blocksOf(pack.id).length !== blocks.length) continue
        index.dropPack(pack.id)
        dropped.push(pack)
      }
    }
    if (i === portions.length - 1) index.db.writeDurably(act)
    else index.db.write(act)
  })
  point('gc:dropped')
  for (const { name } of dropped) removeQuietly(join(store.dir, name))
}

function* inPortions<T>(items: readonly T[], weigh: (item: T) => number): Generator<T[]> {
  let some: T[] = []
  let weight = 0
  for (const item of items) {
    some.push(item)
    weight += weigh(item)
    if (weight < ROWS_AT_ONCE) continue
    yield some
    some = []
    weight = 0
  }
  if (some.length > 0) yield some
}

/** Removes packs in which no object has a row. */
export function dropEmpty(store: ObjectStore, packs: readonly PackRow[]): void {
  if (packs.length === 0) return
  dropPacks(
    store,
    packs.map((pack) => ({ pack, blocks: store.index.blocksOf(pack.id) })),
  )
}

export function removeQuietly(path: string): void {
  try {
    removeFile(path)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
}
