import { Fault } from '../base/fault.ts'
import { bytesFromName, nameFromBytes, outPath } from '../base/quote.ts'
import { isName } from '../schema/path.ts'
import { HASH_BYTES } from './store.ts'

/** Directories as objects: parse, serialise. The layout, in columns, is in docs/format.md. */

export const KIND = { file: 0, directory: 1, symlink: 2 } as const
export type EntryKind = (typeof KIND)[keyof typeof KIND]
export const KIND_NAMES = ['file', 'directory', 'symlink'] as const

/** One name in a folder. */
export interface Entry {
  readonly name: string
  readonly kind: EntryKind
  /** Permission bits, with set-uid, set-gid and sticky. */
  readonly mode: number
  readonly size: number
  /** Microseconds since 1970. */
  readonly mtime: number
  /** Of the content, of the symlink's target, or of the folder's own tree. */
  readonly hash: Uint8Array
}

const MAGIC = 0x31545754 // "TWT1", little endian
const HEADER = 8
const ROW = 8 + 8 + 4 + 1 + HASH_BYTES

/** A tree for `n` entries whose names take `names` bytes. The caller fills in its columns, from `columns` on. */
export function newTree(n: number, names: number): { bytes: Buffer; columns: number } {
  const bytes = Buffer.allocUnsafe(HEADER + ROW * n + names)
  bytes.writeUInt32LE(MAGIC, 0)
  bytes.writeUInt32LE(n, 4)
  return { bytes, columns: HEADER }
}

/** The entries must be sorted by name, in code units. Throws on a name that leads out of its folder. */
export function encodeTree(entries: readonly Entry[]): Buffer {
  const names = encodeNames(checkedNames(entries.map((entry) => entry.name)))
  const n = entries.length
  const { bytes } = newTree(n, names.length)
  const at = columnsOf(n)
  entries.forEach((entry, i) => {
    bytes.writeDoubleLE(entry.size, at.sizes + 8 * i)
    bytes.writeDoubleLE(entry.mtime, at.mtimes + 8 * i)
    bytes.writeUInt32LE(entry.mode, at.modes + 4 * i)
    bytes.writeUInt8(entry.kind, at.kinds + i)
    bytes.set(entry.hash, at.hashes + HASH_BYTES * i)
  })
  bytes.set(names, at.names)
  return bytes
}

/** The same bytes as `encodeTree`, made from columns; `numbers` are little-endian, as on every platform of Node. */
export function encodeTreeColumns(columns: {
  readonly names: readonly string[]
  readonly kinds: Uint8Array
  readonly modes: Uint32Array
  readonly sizes: Float64Array
  readonly mtimes: Float64Array
  readonly hashes: Uint8Array
}): Buffer {
  const n = columns.names.length
  const names = encodeNames(checkedNames(columns.names))
  const { bytes } = newTree(n, names.length)
  const at = columnsOf(n)
  bytes.set(bytesOf(columns.sizes), at.sizes)
  bytes.set(bytesOf(columns.mtimes), at.mtimes)
  bytes.set(bytesOf(columns.modes), at.modes)
  bytes.set(columns.kinds, at.kinds)
  bytes.set(columns.hashes, at.hashes)
  bytes.set(names, at.names)
  return bytes
}

const bytesOf = (array: Float64Array | Uint32Array): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength)

/**
 * Throws on bytes that are not a tree; the hash has been verified before, so that is a bug or a newer format. A name
 * that leads out of its folder counts as damage: no entry of such a tree is returned.
 */
export function decodeTree(bytes: Buffer): Entry[] {
  if (bytes.length < HEADER || bytes.readUInt32LE(0) !== MAGIC) throw new Error('not a tree')
  const n = bytes.readUInt32LE(4)
  const at = columnsOf(n)
  const names = checkedNames(decodeNames(bytes.subarray(at.names), n))
  return names.map((name, i) => ({
    name,
    kind: bytes.readUInt8(at.kinds + i) as EntryKind,
    mode: bytes.readUInt32LE(at.modes + 4 * i),
    size: bytes.readDoubleLE(at.sizes + 8 * i),
    mtime: bytes.readDoubleLE(at.mtimes + 8 * i),
    hash: bytes.subarray(at.hashes + HASH_BYTES * i, at.hashes + HASH_BYTES * (i + 1)),
  }))
}

/** Only kinds and hashes: what a collection needs of a tree. */
export function* referencesOf(bytes: Buffer): Generator<{ kind: EntryKind; hash: Buffer }> {
  const n = bytes.readUInt32LE(4)
  const at = columnsOf(n)
  for (let i = 0; i < n; i++)
    yield {
      kind: bytes.readUInt8(at.kinds + i) as EntryKind,
      hash: bytes.subarray(at.hashes + HASH_BYTES * i, at.hashes + HASH_BYTES * (i + 1)),
    }
}

const columnsOf = (n: number) => ({
  sizes: HEADER,
  mtimes: HEADER + 8 * n,
  modes: HEADER + 16 * n,
  kinds: HEADER + 20 * n,
  hashes: HEADER + 21 * n,
  names: HEADER + ROW * n,
})

function checkedNames(names: readonly string[]): readonly string[] {
  const bad = names.find((name) => !isName(name))
  if (bad !== undefined) throw new Fault('PATH_DAMAGED', { path: outPath(bad) })
  return names
}

/** Names are joined by zero bytes, which no name can contain. */
export function encodeNames(names: readonly string[]): Buffer {
  const joined = names.join('\0')
  return joined.isWellFormed() ? Buffer.from(joined) : Buffer.from(bytesFromName(joined))
}

export function decodeNames(bytes: Uint8Array, n: number): string[] {
  if (n === 0) return []
  const joined = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
  return (joined.includes('\ufffd') ? nameFromBytes(bytes) : joined).split('\0')
}
