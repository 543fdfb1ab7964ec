/**
 * Content-defined chunking with a gear hash over a sliding window. A change moves only the cuts near it, so an append
 * to a large file stores only the tail.
 */
export const CHUNK = { min: 256 * 1024, normal: 1024 * 1024, max: 4 * 1024 * 1024 } as const
/** Files above this are stored as chunks. */
export const CHUNKED_ABOVE = CHUNK.max

/** Chunk lengths. Two masks pull lengths towards `normal`: a cut is less likely before it and more likely after it. */
interface Grain {
  readonly min: number
  readonly normal: number
  readonly max: number
  readonly hard: number
  readonly easy: number
}
const COARSE: Grain = { ...CHUNK, hard: 0x003f_fff0, easy: 0x0003_fff0 }
/** For files that are stored repeatedly with small changes. */
export const FINE: Grain = { min: 4096, normal: 16 * 1024, max: 64 * 1024, hard: 0x0007_fff0, easy: 0x0000_fff0 }

/** Part of the format: other numbers would cut elsewhere and share no chunks with what is already stored. */
const GEAR = gearTable()

function gearTable(): Uint32Array {
  const table = new Uint32Array(256)
  let state = 0x9e3779b9
  for (let i = 0; i < 256; i++) {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    table[i] = (t ^ (t >>> 14)) >>> 0
  }
  return table
}

/**
 * The end of the first chunk of `bytes`. `bytes` must hold at least the maximal chunk length, or all remaining bytes.
 */
export function cutAt(bytes: Uint8Array, { min, normal: usual, max, hard, easy } = COARSE): number {
  const end = Math.min(bytes.length, max)
  if (end <= min) return end
  const normal = Math.min(end, usual)
  let hash = 0
  let i = min
  for (; i < normal; i++) {
    hash = ((hash << 1) + (GEAR[bytes[i] as number] as number)) | 0
    if ((hash & hard) === 0) return i + 1
  }
  for (; i < end; i++) {
    hash = ((hash << 1) + (GEAR[bytes[i] as number] as number)) | 0
    if ((hash & easy) === 0) return i + 1
  }
  return end
}
