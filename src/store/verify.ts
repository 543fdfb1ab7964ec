import { createHash } from 'node:crypto'
import { errorCode } from '../host/fs.ts'
import { decodeList } from './chunk-list.ts'
import { keyOf, sha256, toHex } from './hash.ts'
import type { PackRow } from './object-index.ts'
import type { ObjectStore } from './object-store.ts'
import { decodePayload, type Listed, listDirectory } from './pack-format.ts'
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
  /** Objects that cannot be given out. */
  readonly damaged: Set<string>
  readonly packs: number
  readonly objects: number
  readonly bytes: number
}

interface IndexRow {
  readonly hash: Uint8Array
  readonly offset: number
  readonly start: number
  readonly size: number
  readonly kind: number
}

/** Reads every pack back, and compares it with what the index says of it. */
export function verifyPacks(store: ObjectStore, progress: (done: number, total: number) => void): Verified {
  const result: Verified & { objects: number; bytes: number } = {
    defects: [],
    damaged: new Set(),
    packs: 0,
    objects: 0,
    bytes: 0,
  }
  const packs = store.index.packs()
  packs.forEach((pack, i) => {
    progress(i, packs.length)
    verifyPack(store, pack, result)
  })
  verifyLists(store, result)
  return { ...result, packs: packs.length }
}

function verifyPack(store: ObjectStore, pack: PackRow, result: Verified & { objects: number; bytes: number }): void {
  const rows = indexRows(store, pack)
  const expected = new Map(rows.map((row) => [keyOf(row.hash), row]))
  const lastOffset =
    store.index.db.get<{ at: number }>('SELECT max(offset) AS at FROM blocks WHERE pack = ?', pack.id)?.at ?? 0
  const blocks = scanPack(store.dir, pack.name)
  try {
    for (;;) {
      const { value, done } = blocks.next()
      if (done) {
        if (!value.headerOk) defect(result, 'PACK_DAMAGED', `${pack.name} does not begin as a pack does`, pack.name)
        if (value.readTo <= lastOffset)
          defect(result, 'PACK_DAMAGED', `${pack.name} cannot be read beyond byte ${value.readTo}`, pack.name)
        break
      }
      verifyBlock(pack, value, expected, result)
    }
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    defect(result, 'PACK_MISSING', `${pack.name} is not there`, pack.name)
  }
  for (const [key, row] of expected) {
    result.damaged.add(key)
    defect(
      result,
      'INDEX_WRONG',
      `the index places object ${toHex(row.hash)} where ${pack.name} does not have it`,
      pack.name,
      row.hash,
    )
  }
}

const indexRows = (store: ObjectStore, pack: PackRow): IndexRow[] =>
  store.index.db.all<IndexRow>(
    `SELECT o.hash, b.offset, o.start, o.size, o.kind FROM objects o JOIN blocks b ON b.id = o.block WHERE b.pack = ?`,
    pack.id,
  )

/** Takes what it finds, sound or damaged, out of `expected`. */
function verifyBlock(
  pack: PackRow,
  block: ScannedBlock,
  expected: Map<string, IndexRow>,
  result: Verified & { objects: number; bytes: number },
): void {
  if (!block.sound)
    defect(
      result,
      'PACK_DAMAGED',
      `the block at byte ${block.offset} of ${pack.name} does not match its checksum`,
      pack.name,
    )
  const payload = payloadOf(block)
  result.bytes += block.head.head + block.head.stored
  for (const listed of listDirectory(block.head.directory)) {
    const key = keyOf(listed.hash)
    const row = expected.get(key)
    if (!row || row.offset !== block.offset || !agrees(row, listed)) continue
    expected.delete(key)
    result.objects++
    if (isIntact(listed, payload)) continue
    result.damaged.add(key)
    defect(result, 'OBJECT_DAMAGED', `object ${toHex(listed.hash)} in ${pack.name} is damaged`, pack.name, listed.hash)
  }
}

const agrees = (row: IndexRow, listed: Listed): boolean =>
  row.start === listed.start && row.size === listed.size && row.kind === listed.kind

function payloadOf(block: ScannedBlock): Uint8Array | undefined {
  try {
    return decodePayload(block.head.codec, block.stored, block.head.raw)
  } catch {
    return undefined
  }
}

/** A list is named by the content it stands for; those are verified once all chunks are known. */
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
    const whole = createHash('sha256')
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
