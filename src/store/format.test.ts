import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nameFromBytes } from '../base/quote.ts'
import { sha256, toHex } from '../host/hash.ts'
import { CHUNK, cutAt } from './chunker.ts'
import { type BlockParts, decodeHead, decodePayload, encodeBlock, isSound, listDirectory } from './pack-format.ts'
import { decodeTree, type Entry, encodeTree, encodeTreeColumns, KIND } from './tree.ts'

const SLASH = 0x2f
const entry = fc.record({
  name: fc
    .uint8Array({ minLength: 1, maxLength: 12 })
    .map((bytes) => nameFromBytes(bytes.map((byte) => (byte === 0 || byte === SLASH ? 1 : byte))))
    .filter((name) => name !== '.' && name !== '..'),
  kind: fc.constantFrom(KIND.file, KIND.directory, KIND.symlink),
  mode: fc.integer({ min: 0, max: 0o7777 }),
  size: fc.nat(),
  mtime: fc.integer({ min: -1e15, max: 9e15 }),
  hash: fc.uint8Array({ minLength: 32, maxLength: 32 }),
})
const entries = fc
  .uniqueArray(entry, { selector: ({ name }) => name, maxLength: 20 })
  .map((list): Entry[] => list.sort((a, b) => (a.name < b.name ? -1 : 1)))

test('a tree survives being written and read', () => {
  fc.assert(
    fc.property(entries, (list) => {
      const read = decodeTree(encodeTree(list)).map((one) => ({ ...one, hash: new Uint8Array(one.hash) }))
      expect(read).toEqual(list)
    }),
  )
})

test('columns make the same bytes as entries', () => {
  fc.assert(
    fc.property(entries, (list) => {
      const columns = {
        names: list.map(({ name }) => name),
        kinds: Uint8Array.from(list, ({ kind }) => kind),
        modes: Uint32Array.from(list, ({ mode }) => mode),
        sizes: Float64Array.from(list, ({ size }) => size),
        mtimes: Float64Array.from(list, ({ mtime }) => mtime),
        hashes: new Uint8Array(Buffer.concat(list.map(({ hash }) => hash))),
      }
      expect(encodeTreeColumns(columns)).toEqual(encodeTree(list))
    }),
  )
})

const block = fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1, maxLength: 8 }).map((contents) => {
  const objects = contents.map((bytes) => ({ hash: sha256(bytes), kind: 0 as const, size: bytes.length }))
  return { contents, bytes: inOne(encodeBlock(objects, Buffer.concat(contents))) }
})

const inOne = ({ head, bytes }: BlockParts): Buffer => Buffer.concat([head, bytes])

test('a block gives its objects back', () => {
  fc.assert(
    fc.property(block, ({ contents, bytes }) => {
      const head = decodeHead(bytes)
      if (head === undefined) throw new Error('no head')
      const payload = decodePayload(head.codec, bytes.subarray(head.head), head.raw)
      const read = [...listDirectory(head.directory)].map(({ start, size }) =>
        Buffer.from(payload.subarray(start, start + size)),
      )
      expect(read).toEqual(contents.map((one) => Buffer.from(one)))
      expect(isSound(bytes, head)).toBe(true)
    }),
  )
})

test('no flipped bit of a block goes unnoticed', () => {
  fc.assert(
    fc.property(block, fc.nat(), fc.integer({ min: 0, max: 7 }), ({ bytes }, at, bit) => {
      const flipped = Buffer.from(bytes)
      flipped[at % bytes.length] = (flipped[at % bytes.length] ?? 0) ^ (1 << bit)
      const head = decodeHead(flipped)
      expect(head !== undefined && head.head + head.stored === bytes.length && isSound(flipped, head)).toBe(false)
    }),
  )
})

test('pin: the bytes of a small tree and a small block', () => {
  const one: Entry = {
    name: 'a',
    kind: KIND.file,
    mode: 0o644,
    size: 2,
    mtime: 1_700_000_000_123_456,
    hash: sha256(Buffer.from('hi')),
  }
  expect(toHex(sha256(encodeTree([one])))).toBe('85b6478fd20b5fc54df2e400f60dc5db34ee7c95055ad9c54fc2efda8d31b91a')
  expect(toHex(inOne(encodeBlock([{ hash: one.hash, kind: 0, size: 2 }], Buffer.from('hi'))))).toBe(
    '5457423100000000010000000200000002000000bb6544818f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa400020000006869',
  )
})

test('pin: where a known content is cut', () => {
  const bytes = new Uint8Array(8 * 1024 * 1024)
  for (let i = 0, state = 1; i < bytes.length; i++) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    bytes[i] = state >>> 16
  }
  const cuts: number[] = []
  for (let at = 0; at < bytes.length; at += cuts.at(-1) ?? 1) cuts.push(cutAt(bytes.subarray(at, at + CHUNK.max)))
  expect(cuts).toEqual([
    271882, 537516, 367960, 581570, 463723, 369254, 452886, 533292, 1017702, 322758, 550911, 440067, 1008236, 380213,
    1065807, 24831,
  ])
})

test('an insertion moves only the cuts near it', () => {
  const bytes = Buffer.alloc(12 * 1024 * 1024)
  for (let i = 0, state = 7; i < bytes.length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    bytes[i] = state >>> 24
  }
  const chunksOf = (content: Buffer): Set<string> => {
    const chunks = new Set<string>()
    for (let at = 0; at < content.length; ) {
      const length = cutAt(content.subarray(at, at + CHUNK.max))
      chunks.add(toHex(sha256(content.subarray(at, at + length))))
      at += length
    }
    return chunks
  }
  const before = chunksOf(bytes)
  const after = chunksOf(
    Buffer.concat([bytes.subarray(0, 5_000_000), Buffer.from('inserted'), bytes.subarray(5_000_000)]),
  )
  expect([...after].filter((chunk) => !before.has(chunk)).length).toBeLessThanOrEqual(2)
})
