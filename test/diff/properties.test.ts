import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  applyPatch,
  type DiffFormat,
  Fault,
  formatPatch,
  parsePatch,
  reverseDiff,
  reversePatch,
  writeDiff,
} from '../../src/diff/public.ts'
import { asFileChange, type Change, twoContents, twoTexts } from './changes.ts'

const SEED = 20261121
const latin1 = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString('latin1')
const node = (bytes: Uint8Array) => ({ mode: 0o100644, bytes })
const changeOf = (old: Uint8Array, current: Uint8Array): Change => ({ path: 'x', old: node(old), new: node(current) })

/** What a diff makes of the only file there is. */
function patched(diff: Uint8Array, bytes: Uint8Array, context: number): string {
  const options = { exact: true, zeroContext: context === 0 }
  const { files } = applyPatch(parsePatch(diff), () => node(bytes), options)
  return files.length === 0 ? latin1(bytes) : latin1(files[0]?.after?.bytes)
}

const format = fc.constantFrom<DiffFormat>('git', 'unified', 'context')

test('a diff applied to the old contents gives the new ones, and its reverse the other way', () => {
  fc.assert(
    fc.property(twoTexts, format, fc.nat(5), (texts, kind, context) => {
      const diff = writeDiff([asFileChange(changeOf(texts.old, texts.new))], kind, context)
      expect(patched(diff, texts.old, context)).toBe(latin1(texts.new))
      expect(patched(reverseDiff(diff), texts.new, context)).toBe(latin1(texts.old))
    }),
    { seed: SEED, numRuns: 3000 },
  )
})

test('reversed twice a diff is itself, as data and as text', () => {
  fc.assert(
    fc.property(twoContents, fc.nat(4), (texts, context) => {
      const diff = writeDiff([asFileChange(changeOf(texts.old, texts.new))], 'git', context)
      const patch = parsePatch(diff)
      expect(reversePatch(reversePatch(patch))).toEqual(patch)
      expect(latin1(reverseDiff(reverseDiff(diff)))).toBe(latin1(diff))
      expect(latin1(formatPatch(patch))).toBe(latin1(diff))
    }),
    { seed: SEED, numRuns: 1000 },
  )
})

/** Damages a diff: bytes replaced, lines dropped, doubled or cut. */
const damage = fc.record({
  at: fc.nat(2000),
  kind: fc.constantFrom('byte', 'drop', 'double', 'cut'),
  byte: fc.nat(255),
})

function damaged(diff: Uint8Array, { at, kind, byte }: { at: number; kind: string; byte: number }): Uint8Array {
  const lines = latin1(diff).split(/(?<=\n)/)
  const i = at % Math.max(1, lines.length)
  if (kind === 'drop') lines.splice(i, 1)
  if (kind === 'double') lines.splice(i, 0, lines[i] ?? '')
  const bytes = Buffer.from(lines.join(''), 'latin1')
  if (kind === 'byte' && bytes.length > 0) bytes[at % bytes.length] = byte
  return kind === 'cut' ? bytes.subarray(0, at % (bytes.length + 1)) : bytes
}

test('a damaged diff is a fault, or still a patch that applies or does not; nothing else happens', () => {
  fc.assert(
    fc.property(twoContents, damage, (texts, hurt) => {
      const diff = damaged(writeDiff([asFileChange(changeOf(texts.old, texts.new))], 'git'), hurt)
      try {
        applyPatch(parsePatch(diff), () => node(texts.old))
      } catch (error) {
        expect(error).toBeInstanceOf(Fault)
      }
    }),
    { seed: SEED, numRuns: 3000 },
  )
})
