import { join } from 'node:path'
import { close, fstatExact, openRead, readInto, readNames } from '../host/files/fs.ts'
import type { WrittenBlock } from './index-rows.ts'
import {
  BLOCK_MARK,
  type BlockHead,
  decodeHead,
  headLength,
  isSound,
  MIN_HEAD,
  PACK_HEADER,
  packHeader,
} from './pack-format.ts'

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

/** How the reading of a pack ended. */
export interface ScanEnd {
  readonly headerOk: boolean
  /**
   * Offsets at which a block should have begun and none did. The incomplete end that a dead writer left counts, too.
   */
  readonly gaps: readonly number[]
}

/** Every block of a pack, in order. Where no block begins, it searches for the next sound one. */
export function* scanPack(dir: string, name: string): Generator<ScannedBlock, ScanEnd> {
  const fd = openRead(join(dir, name))
  try {
    const size = Number(fstatExact(fd).size)
    const headerOk = readAt(fd, 0, PACK_HEADER).equals(packHeader())
    const gaps: number[] = []
    for (let at = PACK_HEADER; at < size; ) {
      const block = readBlock(fd, at)
      if (block) yield block
      else gaps.push(at)
      const next = block ? at + block.head.head + block.head.stored : nextSound(fd, at + 1, size)
      if (next === undefined) break
      at = next
    }
    return { headerOk, gaps }
  } finally {
    close(fd)
  }
}

/** Whether everything up to `end` consists of sound blocks. */
export function isWholePack(dir: string, name: string, end: number): boolean {
  const blocks = scanPack(dir, name)
  let readTo = PACK_HEADER
  for (;;) {
    const { value, done } = blocks.next()
    if (done) return value.headerOk && readTo >= end && !value.gaps.some((gap) => gap < end)
    if (!value.sound && value.offset < end) return false
    readTo = value.offset + value.head.head + value.head.stored
  }
}

function nextSound(fd: number, from: number, size: number): number | undefined {
  const rest = readAt(fd, from, size - from)
  for (let at = rest.indexOf(BLOCK_MARK); at !== -1; at = rest.indexOf(BLOCK_MARK, at + 1))
    if (readBlock(fd, from + at)?.sound) return from + at
  return undefined
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
