import { zlib } from '../../host/builtins.ts'
import { readIntoShared } from '../../host/files/shared.ts'
import { isRelPath, type RelPath } from '../../schema/path.ts'
import { decodeNames, encodeNames } from '../../store/tree.ts'
import { lengthAt } from './folder.ts'

/**
 * All folders of a workspace as the last scan saw them, in one file.
 *
 * The file is read into shared memory unchanged, and threads read the folders in place. Layout: header, one offset per
 * folder, the paths, the folders, a checksum; then additions, if any.
 */
const MAGIC = 0x31535754 // "TWS1"
const VERSION = 4
const HEADER = 88

/** After this many lookups by path, a map replaces the binary search. */
const OFTEN = 2000

/** The inode and length of the index file when it was read. */
export interface SavedFileState {
  readonly ino: number
  readonly length: number
}

export class ScanIndex {
  readonly shared: SharedArrayBuffer
  /** A fingerprint of the rules in force; if it differs, every folder is listed again. */
  readonly rules: string
  /** The store's epoch at which every hash in the index was known to be stored. */
  readonly epoch: number
  readonly files: number
  readonly bytes: number
  /** Whether any entry could not be captured. */
  readonly hasSkipped: boolean
  /** Sorted. */
  readonly paths: readonly RelPath[]
  /** The folders whose records came from an addition to the file. */
  patched: readonly number[] = []
  /** The length of the file without additions. */
  readonly length: number
  file: SavedFileState | undefined
  readonly #offsets: Float64Array
  #asked = 0
  #positions: ReadonlyMap<string, number> | undefined

  private constructor(shared: SharedArrayBuffer, paths: RelPath[], offsets: Float64Array) {
    const facts = factsAt(shared, FACTS)
    this.shared = shared
    this.rules = facts.rules
    this.epoch = facts.epoch
    this.files = facts.files
    this.bytes = facts.bytes
    this.hasSkipped = facts.hasSkipped
    this.paths = paths
    this.#offsets = offsets
    this.length = (offsets.at(-1) ?? 0) + 8
  }

  /** Undefined when the bytes are not a complete index with a valid checksum: then the scan is a full one. */
  static open(shared: SharedArrayBuffer, length: number): ScanIndex | undefined {
    if (length < HEADER + 8) return undefined
    const count = new Uint32Array(shared, 0, 4)[2] ?? 0
    if (length < HEADER + 8 * (count + 2)) return undefined
    const end = new Float64Array(shared, HEADER, count + 1)[count] ?? 0
    if (!isSound(new Uint8Array(shared, 0, length), end)) return undefined
    const patched = patch(shared, end + 8, length)
    const index = ScanIndex.#read(shared)
    if (index) index.patched = patched
    return index
  }

  /** As `open`, for memory whose checksum another thread has verified. */
  static attach(shared: SharedArrayBuffer): ScanIndex {
    const index = ScanIndex.#read(shared)
    if (index === undefined) throw new Error('not an index')
    return index
  }

  static #read(shared: SharedArrayBuffer): ScanIndex | undefined {
    const words = new Uint32Array(shared, 0, 4)
    const [, , count = 0, pathBytes = 0] = words
    const offsets = new Float64Array(shared, HEADER, count + 1)
    const paths = decodeNames(new Uint8Array(shared, HEADER + 8 * (count + 1), pathBytes), count)
    return paths.every(isRelPath) ? new ScanIndex(shared, paths, offsets) : undefined
  }

  folderAt(i: number): Uint8Array {
    const start = this.#offsets[i] ?? 0
    return new Uint8Array(this.shared, start, lengthAt(this.shared, start))
  }

  /** The position of a folder in `paths`. */
  position(path: string): number | undefined {
    if (this.#asked++ > OFTEN) return (this.#positions ??= new Map(this.paths.map((each, i) => [each, i]))).get(path)
    const i = this.#firstFrom(path)
    return this.paths[i] === path ? i : undefined
  }

  /** The folder at `path`, encoded; undefined when the scan did not see one. */
  folder(path: string): Uint8Array | undefined {
    const i = this.position(path)
    return i === undefined ? undefined : this.folderAt(i)
  }

  /** The paths below `path`; they are adjacent in `paths`. */
  below(path: RelPath): RelPath[] {
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

/** The index saved in a file; undefined when there is no usable one. */
export function loadScanIndex(file: string): ScanIndex | undefined {
  const bytes = readIntoShared(file)
  const index = bytes && ScanIndex.open(bytes.shared, bytes.length)
  if (index) index.file = { ino: bytes.ino, length: bytes.length }
  return index
}

function isSound(bytes: Uint8Array, end: number): boolean {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, 2)
  if (words[0] !== MAGIC || words[1] !== VERSION || !(end <= bytes.length - 8)) return false
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(end, true) === zlib().crc32(bytes.subarray(0, end))
}

export interface ScanFacts {
  readonly rules: string
  readonly epoch: number
  readonly files: number
  readonly bytes: number
  readonly hasSkipped: boolean
}

/** Offset of the facts in the header: epoch, rules, files, bytes, whether any entry was skipped. */
const FACTS = 16
const FACTS_BYTES = 64

function factsAt(buffer: ArrayBufferLike, at: number): ScanFacts {
  const [files = 0, bytes = 0, skipped = 0] = new Float64Array(buffer, at + 40, 3)
  return {
    epoch: new Float64Array(buffer, at, 1)[0] ?? 0,
    rules: Buffer.from(buffer as ArrayBuffer, at + 8, 32).toString('hex'),
    files,
    bytes,
    hasSkipped: skipped === 1,
  }
}

function putFacts(out: Uint8Array, at: number, facts: ScanFacts): void {
  new Float64Array(out.buffer, at, 1)[0] = facts.epoch
  out.set(Buffer.from(facts.rules, 'hex').subarray(0, 32), at + 8)
  new Float64Array(out.buffer, at + 40, 3).set([facts.files, facts.bytes, facts.hasSkipped ? 1 : 0])
}

/** The folders must be sorted by path. */
export function encodeScanIndex(facts: ScanFacts, folders: readonly (readonly [string, Uint8Array])[]): Uint8Array {
  const paths = encodeNames(folders.map(([path]) => path))
  const start = (HEADER + 8 * (folders.length + 1) + paths.length + 7) & ~7
  const length = folders.reduce((sum, [, bytes]) => sum + bytes.length, start) + 8
  const out = new Uint8Array(length)
  new Uint32Array(out.buffer, 0, 4).set([MAGIC, VERSION, folders.length, paths.length])
  putFacts(out, FACTS, facts)
  const offsets = new Float64Array(out.buffer, HEADER, folders.length + 1)
  out.set(paths, HEADER + 8 * (folders.length + 1))
  let at = start
  folders.forEach(([, bytes], i) => {
    offsets[i] = at
    out.set(bytes, at)
    at += bytes.length
  })
  offsets[folders.length] = at
  new DataView(out.buffer).setUint32(at, zlib().crc32(out.subarray(0, at)), true)
  return out
}

/**
 * An addition to the index file: new records for some of its folders, and the facts that now hold. Only the last
 * addition counts: each one holds everything that differs from the file's first part. Layout: facts, count, positions,
 * the folders, length, checksum, mark.
 */
const ADDITION_MARK = 0x2b535754 // "TWS+"
const FOOT = 16

export function encodeAddition(facts: ScanFacts, folders: ReadonlyMap<number, Uint8Array>): Uint8Array {
  const head = FACTS_BYTES + 8 * (1 + folders.size)
  const length = [...folders.values()].reduce((sum, bytes) => sum + bytes.length, head) + FOOT
  const out = new Uint8Array(length)
  putFacts(out, 0, facts)
  new Float64Array(out.buffer, FACTS_BYTES, 1 + folders.size).set([folders.size, ...folders.keys()])
  let at = head
  for (const bytes of folders.values()) {
    out.set(bytes, at)
    at += bytes.length
  }
  new Uint32Array(out.buffer, at, 4).set([length, zlib().crc32(out.subarray(0, at)), ADDITION_MARK, ADDITION_MARK])
  return out
}

/** Applies the last addition to the index in memory and returns the positions it holds. A torn addition is ignored. */
function patch(shared: SharedArrayBuffer, from: number, to: number): number[] {
  if (to % 8 !== 0 || to - from < FACTS_BYTES + 8 + FOOT) return []
  const foot = to - FOOT
  const [length = 0, checksum, ...marks] = new Uint32Array(shared, foot, 4)
  const start = to - length
  if (marks.some((mark) => mark !== ADDITION_MARK) || start < from || start % 8 !== 0 || start >= foot) return []
  if (zlib().crc32(new Uint8Array(shared, start, foot - start)) !== checksum) return []
  const count = new Float64Array(shared, start + FACTS_BYTES, 1)[0] ?? 0
  const positions = [...new Float64Array(shared, start + FACTS_BYTES + 8, count)]
  const offsets = new Float64Array(shared, HEADER, (new Uint32Array(shared, 0, 3)[2] ?? 0) + 1)
  let at = start + FACTS_BYTES + 8 * (1 + count)
  for (const i of positions) {
    offsets[i] = at
    at += lengthAt(shared, at)
  }
  new Uint8Array(shared, FACTS, FACTS_BYTES).set(new Uint8Array(shared, start, FACTS_BYTES))
  return positions
}
