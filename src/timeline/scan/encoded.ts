import { wordAt } from '../../base/words.ts'
import { sha256 } from '../../host/hash.ts'
import { HASH_BYTES } from '../../store/store.ts'
import { encodeNames, KIND, newTree } from '../../store/tree.ts'
import { decodeFolder, HEAD, layoutOf, SKIPPED, treeOf } from './folder.ts'

/**
 * Encoded folders, read and changed in place. A capture touches a hundred folders above what changed, and decoding
 * each of them costs more than all that is done with it.
 */

const countOf = (folder: Uint8Array): number => wordAt(folder, HEAD.count)
const namesLengthOf = (folder: Uint8Array): number => wordAt(folder, HEAD.namesLength)

/** How many files and symlinks are directly in it. */
export const filesOf = (folder: Uint8Array): number => wordAt(folder, HEAD.files)

const cell = new Float64Array(1)
const cellBytes = new Uint8Array(cell.buffer)

/** The bytes of the files directly in it. */
export function bytesOf(folder: Uint8Array): number {
  copyBytes(folder, HEAD.bytes, cellBytes, 0, 8)
  return cell[0] ?? 0
}

/** Whether any entry could not be captured. */
export const hasSkipped = (folder: Uint8Array): boolean => filesOf(folder) < countOf(folder) && hasKind(folder, SKIPPED)

/** Whether its tree depends on no other folder's. */
export const isLeafAt = (folder: Uint8Array): boolean => !hasKind(folder, KIND.directory)

function hasKind(folder: Uint8Array, kind: number): boolean {
  const n = countOf(folder)
  const { kinds } = layoutOf(n)
  for (let i = 0; i < n; i++) if (folder[kinds + i] === kind) return true
  return false
}

/** Which row has this name; -1: none. */
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

/** What a folder's row in the one it is in says of it: where that stands in the row's columns, and in its own head. */
const cellsOf = (n: number, i: number): readonly (readonly [row: number, own: number, length: number])[] => {
  const { modes, mtimes, hashes } = layoutOf(n)
  return [
    [modes + 4 * i, HEAD.mode, 4],
    [mtimes + 8 * i, HEAD.mtime, 8],
    [hashes + HASH_BYTES * i, HEAD.tree, HASH_BYTES],
  ]
}

/** Whether a row is a folder's, and no longer says what that folder is. */
export function isStaleRow(folder: Uint8Array, i: number, child: Uint8Array): boolean {
  const n = countOf(folder)
  if (folder[layoutOf(n).kinds + i] !== KIND.directory) return false
  return cellsOf(n, i).some(([row, own, length]) => !sameBytes(folder, row, child, own, length))
}

/** The folder with the rows of some folders in it filled in from theirs, and its tree. */
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

/** The folder's tree object. Its columns stand in the folder in the same order, with those of the scan between them. */
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

/** Whether two folders of one shape say the same of the folders in them. */
export function sameFolderRows(a: Uint8Array, b: Uint8Array): boolean {
  const n = countOf(a)
  const { kinds } = layoutOf(n)
  for (let i = 0; i < n; i++)
    if (a[kinds + i] === KIND.directory)
      for (const [row, , length] of cellsOf(n, i)) if (!sameBytes(a, row, b, row, length)) return false
  return true
}

/** The rows in which two folders of one shape differ: for folders in them not their trees, which have rows of their own. */
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
