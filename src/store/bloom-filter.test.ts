import { expect, test } from 'vitest'
import { sha256 } from '../host/hash.ts'
import { BloomFilter } from './bloom-filter.ts'

const hashOf = (n: number): Buffer => sha256(Buffer.from(String(n)))

test('what was added passes, and hardly anything else', () => {
  const sieve = new BloomFilter(5000)
  for (let n = 0; n < 5000; n++) sieve.add(hashOf(n))
  for (let n = 0; n < 5000; n++) expect(sieve.passes(hashOf(n))).toBe(true)
  let passed = 0
  for (let n = 5000; n < 25_000; n++) if (sieve.passes(hashOf(n))) passed++
  expect(passed).toBeLessThan(100)
})

test('it tells when it holds more than it was made for', () => {
  const sieve = new BloomFilter(1024)
  for (let n = 0; n < 1024; n++) sieve.add(hashOf(n))
  expect(sieve.isFull).toBe(false)
  sieve.add(hashOf(1024))
  expect(sieve.isFull).toBe(true)
})
