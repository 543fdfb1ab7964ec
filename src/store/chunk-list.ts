import { HASH_BYTES } from './store.ts'

/** A large file as its chunks, in order. */
export interface Chunk {
  readonly hash: Uint8Array
  readonly size: number
}

const ROW = HASH_BYTES + 4

export function encodeList(chunks: readonly Chunk[]): Buffer {
  const bytes = Buffer.allocUnsafe(ROW * chunks.length)
  chunks.forEach(({ hash, size }, i) => {
    bytes.set(hash, ROW * i)
    bytes.writeUInt32LE(size, ROW * i + HASH_BYTES)
  })
  return bytes
}

export function decodeList(bytes: Buffer): Chunk[] {
  return Array.from({ length: Math.floor(bytes.length / ROW) }, (_, i) => ({
    hash: bytes.subarray(ROW * i, ROW * i + HASH_BYTES),
    size: bytes.readUInt32LE(ROW * i + HASH_BYTES),
  }))
}
