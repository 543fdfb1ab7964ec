import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ByteSink } from './byte-sink.ts'
import { commonBytes } from './common-ends.ts'
import { writeUnifiedHunks } from './hunks.ts'
import { diffInside, diffLines, diffWhole } from './lines.ts'
import { commonLines, splitLines } from './split.ts'
import { writeDiff } from './unified.ts'

const RUNS = { seed: 20261115, numRuns: 150 }

const line = fc.constantFrom(
  'a\n',
  'ab\n',
  'ba\n',
  '\n',
  '  c\n',
  '\td\n',
  'e\r\n',
  '}\n',
  'function f() {\n',
  '\xff\n',
)
const few = fc.array(line, { maxLength: 12 })
const tail = fc.constantFrom('', '', 'a', '\r', 'tail')

/** Two texts that differ in a few places, mostly in the middle of many lines. */
const pair = fc
  .record({
    head: fc.array(line, { minLength: 12, maxLength: 30 }),
    copies: fc.constantFrom(0, 1, 90, 130, 170),
    old: few,
    middle: few,
    fresh: few,
    end: fc.array(line, { minLength: 12, maxLength: 30 }),
    tail,
    otherTail: fc.option(tail, { freq: 4 }),
    offset: fc.nat(3),
  })
  .map(({ head, copies, old, middle, fresh, end, tail: last, otherTail, offset }) => {
    const above = head.join('').repeat(copies)
    const below = end.join('').repeat(copies)
    const text = (first: string[], second: string[], close: string): Buffer =>
      Buffer.from(
        ' '.repeat(offset) + above + first.join('') + middle.join('') + second.join('') + below + close,
        'latin1',
      ).subarray(offset)
    return [text(old, fresh, last), text(fresh, old, otherTail ?? last)] as const
  })

test('the ends that two texts have in common are the lines they have in common', () => {
  fc.assert(
    fc.property(pair, ([a, b]) => {
      const lines = [splitLines(a), splitLines(b)] as const
      const { start, end } = commonLines(...lines)
      const bytes = commonBytes(a, b)
      expect(bytes.start).toBe(lines[0].bounds[start])
      expect(a.length - bytes.end).toBe(lines[0].bounds[lines[0].bounds.length - 1 - end])
    }),
    RUNS,
  )
})

test('what is found without most of the common ends is what is found with them', () => {
  let short = 0
  fc.assert(
    fc.property(pair, fc.constantFrom(0, 3, 50, 60), ([a, b], context) => {
      if (diffInside(a, b)) short++
      expect(diffLines(a, b).changes).toEqual(diffWhole(a, b).changes)
      const out = new ByteSink()
      writeUnifiedHunks(out, diffWhole(a, b), context)
      const file = { path: 'f', status: 'modified', oldMode: 0o100644, newMode: 0o100644, old: a, new: b } as const
      const written = Buffer.from(writeDiff([file], 'unified', context)).toString('latin1')
      const hunks = written.slice(written.indexOf('@@'))
      expect(a.equals(b) ? '' : hunks).toBe(Buffer.from(out.bytes()).toString('latin1'))
    }),
    RUNS,
  )
  expect(short).toBeGreaterThan(20)
})
