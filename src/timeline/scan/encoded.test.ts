import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sha256 } from '../../host/hash.ts'
import { KIND } from '../../store/tree.ts'
import {
  bytesOf,
  differingRows,
  filesOf,
  hasSkipped,
  isLeafAt,
  isStaleRow,
  rowOf,
  sameFolderRows,
  sameShape,
  treeOfEncoded,
  withRows,
} from './encoded.ts'
import { decodeFolder, encodeFolder, type Folder, hashAt, headOf, newFolder, SKIPPED, treeOf } from './folder.ts'

const time = fc.integer({ min: -1e15, max: 2e15 })
const entry = fc.record({
  kind: fc.constantFrom(KIND.file, KIND.directory, KIND.symlink, SKIPPED),
  mode: fc.nat(0o7777),
  size: fc.nat(1e9),
  mtime: time,
  hash: fc.uint8Array({ minLength: 32, maxLength: 32 }),
})
/** Names that begin or end like others, and one that is not UTF-8. */
const name = fc.constantFrom('a', 'aa', 'aaa', 'ab', 'b', 'ba', 'ü', 'üa', '\udcff', 'a\udcff', 'x.ts', 'x.test.ts')
const folder = fc
  .record({
    names: fc.uniqueArray(name),
    entries: fc.array(entry, { minLength: 12, maxLength: 12 }),
    mode: fc.nat(0o7777),
    mtime: time,
  })
  .map(({ names, entries, mode, mtime }) => {
    const made = Object.assign(newFolder(names.sort()), { mode, mtime })
    names.forEach((_, i) => put(made, i, entries[i] as (typeof entries)[0]))
    return made
  })

function put(
  at: Folder,
  i: number,
  row: { kind: number; mode: number; size: number; mtime: number; hash: Uint8Array },
): void {
  at.kinds[i] = row.kind
  at.modes[i] = row.mode
  at.sizes[i] = row.size
  at.mtimes[i] = row.mtime
  at.hashes.set(row.hash, 32 * i)
}

/** Somewhere in a larger piece of memory, as the folders of a scan are. */
function within(bytes: Uint8Array): Uint8Array {
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length + 24), 16, bytes.length)
  shared.set(bytes)
  return shared
}

test('an encoded folder tells the same as a decoded one', () => {
  fc.assert(
    fc.property(folder, (one) => {
      const encoded = within(encodeFolder(one))
      expect(treeOfEncoded(encoded)).toEqual(treeOf(one))
      expect(isLeafAt(encoded)).toBe(!one.kinds.includes(KIND.directory))
      expect(hasSkipped(encoded)).toBe(one.kinds.includes(SKIPPED))
      expect([filesOf(encoded), bytesOf(encoded)]).toEqual([headOf(encoded).files, headOf(encoded).bytes])
      for (const each of ['a', 'aa', 'b', 'üa', '\udcff', '.ts', 'nothing'])
        expect(rowOf(encoded, each)).toBe(one.names.indexOf(each))
    }),
  )
})

test('rows of folders are filled in from theirs, and the tree with them', () => {
  fc.assert(
    fc.property(folder, fc.array(folder, { minLength: 12, maxLength: 12 }), (one, others) => {
      const before = within(encodeFolder(one))
      const rows = one.names.flatMap((_, i) => (one.kinds[i] === KIND.directory ? [i] : []))
      const children = new Map(
        rows.map((i) => [i, encodeFolder({ ...(others[i] as Folder), tree: sha256(Buffer.from([i])) })]),
      )
      const { folder: bytes, tree, hash } = withRows(before, children)
      const made = decodeFolder(bytes)
      expect(tree).toEqual(treeOf(made))
      expect([made.tree, hash].map((each) => Buffer.from(each))).toEqual([sha256(tree), sha256(tree)])
      for (const [i, child] of children) {
        const { mode, mtime, tree: of } = headOf(child)
        expect([made.modes[i], made.mtimes[i], made.sizes[i]]).toEqual([mode, mtime, 0])
        expect(Buffer.from(hashAt(made, i))).toEqual(Buffer.from(of))
        expect(isStaleRow(bytes, i, child)).toBe(false)
        expect(isStaleRow(bytes, i, encodeFolder({ ...decodeFolder(child), mode: mode + 1 }))).toBe(true)
      }
    }),
  )
})

test('folders are compared row by row', () => {
  fc.assert(
    fc.property(folder, fc.nat(11), entry, (one, at, row) => {
      fc.pre(at < one.names.length && one.kinds[at] !== SKIPPED)
      const other = decodeFolder(encodeFolder(one))
      put(other, at, { ...row, kind: one.kinds[at] as number })
      const [a, b] = [encodeFolder(one), within(encodeFolder(other))]
      expect(sameShape(a, b)).toBe(true)
      const isFolder = one.kinds[at] === KIND.directory
      const isSame =
        row.mode === one.modes[at] &&
        row.mtime === one.mtimes[at] &&
        (isFolder || (row.size === one.sizes[at] && Buffer.compare(row.hash, hashAt(one, at)) === 0))
      expect(differingRows(a, b)).toEqual(isSame ? [] : [at])
      const isSameFolder = isSame && Buffer.compare(row.hash, hashAt(one, at)) === 0
      expect(sameFolderRows(a, b)).toBe(!isFolder || isSameFolder)
    }),
  )
})

test('another name or kind is another shape', () => {
  const of = (names: string[], kind: number): Uint8Array => {
    const made = newFolder(names)
    made.kinds.fill(kind)
    return encodeFolder(made)
  }
  expect(sameShape(of(['a', 'b'], KIND.file), of(['a', 'b'], KIND.file))).toBe(true)
  expect(sameShape(of(['a', 'b'], KIND.file), of(['a', 'c'], KIND.file))).toBe(false)
  expect(sameShape(of(['a', 'b'], KIND.file), of(['a', 'b'], KIND.symlink))).toBe(false)
  expect(sameShape(of(['a'], KIND.file), of(['a', 'b'], KIND.file))).toBe(false)
})
