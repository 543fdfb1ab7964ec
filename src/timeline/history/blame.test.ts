import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type BlameVersion, blameLines, likeness } from './blame.ts'

const SEED = 20261115
const bytes = (text: string): Uint8Array => Buffer.from(text)
const wrote = (text: string): BlameVersion => ({ bytes: () => bytes(text), bringsBack: false })
const broughtBack = (text: string): BlameVersion => ({ bytes: () => bytes(text), bringsBack: true })
const GONE: BlameVersion = { bytes: () => undefined, bringsBack: false }

test('a line belongs to the version that wrote it', () => {
  expect(blameLines([])).toEqual([])
  expect(blameLines([wrote('')])).toEqual([])
  expect(blameLines([wrote('a\nb\n'), wrote('a\nx\nb\n'), wrote('a\nx\nb\nend')])).toEqual([0, 1, 0, 2])
})

test('what was taken away and brought back belongs to whoever wrote it first', () => {
  expect(blameLines([wrote('a\nb\n'), wrote('a\nc\n'), broughtBack('a\nb\n')])).toEqual([0, 0])
  expect(blameLines([wrote('a\nb\n'), GONE, broughtBack('a\nb\n')])).toEqual([0, 0])
  // Only in part: the revert keeps what came later.
  const reverted = broughtBack('a\nb\nc\nlater\n')
  expect(blameLines([wrote('a\nb\nc\n'), wrote('a\nc\n'), wrote('a\nc\nlater\n'), reverted])).toEqual([0, 0, 0, 2])
})

test('a file that was gone and is written anew is new', () => {
  expect(blameLines([wrote('a\nb\n'), GONE, wrote('a\nc\n')])).toEqual([2, 2])
  expect(blameLines([wrote('a\n'), GONE])).toEqual([])
})

test('likeness is the common part', () => {
  expect(likeness(bytes(''), bytes(''))).toBe(1)
  expect(likeness(bytes('a\nb\n'), bytes('a\nb\n'))).toBe(1)
  expect(likeness(bytes('a\nb\n'), bytes('a\nc\n'))).toBe(0.5)
  expect(likeness(bytes('a\n'), bytes('b\n'))).toBe(0)
})

const line = fc.constantFrom('a', 'b', 'c', '')
const content = fc
  .tuple(fc.array(line, { maxLength: 8 }), fc.boolean())
  .map(([lines, ends]) => bytes(lines.join('\n') + (ends ? '\n' : '')))
const version: fc.Arbitrary<BlameVersion> = fc
  .tuple(fc.option(content, { nil: undefined, freq: 8 }), fc.boolean())
  .map(([found, bringsBack]) => ({ bytes: () => found, bringsBack }))
const linesOf = (version: BlameVersion | undefined): string[] =>
  Buffer.from(version?.bytes() ?? [])
    .toString()
    .match(/[^\n]*\n|[^\n]+$/g) ?? []

test('every line comes from a version that has that very line, and none from a later one', () => {
  fc.assert(
    fc.property(fc.array(version, { minLength: 1, maxLength: 8 }), (versions) => {
      const lines = linesOf(versions.at(-1))
      const writers = blameLines(versions)
      expect(writers.length).toBe(lines.length)
      for (const [i, writer] of writers.entries()) expect(linesOf(versions[writer])).toContain(lines[i])
    }),
    { seed: SEED, numRuns: 500 },
  )
})

test('going back to an earlier version gives it the writers it had', () => {
  fc.assert(
    fc.property(fc.array(version, { minLength: 1, maxLength: 6 }), fc.nat(), (versions, pick) => {
      const at = pick % versions.length
      const back = { ...(versions[at] as BlameVersion), bringsBack: true }
      expect(blameLines([...versions, back])).toEqual(blameLines(versions.slice(0, at + 1)))
    }),
    { seed: SEED, numRuns: 500 },
  )
})
