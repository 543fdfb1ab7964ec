import { errorCode } from '../host/files/fs.ts'
import { keyOf, newHash, sha256, toHex } from '../host/hash.ts'
import { decodeList } from './chunk-list.ts'
import type { BlockRow, ListedObject, PackRow } from './index-rows.ts'
import type { ObjectStore } from './object-store.ts'
import { decodePayload, describes, type Listed, listDirectory } from './pack-format.ts'
import { type ScannedBlock, scanPack } from './pack-scan.ts'
import { OBJECT } from './store.ts'

/** Something wrong with the packs or their index. */
interface Defect {
  readonly code: 'OBJECT_DAMAGED' | 'PACK_MISSING' | 'PACK_DAMAGED' | 'INDEX_WRONG'
  readonly message: string
  readonly object: string | null
  readonly pack: string | null
}

export interface Verified {
  readonly defects: Defect[]
  /** Objects whose content cannot be read. */
  readonly damaged: Set<string>
  readonly packs: number
  readonly objects: number
  readonly bytes: number
}

interface Tally extends Verified {
  objects: number
  bytes: number
}

/** Reads every pack and compares it with the index. */
export function verifyPacks(store: ObjectStore, progress: (done: number, total: number) => void): Verified {
  const result: Tally = { defects: [], damaged: new Set(), packs: 0, objects: 0, bytes: 0 }
  const packs = store.index.packs()
  const objects = store.index.objectsOf(packs.map(({ id }) => id))
  const blocks = Map.groupBy(
    store.index.db.all<BlockRow>('SELECT id, pack, offset, head, stored, raw, codec FROM blocks'),
    ({ pack }) => pack,
  )
  packs.forEach((pack, i) => {
    progress(i, packs.length)
    verifyPack(store, pack, objects.get(pack.id) ?? [], blocks.get(pack.id) ?? [], result)
  })
  verifyLists(store, result)
  return { ...result, packs: packs.length }
}

function verifyPack(
  store: ObjectStore,
  pack: PackRow,
  rows: readonly ListedObject[],
  blocks: readonly BlockRow[],
  result: Tally,
): void {
  const expected = new Map(rows.map((row) => [keyOf(row.hash), row]))
  const known = new Map(blocks.map((block) => [block.offset, block]))
  const before = result.defects.length
  try {
    readThrough(store, pack, expected, known, result)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    defect(result, 'PACK_MISSING', `${pack.name} is not there`, pack.name)
  }
  const packDamaged = result.defects.length > before
  for (const row of expected.values()) verifyUnlisted(store, pack, row, packDamaged, result)
}

function readThrough(
  store: ObjectStore,
  pack: PackRow,
  expected: Map<string, ListedObject>,
  known: Map<number, BlockRow>,
  result: Tally,
): void {
  const blocks = scanPack(store.dir, pack.name)
  const end = Math.max(0, ...[...known.values()].map(({ offset }) => offset))
  for (;;) {
    const { value, done } = blocks.next()
    if (!done) verifyBlock(pack, value, expected, known.get(value.offset), result)
    else {
      // A file without block rows does not count as a pack: a dead writer left it, or a power loss cut it off.
      if (!value.headerOk && known.size > 0)
        defect(result, 'PACK_DAMAGED', `${pack.name} does not begin as a pack does`, pack.name)
      const lost = value.gaps.filter((gap) => gap <= end)
      for (const gap of lost)
        defect(result, 'PACK_DAMAGED', `no block begins at byte ${gap} of ${pack.name}`, pack.name)
      return
    }
  }
}

/** Checks objects that have a row but are not in the pack's own directories: perhaps they can be read nevertheless. */
function verifyUnlisted(
  store: ObjectStore,
  pack: PackRow,
  row: ListedObject,
  packDamaged: boolean,
  result: Tally,
): void {
  if (packDamaged && store.reader.isReadable(row.hash)) {
    result.objects++
    return
  }
  result.damaged.add(keyOf(row.hash))
  if (packDamaged)
    defect(result, 'OBJECT_DAMAGED', `object ${toHex(row.hash)} in ${pack.name} is damaged`, pack.name, row.hash)
  else
    defect(
      result,
      'INDEX_WRONG',
      `the index places object ${toHex(row.hash)} where ${pack.name} does not have it`,
      pack.name,
      row.hash,
    )
}

/** Removes the objects that it finds, sound or damaged, from `expected`. */
function verifyBlock(
  pack: PackRow,
  block: ScannedBlock,
  expected: Map<string, ListedObject>,
  row: BlockRow | undefined,
  result: Tally,
): void {
  const { head } = block
  if (!block.sound && row === undefined) return
  if (!block.sound)
    defect(
      result,
      'PACK_DAMAGED',
      `the block at byte ${block.offset} of ${pack.name} does not match its checksum`,
      pack.name,
    )
  // A wrong row of a sound block makes all its objects unreadable; they stay in `expected` and are reported.
  if (block.sound && row && !describes(row, head)) return
  const payload = payloadOf(block)
  result.bytes += head.head + head.stored
  for (const listed of listDirectory(head.directory)) {
    const key = keyOf(listed.hash)
    const found = expected.get(key)
    if (!found || found.offset !== block.offset || !agrees(found, listed)) continue
    expected.delete(key)
    result.objects++
    if (isIntact(listed, payload)) continue
    result.damaged.add(key)
    defect(result, 'OBJECT_DAMAGED', `object ${toHex(listed.hash)} in ${pack.name} is damaged`, pack.name, listed.hash)
  }
}

const agrees = (row: ListedObject, listed: Listed): boolean =>
  row.start === listed.start && row.size === listed.size && row.kind === listed.kind

function payloadOf(block: ScannedBlock): Uint8Array | undefined {
  try {
    return decodePayload(block.head.codec, block.stored, block.head.raw)
  } catch {
    return undefined
  }
}

/** A list is named by the hash of the whole content; lists are verified once all chunks are known. */
function isIntact(listed: Listed, payload: Uint8Array | undefined): boolean {
  if (payload === undefined || payload.length < listed.start + listed.size) return false
  if (listed.kind === OBJECT.list) return true
  return sha256(payload.subarray(listed.start, listed.start + listed.size)).equals(listed.hash)
}

function verifyLists(store: ObjectStore, result: Verified): void {
  const lists = store.index.db.all<{ hash: Uint8Array }>('SELECT hash FROM objects WHERE kind = ?', OBJECT.list)
  for (const { hash } of lists) {
    if (result.damaged.has(keyOf(hash)) || isWhole(store, hash, result)) continue
    result.damaged.add(keyOf(hash))
    defect(result, 'OBJECT_DAMAGED', `the chunks of object ${toHex(hash)} do not make up its content`, null, hash)
  }
}

function isWhole(store: ObjectStore, hash: Uint8Array, result: Verified): boolean {
  try {
    const whole = newHash()
    for (const chunk of decodeList(store.reader.raw(hash).bytes)) {
      if (result.damaged.has(keyOf(chunk.hash))) return false
      whole.update(store.reader.raw(chunk.hash).bytes)
    }
    return whole.digest().equals(hash)
  } catch {
    return false
  }
}

function defect(result: Verified, code: Defect['code'], message: string, pack: string | null, hash?: Uint8Array): void {
  result.defects.push({ code, message, object: hash ? toHex(hash) : null, pack })
}
