import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bytesFromName, inPath, nameFromBytes, outPath, showPath } from './quote.ts'

const names = fc
  .uint8Array({ minLength: 1, maxLength: 40 })
  .filter((bytes) => !bytes.includes(0) && !bytes.includes(47))

test('any bytes survive the way to a name and back', () => {
  fc.assert(
    fc.property(names, (bytes) => {
      expect(bytesFromName(nameFromBytes(bytes))).toEqual(bytes)
    }),
  )
})

test('any name survives the way out and in again', () => {
  fc.assert(
    fc.property(names, (bytes) => {
      const name = nameFromBytes(bytes)
      expect(inPath(outPath(name))).toBe(name)
    }),
  )
})

test('different bytes are different names', () => {
  expect(nameFromBytes(Uint8Array.of(0xe9))).not.toBe(nameFromBytes(Uint8Array.of(0xc3, 0xa9)))
})

test('only what is not UTF-8, or looks quoted, is quoted', () => {
  expect(outPath('src/é ü.ts')).toBe('src/é ü.ts')
  expect(outPath(nameFromBytes(Buffer.from('caf\xe9', 'latin1')))).toBe('"caf\\351"')
  expect(outPath('"quoted"')).toBe('"\\"quoted\\""')
})

test('a terminal never gets control characters', () => {
  expect(showPath('a\u001b[31m\nb')).toBe('"a\\033[31m\\nb"')
})

test('a name that left quoted is shown as it left', () => {
  const out = outPath(nameFromBytes(Buffer.from('caf\xe9', 'latin1')))
  expect(showPath(out)).toBe('"caf\\351"')
  expect(showPath(outPath('"quoted"'))).toBe('"\\"quoted\\""')
})
