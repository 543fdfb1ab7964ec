import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { microsOf, newStamp, setTime } from '../../host/files/fs.ts'
import { sha256 } from '../../host/hash.ts'
import { recordedPath as rel } from '../../schema/path.ts'
import { type Entry, KIND } from '../../store/tree.ts'
import { asWritten } from './as-written.ts'
import { takeFile } from './read-stable.ts'

let dir: string
let file: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'written-'))
  file = join(dir, 'f')
})
afterEach(() => rmSync(dir, { recursive: true }))

const MICROS = 1_700_000_000_123_000
const statOf = () => statSync(file, { bigint: true })

function put(text: string): Entry {
  writeFileSync(file, text, { mode: 0o644 })
  setTime(file, MICROS)
  const bytes = Buffer.from(text)
  const mode = Number(statOf().mode) & 0o7777
  return { name: 'f', kind: KIND.file, mode, size: bytes.length, mtime: MICROS, hash: sha256(bytes) }
}

test('the change time of what was written is relied on only when the disk has given a later one since', () => {
  const entry = put('text')
  const { dev, ctimeNs } = statOf()
  const sigC = (ns: bigint | undefined, on = dev): number | undefined => {
    const stamp = ns === undefined ? undefined : { dev: on, ns }
    const taken = asWritten({ written: () => entry, stamp }, rel('f'), file)
    return taken && 'sigC' in taken ? taken.sigC : undefined
  }
  expect(sigC(undefined)).toBeNaN()
  expect(sigC(ctimeNs)).toBeNaN()
  // So near that a number cannot tell them apart.
  expect(sigC(ctimeNs + 1n)).toBeNaN()
  expect(sigC(ctimeNs + 1_000_000n)).toBe(statSync(file).ctimeMs)
  expect(sigC(ctimeNs + 1_000_000n, dev + 1n)).toBeNaN()
})

test('what was written to since is not taken for what was put there', () => {
  const entry = put('text')
  writeFileSync(file, 'TEXT')
  expect(asWritten({ written: () => entry, stamp: newStamp(dir) }, rel('f'), file)).toBeUndefined()
})

test('a stamp is no earlier than any change before it', () => {
  for (let n = 0; n < 50; n++) {
    put(`${n}`)
    expect(newStamp(dir)?.ns).toBeGreaterThanOrEqual(statOf().ctimeNs)
  }
  expect(newStamp(join(dir, 'nothing'))).toBeUndefined()
})

test('a young file that holds what is known of it is taken at once, and looked at again later', () => {
  const { hash, size } = put('text')
  const kept: string[] = []
  const sink = {
    take: (_hash: Uint8Array, _kind: number, bytes: Uint8Array) => kept.push(Buffer.from(bytes).toString()),
  }
  const known = takeFile(file, 1000, sink, true, { hash, size })
  expect(known).toMatchObject({ hash: Buffer.from(hash), size, sigC: Number.NaN, mtime: microsOf(statOf().mtimeNs) })
  put('TEXT')
  const other = takeFile(file, 1000, sink, true, { hash, size })
  expect(other).toMatchObject({ hash: sha256(Buffer.from('TEXT')), size })
  expect(other).not.toMatchObject({ sigC: Number.NaN })
  expect(kept).toEqual(['text', 'TEXT'])
})
