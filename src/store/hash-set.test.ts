import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sha256, toHex } from '../host/hash.ts'
import { HashSet } from './hash-set.ts'

test('says of each hash whether it is new, as a set of strings does', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(4000), { maxLength: 9000 }), (numbers) => {
      const ours = new HashSet()
      const plain = new Set<string>()
      for (const n of numbers) {
        const hash = sha256(Buffer.from(String(n)))
        expect(ours.add(hash)).toBe(!plain.has(toHex(hash)))
        plain.add(toHex(hash))
      }
    }),
    { numRuns: 20 },
  )
})

test('hashes that begin alike are told apart', () => {
  const set = new HashSet()
  const alike = (last: number) => new Uint8Array(32).fill(last, 31)
  for (let i = 0; i < 256; i++) expect(set.add(alike(i))).toBe(true)
  for (let i = 0; i < 256; i++) expect(set.add(alike(i))).toBe(false)
})

test('a hash is kept as it was when it was added', () => {
  const set = new HashSet()
  const hash = sha256(Buffer.from('a'))
  const copy = Buffer.from(hash)
  set.add(hash)
  hash.fill(0)
  expect(set.add(copy)).toBe(false)
})
