import { SKIP_REASONS, type SkipReason } from '../../schema/skip.ts'
import { HASH_BYTES } from '../../store/store.ts'
import { decodeNames, encodeNames, encodeTreeColumns, KIND } from '../../store/tree.ts'

/**
 * One folder as the last scan saw it: what its tree object holds, and beside each entry the signature (modification and
 * change time, inode) by which the next scan decides whether to read the entry again.
 *
 * It is stored in columns, so that a hundred thousand files are a few arrays and not as many objects. It is a cache: a
 * scan of the workspace can rebuild all of it.
 */
export interface Folder {
  /** The folder's own state. If `ctimeMs` is NaN, the next scan lists the folder again. */
  mode: number
  mtime: number
  mtimeMs: number
  ctimeMs: number
  ino: number
  /** The hash of its tree object. */
  tree: Uint8Array
  names: string[]
  kinds: Uint8Array
  modes: Uint32Array
  sizes: Float64Array
  mtimes: Float64Array
  hashes: Uint8Array
  sigM: Float64Array
  sigC: Float64Array
  inos: Float64Array
}

/** The kind of an entry that could not be captured. Its `modes` cell holds the reason. It is not part of the tree. */
export const SKIPPED = 3

const HEADER = 5 * 8 + 4 * 4 + HASH_BYTES
/** Offsets of the folder's own fields in an encoded folder. */
export const HEAD = { mtime: 0, bytes: 32, mode: 40, count: 44, files: 48, namesLength: 52, tree: 56 } as const

export function newFolder(names: string[]): Folder {
  const n = names.length
  return {
    mode: 0,
    mtime: 0,
    mtimeMs: 0,
    ctimeMs: Number.NaN,
    ino: 0,
    tree: new Uint8Array(HASH_BYTES),
    names,
    kinds: new Uint8Array(n),
    modes: new Uint32Array(n),
    sizes: new Float64Array(n),
    mtimes: new Float64Array(n),
    hashes: new Uint8Array(HASH_BYTES * n),
    sigM: new Float64Array(n),
    sigC: new Float64Array(n),
    inos: new Float64Array(n),
  }
}

export const hashAt = (folder: Folder, i: number): Uint8Array =>
  folder.hashes.subarray(HASH_BYTES * i, HASH_BYTES * (i + 1))

export const reasonAt = (folder: Folder, i: number): SkipReason => SKIP_REASONS[folder.modes[i] ?? 0] ?? 'unreadable'

/** Copies entry `from` of `source` over entry `to` of `target`. */
export function copyEntry(source: Folder, from: number, target: Folder, to: number): void {
  target.kinds[to] = source.kinds[from] ?? 0
  target.modes[to] = source.modes[from] ?? 0
  target.sizes[to] = source.sizes[from] ?? 0
  target.mtimes[to] = source.mtimes[from] ?? 0
  target.hashes.set(hashAt(source, from), HASH_BYTES * to)
  target.sigM[to] = source.sigM[from] ?? 0
  target.sigC[to] = source.sigC[from] ?? 0
  target.inos[to] = source.inos[from] ?? 0
}

/** The same folder with only the entries for which `keep` is true. */
export function filterFolder(folder: Folder, keep: (i: number) => boolean): Folder {
  const kept = folder.names.map((_, i) => i).filter(keep)
  const next = newFolder(kept.map((i) => folder.names[i] ?? ''))
  kept.forEach((from, to) => copyEntry(folder, from, next, to))
  const { mode, mtime, mtimeMs, ctimeMs, ino, tree } = folder
  return Object.assign(next, { mode, mtime, mtimeMs, ctimeMs, ino, tree })
}

/** The folder's tree object, without the entries that could not be captured. */
export const treeOf = (folder: Folder): Buffer =>
  encodeTreeColumns(folder.kinds.includes(SKIPPED) ? filterFolder(folder, (i) => folder.kinds[i] !== SKIPPED) : folder)

const padded = (length: number): number => (length + 7) & ~7

export function encodeFolder(folder: Folder): Uint8Array<ArrayBuffer> {
  const n = folder.names.length
  const names = encodeNames(folder.names)
  const out = new Uint8Array(padded(HEADER + n * (5 * 8 + 4 + 1 + HASH_BYTES) + names.length))
  encodeHead(out, folder, names.length)
  const at = layoutOf(n)
  new Float64Array(out.buffer, at.sizes, n).set(folder.sizes)
  new Float64Array(out.buffer, at.mtimes, n).set(folder.mtimes)
  new Float64Array(out.buffer, at.sigM, n).set(folder.sigM)
  new Float64Array(out.buffer, at.sigC, n).set(folder.sigC)
  new Float64Array(out.buffer, at.inos, n).set(folder.inos)
  new Uint32Array(out.buffer, at.modes, n).set(folder.modes)
  out.set(folder.kinds, at.kinds)
  out.set(folder.hashes, at.hashes)
  out.set(names, at.names)
  return out
}

/** Overwrites the head in `out` with the folder's own fields and with the counts derived from its entries. */
export function encodeHead(out: Uint8Array, folder: Folder, namesLength: number): void {
  const numbers = new Float64Array(out.buffer, out.byteOffset, 5)
  numbers.set([folder.mtime, folder.mtimeMs, folder.ctimeMs, folder.ino, sum(folder)])
  const words = new Uint32Array(out.buffer, out.byteOffset + HEAD.mode, 4)
  words.set([folder.mode, folder.names.length, fileCount(folder), namesLength])
  if (folder.tree.buffer !== out.buffer) out.set(folder.tree, HEAD.tree)
}

/** Where each column of an encoded folder begins; the names come last. */
export const layoutOf = (n: number, base = 0) => ({
  sizes: base + HEADER,
  mtimes: base + HEADER + 8 * n,
  sigM: base + HEADER + 16 * n,
  sigC: base + HEADER + 24 * n,
  inos: base + HEADER + 32 * n,
  modes: base + HEADER + 40 * n,
  kinds: base + HEADER + 44 * n,
  hashes: base + HEADER + 45 * n,
  names: base + HEADER + (45 + HASH_BYTES) * n,
})

/** The length of the encoded folder that begins at `start`, which must be a multiple of eight. */
export function lengthAt(buffer: ArrayBufferLike, start: number): number {
  const [n = 0, , names = 0] = new Uint32Array(buffer, start + 44, 3)
  return padded(layoutOf(n).names + names)
}

/**
 * Returns views into `bytes`, which must begin at a multiple of eight in its buffer. The caller must not write to them.
 */
export function decodeFolder(bytes: Uint8Array): Folder {
  const { buffer, byteOffset: base } = bytes
  const head = headOf(bytes)
  const n = head.count
  const at = layoutOf(n, base)
  return {
    mode: head.mode,
    mtime: head.mtime,
    mtimeMs: head.mtimeMs,
    ctimeMs: head.ctimeMs,
    ino: head.ino,
    tree: head.tree,
    names: decodeNames(new Uint8Array(buffer, at.names, head.namesLength), n),
    sizes: new Float64Array(buffer, at.sizes, n),
    mtimes: new Float64Array(buffer, at.mtimes, n),
    sigM: new Float64Array(buffer, at.sigM, n),
    sigC: new Float64Array(buffer, at.sigC, n),
    inos: new Float64Array(buffer, at.inos, n),
    modes: new Uint32Array(buffer, at.modes, n),
    kinds: new Uint8Array(buffer, at.kinds, n),
    hashes: new Uint8Array(buffer, at.hashes, HASH_BYTES * n),
  }
}

export interface FolderHead {
  readonly mtime: number
  readonly mtimeMs: number
  readonly ctimeMs: number
  readonly ino: number
  /** The total size of the files directly in the folder, and the number of files and symlinks. */
  readonly bytes: number
  readonly files: number
  readonly mode: number
  readonly count: number
  readonly namesLength: number
  readonly tree: Uint8Array
}

/** The folder's own fields, without its entries. */
export function headOf(bytes: Uint8Array): FolderHead {
  const numbers = new Float64Array(bytes.buffer, bytes.byteOffset, 5)
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset + 40, 4)
  return {
    mtime: numbers[0] ?? 0,
    mtimeMs: numbers[1] ?? 0,
    ctimeMs: numbers[2] ?? 0,
    ino: numbers[3] ?? 0,
    bytes: numbers[4] ?? 0,
    mode: words[0] ?? 0,
    count: words[1] ?? 0,
    files: words[2] ?? 0,
    namesLength: words[3] ?? 0,
    tree: bytes.subarray(HEAD.tree, HEAD.tree + HASH_BYTES),
  }
}

/** The inodes of the entries. */
export const inodesOf = (bytes: Uint8Array): Float64Array => {
  const { count } = headOf(bytes)
  return new Float64Array(bytes.buffer, layoutOf(count, bytes.byteOffset).inos, count)
}

const isContent = (kind: number | undefined): boolean => kind === KIND.file || kind === KIND.symlink

function fileCount(folder: Folder): number {
  let files = 0
  for (const kind of folder.kinds) if (isContent(kind)) files++
  return files
}

function sum(folder: Folder): number {
  let bytes = 0
  for (let i = 0; i < folder.kinds.length; i++) if (folder.kinds[i] === KIND.file) bytes += folder.sizes[i] ?? 0
  return bytes
}
