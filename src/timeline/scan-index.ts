import { crc32 } from 'node:zlib'
import { readIntoShared } from '../host/shared.ts'
import { decodeNames, encodeNames } from '../store/tree.ts'

/**
 * All folders of a workspace as the last scan left them, in one file.
 *
 * It is read into shared memory as it stands; threads look at the folders in place.
 * Layout: header, one offset per folder, the paths, the folders, a checksum.
 */
const MAGIC = 0x31535754 // "TWS1"
const VERSION = 3
const HEADER = 88

export class ScanIndex {
  readonly shared: SharedArrayBuffer
  /** Which rules were in force; another set makes every folder be listed again. */
  readonly rules: string
  /** The store's epoch when every hash in here was known to be stored. */
  readonly epoch: number
  readonly files: number
  readonly bytes: number
  /** Whether any entry could not be captured. */
  readonly hasSkipped: boolean
  /** Sorted. */
  readonly paths: readonly string[]
  readonly #offsets: Float64Array
  #position: Map<string, number> | undefined

  private constructor(shared: SharedArrayBuffer, paths: string[], offsets: Float64Array) {
    const numbers = new Float64Array(shared, 56, 4)
    this.shared = shared
    this.rules = Buffer.from(shared, 24, 32).toString('hex')
    this.epoch = new Float64Array(shared, 16, 1)[0] ?? 0
    this.files = numbers[0] ?? 0
    this.bytes = numbers[1] ?? 0
    this.hasSkipped = numbers[2] === 1
    this.paths = paths
    this.#offsets = offsets
  }

  /** Undefined when the bytes are not a whole, sound index: then everything is looked at anew. */
  static open(shared: SharedArrayBuffer, length: number): ScanIndex | undefined {
    const bytes = new Uint8Array(shared, 0, length)
    if (length < HEADER + 8 || !isSound(bytes)) return undefined
    return ScanIndex.attach(shared)
  }

  /** As `open`, for memory that another thread has already checked. */
  static attach(shared: SharedArrayBuffer): ScanIndex {
    const words = new Uint32Array(shared, 0, 4)
    const [, , count = 0, pathBytes = 0] = words
    const offsets = new Float64Array(shared, HEADER, count + 1)
    const paths = decodeNames(new Uint8Array(shared, HEADER + 8 * (count + 1), pathBytes), count)
    return new ScanIndex(shared, paths, offsets)
  }

  folderAt(i: number): Uint8Array {
    const start = this.#offsets[i] ?? 0
    return new Uint8Array(this.shared, start, (this.#offsets[i + 1] ?? start) - start)
  }

  /** The folder at `path`, encoded; undefined when the scan did not see one. */
  folder(path: string): Uint8Array | undefined {
    this.#position ??= new Map(this.paths.map((at, i) => [at, i]))
    const i = this.#position.get(path)
    return i === undefined ? undefined : this.folderAt(i)
  }

  /** The paths below `path`: they stand together. */
  below(path: string): string[] {
    const prefix = `${path}/`
    const from = this.#firstFrom(prefix)
    let to = from
    while (this.paths[to]?.startsWith(prefix)) to++
    return this.paths.slice(from, to)
  }

  #firstFrom(path: string): number {
    let [low, high] = [0, this.paths.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.paths[middle] as string) < path) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** The scan kept in a file; undefined when there is none that can be used. */
export function loadScanIndex(file: string): ScanIndex | undefined {
  const bytes = readIntoShared(file)
  return bytes && ScanIndex.open(bytes.shared, bytes.length)
}

function isSound(bytes: Uint8Array): boolean {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, 2)
  const end = bytes.length - 8
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  return words[0] === MAGIC && words[1] === VERSION && view.getUint32(end, true) === crc32(bytes.subarray(0, end))
}

export interface ScanFacts {
  readonly rules: string
  readonly epoch: number
  readonly files: number
  readonly bytes: number
  readonly hasSkipped: boolean
}

/** The folders must be sorted by path. */
export function encodeScanIndex(facts: ScanFacts, folders: readonly (readonly [string, Uint8Array])[]): Uint8Array {
  const paths = encodeNames(folders.map(([path]) => path))
  const start = (HEADER + 8 * (folders.length + 1) + paths.length + 7) & ~7
  const length = folders.reduce((sum, [, bytes]) => sum + bytes.length, start) + 8
  const out = new Uint8Array(length)
  new Uint32Array(out.buffer, 0, 4).set([MAGIC, VERSION, folders.length, paths.length])
  new Float64Array(out.buffer, 16, 1)[0] = facts.epoch
  out.set(Buffer.from(facts.rules, 'hex').subarray(0, 32), 24)
  new Float64Array(out.buffer, 56, 3).set([facts.files, facts.bytes, facts.hasSkipped ? 1 : 0])
  const offsets = new Float64Array(out.buffer, HEADER, folders.length + 1)
  out.set(paths, HEADER + 8 * (folders.length + 1))
  let at = start
  folders.forEach(([, bytes], i) => {
    offsets[i] = at
    out.set(bytes, at)
    at += bytes.length
  })
  offsets[folders.length] = at
  new DataView(out.buffer).setUint32(at, crc32(out.subarray(0, at)), true)
  return out
}
