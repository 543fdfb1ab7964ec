import { join } from 'node:path'
import { close, fstatExact, openRead, readInto, readNames } from '../host/fs.ts'
import { type BlockHead, decodeHead, headLength, isSound, MIN_HEAD, PACK_HEADER, packHeader } from './pack-format.ts'
import type { WrittenBlock } from './pack-writer.ts'

/** One block as it stands in a pack file. */
export interface ScannedBlock {
  readonly offset: number
  readonly head: BlockHead
  readonly stored: Buffer
  readonly sound: boolean
}

export const packNames = (dir: string): string[] => readNames(dir).filter((name) => name.endsWith('.twp'))

/** Which writer a pack belongs to. */
export const writerOf = (pack: string): string => pack.slice(0, pack.indexOf('-'))

/**
 * Every block of a pack, in order, up to the end or to the first place where no block begins.
 * `end` is given last: whether the header was right, and where reading stopped.
 */
export function* scanPack(
  dir: string,
  name: string,
): Generator<ScannedBlock, { headerOk: boolean; readTo: number; size: number }> {
  const fd = openRead(join(dir, name))
  try {
    const size = Number(fstatExact(fd).size)
    const header = readAt(fd, 0, PACK_HEADER)
    const headerOk = header.equals(packHeader())
    let at = PACK_HEADER
    for (;;) {
      const block = readBlock(fd, at)
      if (block === undefined) return { headerOk, readTo: Math.min(at, size), size }
      yield block
      at += block.head.head + block.head.stored
    }
  } finally {
    close(fd)
  }
}

function readBlock(fd: number, at: number): ScannedBlock | undefined {
  const length = headLength(readAt(fd, at, MIN_HEAD))
  if (length === undefined || length > 256 * 1024 * 1024) return undefined
  const front = readAt(fd, at, length)
  const head = decodeHead(front)
  if (head === undefined || head.stored > 256 * 1024 * 1024) return undefined
  const stored = readAt(fd, at + length, head.stored)
  if (stored.length < head.stored) return undefined
  return { offset: at, head, stored, sound: isSound(Buffer.concat([front, stored]), head) }
}

function readAt(fd: number, at: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length)
  return bytes.subarray(0, readInto(fd, bytes, 0, length, at))
}

export const asWritten = (pack: string, block: ScannedBlock): WrittenBlock => ({
  pack,
  offset: block.offset,
  head: block.head.head,
  stored: block.head.stored,
  raw: block.head.raw,
  codec: block.head.codec,
  directory: new Uint8Array(block.head.directory),
})
