import { zlib } from '../host/builtins.ts'
import { HASH_BYTES, type ObjectKind } from './store.ts'

/**
 * The block format of pack files; docs/format.md has the layout. The checksum covers head, directory and payload, so it
 * detects any flipped bit.
 */
const PACK_MAGIC = 'TWP1'
export const PACK_HEADER = 32
export const BLOCK_MARK = 'TWB1'
const BLOCK_MAGIC = 0x31425754 // the same, as a little-endian number
const BLOCK_HEADER = 24
const DIRECTORY_ROW = HASH_BYTES + 1 + 4

const CODEC = { raw: 0, zstd: 1 } as const

/** One object about to be packed. */
export interface Packable {
  readonly hash: Uint8Array
  readonly kind: ObjectKind
  readonly size: number
}

/** One object as listed in a block's directory. */
export interface Listed extends Packable {
  /** Where its bytes begin in the raw payload. */
  readonly start: number
}

export interface BlockHead {
  readonly codec: number
  readonly raw: number
  readonly stored: number
  /** The length of header and directory: the payload begins here. */
  readonly head: number
  readonly checksum: number
  /** One row per object; see `listDirectory`. */
  readonly directory: Uint8Array
}

export function packHeader(): Buffer {
  const header = Buffer.alloc(PACK_HEADER)
  header.write(PACK_MAGIC, 0, 'latin1')
  header.writeUInt32LE(1, 4)
  return header
}

/** A block as the two consecutive pieces in which it is written. */
export interface BlockParts {
  readonly codec: number
  /** Header and directory. */
  readonly head: Buffer
  /** Valid only as long as the payload's buffer is unchanged. */
  readonly bytes: Uint8Array
}

/** The zstd effort: `quick` while a capture waits, `dense` when packs are merged. */
export type Effort = 'quick' | 'dense'

/** Compresses only when that saves at least a twentieth. */
export function encodeBlock(objects: readonly Packable[], payload: Uint8Array, effort: Effort = 'quick'): BlockParts {
  const { codec, bytes } = compress(payload, effort)
  const head = Buffer.allocUnsafe(BLOCK_HEADER + DIRECTORY_ROW * objects.length)
  head.writeUInt32LE(BLOCK_MAGIC, 0)
  head.writeUInt32LE(codec, 4)
  head.writeUInt32LE(objects.length, 8)
  head.writeUInt32LE(payload.length, 12)
  head.writeUInt32LE(bytes.length, 16)
  let at = BLOCK_HEADER
  for (const { hash, kind, size } of objects) {
    head.set(hash, at)
    head.writeUInt8(kind, at + HASH_BYTES)
    head.writeUInt32LE(size, at + HASH_BYTES + 1)
    at += DIRECTORY_ROW
  }
  head.writeUInt32LE(checksumOf(head, bytes), 20)
  return { codec, head, bytes }
}

/**
 * A mark: a block without objects. It states that the records have every snapshot before it in the pack, and in which
 * boot that was so. It is written after their transaction; so a snapshot before a mark that has no row was lost from
 * the records.
 */
export function encodeMark(boot: string): Uint8Array {
  const { head, bytes } = encodeBlock([], Buffer.from(boot))
  return Buffer.concat([head, bytes])
}

export const isMark = ({ directory }: Pick<BlockHead, 'directory'>): boolean => directory.length === 0

const checksumOf = (head: Uint8Array, bytes: Uint8Array): number =>
  zlib().crc32(bytes, zlib().crc32(head.subarray(BLOCK_HEADER), zlib().crc32(head.subarray(0, 20))))

/**
 * ZSTD_c_compressionLevel (100), windowLog (101) and minMatch (105) as numbers: their names would load `zlib`, which is
 * loaded on first use.
 */
const PARAMS: Record<Effort, Record<number, number>> = {
  quick: { 100: 1, 105: 7 },
  // The window spans a whole block of merged trees, because each tree is almost equal to the one before it.
  dense: { 100: 3, 101: 21 },
}

/**
 * With the size known, zstd allocates less; with an output buffer that fits everything, it needs no second call and no
 * copy.
 */
const zstd = (bytes: Uint8Array, effort: Effort): Buffer =>
  zlib().zstdCompressSync(bytes, {
    params: PARAMS[effort],
    pledgedSrcSize: bytes.length,
    chunkSize: Math.max(1024, bytes.length >> 1),
  })

const SAMPLE = 64 * 1024
/** A file takes at least a page on the disk, so shrinking less than a page is not worth the time. */
const SMALL = 1024

function compress(payload: Uint8Array, effort: Effort): { codec: number; bytes: Uint8Array } {
  const raw = { codec: CODEC.raw, bytes: payload }
  if (payload.length < SMALL) return raw
  if (
    effort === 'quick' &&
    payload.length > 4 * SAMPLE &&
    !pays(payload.subarray(payload.length >> 1, (payload.length >> 1) + SAMPLE))
  )
    return raw
  const bytes = zstd(payload, effort)
  return bytes.length < payload.length * 0.95 ? { codec: CODEC.zstd, bytes } : raw
}

/** Whether a sample of a large object compresses. Images and archives do not, and trying costs time. */
const pays = (sample: Uint8Array): boolean => zstd(sample, 'quick').length < sample.length * 0.95

/** Decodes the head at the start of `bytes`; undefined when it is incomplete or damaged. */
export function decodeHead(bytes: Buffer): BlockHead | undefined {
  if (bytes.length < BLOCK_HEADER || bytes.readUInt32LE(0) !== BLOCK_MAGIC) return undefined
  const count = bytes.readUInt32LE(8)
  const head = BLOCK_HEADER + DIRECTORY_ROW * count
  if (bytes.length < head) return undefined
  const directory = bytes.subarray(BLOCK_HEADER, head)
  const [codec, raw, stored] = [bytes.readUInt32LE(4), bytes.readUInt32LE(12), bytes.readUInt32LE(16)]
  return { codec, raw, stored, head, checksum: bytes.readUInt32LE(20), directory }
}

/** Whether a row of the index agrees with a block's head. */
export const describes = (row: Pick<BlockHead, 'head' | 'stored' | 'raw' | 'codec'>, head: BlockHead): boolean =>
  row.head === head.head && row.stored === head.stored && row.raw === head.raw && row.codec === head.codec

/** The number of objects in a directory. */
export const countListed = (directory: Uint8Array): number => directory.length / DIRECTORY_ROW

/** The objects in a block's directory, in order. */
export function* listDirectory(directory: Uint8Array): Generator<Listed> {
  const bytes = Buffer.from(directory.buffer, directory.byteOffset, directory.byteLength)
  let start = 0
  for (let at = 0; at < bytes.length; at += DIRECTORY_ROW) {
    const size = bytes.readUInt32LE(at + HASH_BYTES + 1)
    const kind = bytes.readUInt8(at + HASH_BYTES) as ObjectKind
    yield { hash: bytes.subarray(at, at + HASH_BYTES), kind, size, start }
    start += size
  }
}

export const DIRECTORY_START = BLOCK_HEADER

/** The length of the head at the start of `bytes`; undefined when no block begins there. */
export function headLength(bytes: Buffer): number | undefined {
  if (bytes.length < BLOCK_HEADER || bytes.readUInt32LE(0) !== BLOCK_MAGIC) return undefined
  return BLOCK_HEADER + DIRECTORY_ROW * bytes.readUInt32LE(8)
}
export const MIN_HEAD = BLOCK_HEADER

/** Whether a whole block's checksum is right. */
export const isSound = (block: Buffer, head: BlockHead): boolean =>
  checksumOf(block.subarray(0, head.head), block.subarray(head.head)) === head.checksum

/** The raw payload. For a damaged block it throws or returns wrong bytes: callers verify hashes. */
export function decodePayload(codec: number, stored: Uint8Array, raw: number): Uint8Array {
  if (codec === CODEC.raw) return stored
  return zlib().zstdDecompressSync(stored, { maxOutputLength: Math.max(1, raw), chunkSize: Math.max(64, raw) })
}
