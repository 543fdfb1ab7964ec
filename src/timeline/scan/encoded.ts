import { wordAt } from '../../base/words.ts'
import { sha256 } from '../../host/hash.ts'
import { HASH_BYTES } from '../../store/store.ts'
import { encodeNames, KIND, newTree } from '../../store/tree.ts'
import { decodeFolder, HEAD, layoutOf, SKIPPED, treeOf } from './folder.ts'

/**
 * Reads and changes encoded folders in place. A capture updates up to a hundred folders above the changed ones, and
 * decoding each of them would cost more than the update itself.
 */

const countOf = (folder: Uint8Array): number => wordAt(folder, HEAD.count)
const namesLengthOf = (folder: Uint8Array): number => wordAt(folder, HEAD.namesLength)

/** The number of files and symlinks directly in the folder. */
export const filesOf = (folder: Uint8Array): number => wordAt(folder, HEAD.files)

const cell = new Float64Array(1)
const cellBytes = new Uint8Array(cell.buffer)

/** The total size of the files directly in the folder. */
export function bytesOf(folder: Uint8Array): number {
  copyBytes(folder, HEAD.bytes, cellBytes, 0, 8)
  return cell[0] ?? 0
}

/** Whether any entry could not be captured. */
export const hasSkipped = (folder: Uint8Array): boolean => filesOf(folder) < countOf(folder) && hasKind(folder, SKIPPED)

/** Whether the folder has no subfolders, so that its tree object depends on no other. */
export const isLeafAt = (folder: Uint8Array): boolean => !hasKind(folder, KIND.directory)

function hasKind(folder: Uint8Array, kind: number): boolean {
  const n = countOf(folder)
  const { kinds } = layoutOf(n)
  for (let i = 0; i < n; i++) if (folder[kinds + i] === kind) return true
  return false
}

/** The row with this name; -1 when there is none. */
export function rowOf(folder: Uint8Array, name: string): number {
  const { names: from } = layoutOf(countOf(folder))
  const names = Buffer.from(folder.buffer as ArrayBuffer, folder.byteOffset + from, namesLengthOf(folder))
  const wanted = encodeNames([name])
  for (let at = names.indexOf(wanted); at !== -1; at = names.indexOf(wanted, at + 1)) {
    const end = at + wanted.length
    const isWhole = (at === 0 || names[at - 1] === 0) && (end === names.length || names[end] === 0)
    if (isWhole) return zerosBefore(names, at)
  }
  return -1
}

function zerosBefore(bytes: Uint8Array, end: number): number {
  let zeros = 0
  for (let at = 0; at < end; at++) if (bytes[at] === 0) zeros++
  return zeros
}

/**
 * The cells of row `i` that repeat what a subfolder's own head holds: offset in the row's column, offset in the head,
 * length.
 */
const cellsOf = (n: number, i: number): readonly (readonly [row: number, own: number, length: number])[] => {
  const { modes, mtimes, hashes } = layoutOf(n)
  return [
    [modes + 4 * i, HEAD.mode, 4],
    [mtimes + 8 * i, HEAD.mtime, 8],
    [hashes + HASH_BYTES * i, HEAD.tree, HASH_BYTES],
  ]
}

/** Whether row `i` is a subfolder's and differs from what `child`, its record, now says. */
export function isStaleRow(folder: Uint8Array, i: number, child: Uint8Array): boolean {
  const n = countOf(folder)
  if (folder[layoutOf(n).kinds + i] !== KIND.directory) return false
  return cellsOf(n, i).some(([row, own, length]) => !sameBytes(folder, row, child, own, length))
}

/** A copy of the folder with the rows of some subfolders filled in from their records, and its new tree object. */
export function withRows(
  folder: Uint8Array,
  children: ReadonlyMap<number, Uint8Array>,
): { folder: Uint8Array; tree: Buffer; hash: Buffer } {
  const next = folder.slice()
  const n = countOf(next)
  const { sizes } = layoutOf(n)
  for (const [i, child] of children) {
    next.fill(0, sizes + 8 * i, sizes + 8 * (i + 1))
    for (const [row, own, length] of cellsOf(n, i)) copyBytes(child, own, next, row, length)
  }
  const tree = treeOfEncoded(next)
  const hash = sha256(tree)
  next.set(hash, HEAD.tree)
  return { folder: next, tree, hash }
}

/**
 * The folder's tree object. An encoded folder holds the tree's columns in the same order, with the scan's columns in
 * between.
 */
export function treeOfEncoded(folder: Uint8Array): Buffer {
  if (hasKind(folder, SKIPPED)) return treeOf(decodeFolder(folder))
  const n = countOf(folder)
  const { sizes, sigM, modes, names } = layoutOf(n)
  const { bytes, columns } = newTree(n, namesLengthOf(folder))
  bytes.set(folder.subarray(sizes, sigM), columns)
  bytes.set(folder.subarray(modes, names + namesLengthOf(folder)), columns + sigM - sizes)
  return bytes
}

/** Whether both have the same names, of the same kinds, in the same rows. */
export function sameShape(a: Uint8Array, b: Uint8Array): boolean {
  const n = countOf(a)
  if (n !== countOf(b) || namesLengthOf(a) !== namesLengthOf(b)) return false
  const { kinds, names } = layoutOf(n)
  return sameBytes(a, kinds, b, kinds, n) && sameBytes(a, names, b, names, namesLengthOf(a))
}

/** Whether two folders of the same shape hold the same rows for their subfolders. */
export function sameFolderRows(a: Uint8Array, b: Uint8Array): boolean {
  const n = countOf(a)
  const { kinds } = layoutOf(n)
  for (let i = 0; i < n; i++)
    if (a[kinds + i] === KIND.directory)
      for (const [row, , length] of cellsOf(n, i)) if (!sameBytes(a, row, b, row, length)) return false
  return true
}

/**
 * The rows in which two folders of the same shape differ. Subfolders' tree hashes do not count: the subfolders have
 * records of their own.
 */
export function differingRows(a: Uint8Array, b: Uint8Array): number[] {
  const n = countOf(a)
  const { sizes, mtimes, modes, kinds, hashes } = layoutOf(n)
  const rows: number[] = []
  for (let i = 0; i < n; i++) {
    const isFolder = a[kinds + i] === KIND.directory
    const same = (column: number, length: number) => sameBytes(a, column + length * i, b, column + length * i, length)
    const isSame = same(modes, 4) && same(mtimes, 8) && (isFolder || (same(sizes, 8) && same(hashes, HASH_BYTES)))
    if (!isSame) rows.push(i)
  }
  return rows
}

function sameBytes(a: Uint8Array, from: number, b: Uint8Array, at: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (a[from + i] !== b[at + i]) return false
  return true
}

function copyBytes(from: Uint8Array, start: number, to: Uint8Array, at: number, length: number): void {
  for (let i = 0; i < length; i++) to[at + i] = from[start + i] ?? 0
}
