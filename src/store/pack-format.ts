import { zlib } from '../host/builtins.ts'
import { HASH_BYTES, type ObjectKind } from './store.ts'

/**
 * Blocks as they stand in a pack file; docs/format.md has the layout.
 * The checksum covers head, directory and payload: any flipped bit shows.
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

/** One object as a block's directory names it. */
export interface Listed extends Packable {
  /** Where its bytes begin in the raw payload. */
  readonly start: number
}

export interface BlockHead {
  readonly codec: number
  readonly raw: number
  readonly stored: number
  /** Header and directory together: the payload begins here. */
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

/** A block in the two pieces in which it is written, one behind the other. */
export interface BlockParts {
  readonly codec: number
  /** Header and directory. */
  readonly head: Buffer
  /** Good as long as the payload is. */
  readonly bytes: Uint8Array
}

/** How hard zstd tries: `quick` while a capture waits, `dense` when packs are merged. */
export type Effort = 'quick' | 'dense'

/** Compresses when that saves at least a twentieth. */
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
 * A block without objects: the records have every snapshot that stands before it in its pack. It tells in which boot that
 * was so. Written after their transaction, so a snapshot before a mark that has no row was lost by the records.
 */
export function encodeMark(boot: string): Uint8Array {
  const { head, bytes } = encodeBlock([], Buffer.from(boot))
  return Buffer.concat([head, bytes])
}

export const isMark = ({ directory }: Pick<BlockHead, 'directory'>): boolean => directory.length === 0

const checksumOf = (head: Uint8Array, bytes: Uint8Array): number =>
  zlib().crc32(bytes, zlib().crc32(head.subarray(BLOCK_HEADER), zlib().crc32(head.subarray(0, 20))))

/** ZSTD_c_compressionLevel (100), windowLog (101) and minMatch (105): not asked of `zlib`, which is loaded when first used. */
const PARAMS: Record<Effort, Record<number, number>> = {
  quick: { 100: 1, 105: 7 },
  // The window spans a whole block of merged trees: each is found to be almost the one before it.
  dense: { 100: 3, 101: 21 },
}

/** Told how much there is, zstd sets up less; given room for all of it, the result needs no second call and no copy. */
const zstd = (bytes: Uint8Array, effort: Effort): Buffer =>
  zlib().zstdCompressSync(bytes, {
    params: PARAMS[effort],
    pledgedSrcSize: bytes.length,
    chunkSize: Math.max(1024, bytes.length >> 1),
  })

const SAMPLE = 64 * 1024
/** A file takes at least a page of the disk; to make less of a page costs more time than all else about it. */
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

/** Whether a sample of something large compresses at all: pictures and archives do not, and cost time to try. */
const pays = (sample: Uint8Array): boolean => zstd(sample, 'quick').length < sample.length * 0.95

/** Reads a block's head at the beginning of `bytes`; undefined when it is not a whole, sound head. */
export function decodeHead(bytes: Buffer): BlockHead | undefined {
  if (bytes.length < BLOCK_HEADER || bytes.readUInt32LE(0) !== BLOCK_MAGIC) return undefined
  const count = bytes.readUInt32LE(8)
  const head = BLOCK_HEADER + DIRECTORY_ROW * count
  if (bytes.length < head) return undefined
  const directory = bytes.subarray(BLOCK_HEADER, head)
  const [codec, raw, stored] = [bytes.readUInt32LE(4), bytes.readUInt32LE(12), bytes.readUInt32LE(16)]
  return { codec, raw, stored, head, checksum: bytes.readUInt32LE(20), directory }
}

/** Whether a row of the index says of a block what its head says. */
export const describes = (row: Pick<BlockHead, 'head' | 'stored' | 'raw' | 'codec'>, head: BlockHead): boolean =>
  row.head === head.head && row.stored === head.stored && row.raw === head.raw && row.codec === head.codec

/** How many objects a directory names. */
export const countListed = (directory: Uint8Array): number => directory.length / DIRECTORY_ROW

/** The objects that a block's directory names, in order. */
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

/** How many bytes the head at the beginning of `bytes` needs; undefined when there is no block. */
export function headLength(bytes: Buffer): number | undefined {
  if (bytes.length < BLOCK_HEADER || bytes.readUInt32LE(0) !== BLOCK_MAGIC) return undefined
  return BLOCK_HEADER + DIRECTORY_ROW * bytes.readUInt32LE(8)
}
export const MIN_HEAD = BLOCK_HEADER

/** Whether a whole block's checksum is right. */
export const isSound = (block: Buffer, head: BlockHead): boolean =>
  checksumOf(block.subarray(0, head.head), block.subarray(head.head)) === head.checksum

/** The raw payload. Throws, or gives other bytes, when the block is damaged: callers verify hashes. */
export function decodePayload(codec: number, stored: Uint8Array, raw: number): Uint8Array {
  if (codec === CODEC.raw) return stored
  return zlib().zstdDecompressSync(stored, { maxOutputLength: Math.max(1, raw), chunkSize: Math.max(64, raw) })
}
