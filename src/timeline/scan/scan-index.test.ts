import { expect, test } from 'vitest'
import { encodeFolder, newFolder } from './folder.ts'
import { encodeAddition, encodeScanIndex, ScanIndex } from './scan-index.ts'

const FACTS = { rules: 'ab'.repeat(32), epoch: 3, files: 2, bytes: 20, hasSkipped: false }

function folder(names: string[], size: number): Uint8Array {
  const made = newFolder(names)
  made.sizes.fill(size)
  made.ctimeMs = size
  return encodeFolder(made)
}

const BASE = encodeScanIndex(FACTS, [
  ['', folder(['a', 'b'], 1)],
  ['a', folder(['x'], 2)],
  ['b', folder([], 3)],
])
const addition = (files: number, ...folders: [number, Uint8Array][]): Uint8Array =>
  encodeAddition({ ...FACTS, files, epoch: 4 }, new Map(folders))

function open(...parts: Uint8Array[]): ScanIndex | undefined {
  const bytes = Buffer.concat(parts)
  const shared = new SharedArrayBuffer(bytes.length)
  new Uint8Array(shared).set(bytes)
  return ScanIndex.open(shared, bytes.length)
}

test('a file without additions is what was written', () => {
  const index = open(BASE)
  expect(index).toMatchObject({ ...FACTS, paths: ['', 'a', 'b'], patched: [] })
  expect(index?.folder('a')).toEqual(folder(['x'], 2))
  expect(index?.folder('c')).toBeUndefined()
})

test('the last addition counts, alone and whole', () => {
  const index = open(BASE, addition(5, [1, folder(['x', 'y'], 7)]), addition(6, [2, folder(['z'], 8)]))
  expect(index).toMatchObject({ files: 6, epoch: 4, patched: [2] })
  expect(index?.folder('a')).toEqual(folder(['x'], 2))
  expect(index?.folder('b')).toEqual(folder(['z'], 8))
})

test('a thread that attaches to the memory sees the same', () => {
  const index = open(BASE, addition(9, [0, folder(['a', 'b', 'c'], 4)]))
  const other = ScanIndex.attach(index?.shared as SharedArrayBuffer)
  expect(other).toMatchObject({ files: 9, epoch: 4 })
  expect(other.folder('')).toEqual(folder(['a', 'b', 'c'], 4))
})

test('a torn or damaged addition is as none, and the file before it stays good', () => {
  const last = addition(5, [1, folder(['x', 'y'], 7)])
  for (let length = 8; length < last.length; length += 8)
    expect(open(BASE, last.subarray(0, length))).toMatchObject({ ...FACTS, patched: [] })
  for (let at = 0; at < last.length; at++) {
    const damaged = Uint8Array.from(last)
    damaged[at] = (damaged[at] ?? 0) ^ 1
    expect(open(BASE, damaged)).toMatchObject({ ...FACTS, patched: [] })
  }
})

test('a damaged file is not used at all', () => {
  for (let at = 0; at < BASE.length - 4; at++) {
    const damaged = Uint8Array.from(BASE)
    damaged[at] = (damaged[at] ?? 0) ^ 1
    expect(open(damaged), `byte ${at}`).toBeUndefined()
  }
})
