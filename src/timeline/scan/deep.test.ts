import { expect, test } from 'vitest'
import { keyOf, sha256 } from '../../host/hash.ts'
import { compareTrees, walkTree } from '../../store/compare-trees.ts'
import { Marker } from '../../store/mark.ts'
import type { ObjectReader } from '../../store/object-reader.ts'
import { OBJECT } from '../../store/store.ts'
import { decodeTree, type Entry, encodeTree, KIND } from '../../store/tree.ts'
import { blend } from '../attribution/blend.ts'

/** Trees far deeper than any path: what goes through them must not do so on the stack. */

const DEPTH = 4000
const stored = new Map<string, Buffer>()
const put = (bytes: Buffer): Buffer => {
  const hash = sha256(bytes)
  stored.set(keyOf(hash), bytes)
  return hash
}
const entry = (kind: Entry['kind'], hash: Uint8Array): Entry => ({
  name: 'd',
  kind,
  mode: 0o755,
  size: 0,
  mtime: 0,
  hash,
})

function deepTree(content: string): Buffer {
  let hash = put(encodeTree([entry(KIND.file, put(Buffer.from(content)))]))
  for (let i = 0; i < DEPTH; i++) hash = put(encodeTree([entry(KIND.directory, hash)]))
  return hash
}

const read = (hash: Uint8Array): Entry[] => decodeTree(stored.get(keyOf(hash)) as Buffer)
const [one, two] = [deepTree('one'), deepTree('two')]

test('a walk and a comparison reach the bottom', () => {
  expect([...walkTree(read, one)]).toHaveLength(DEPTH + 1)
  expect([...compareTrees(read, undefined, one)]).toHaveLength(DEPTH + 1)
  expect([...compareTrees(read, one, two)].map(({ old: a, new: b }) => [a?.kind, b?.kind])).toEqual([
    [KIND.file, KIND.file],
  ])
})

test('a collection marks all of it', () => {
  const raw = (hash: Uint8Array) => ({ kind: OBJECT.tree, bytes: stored.get(keyOf(hash)) as Buffer })
  const marker = new Marker({ raw } as unknown as ObjectReader, () => false)
  marker.add({ hash: one, tree: true })
  expect(marker.live.size).toBe(DEPTH + 2)
})

test('two of them are blended', () => {
  const take = (all: boolean) =>
    blend(
      read,
      one,
      two,
      () => all,
      () => {},
    )
  expect(keyOf(take(true))).toBe(keyOf(two))
  expect(keyOf(take(false))).toBe(keyOf(one))
})
