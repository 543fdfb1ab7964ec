import fc from 'fast-check'
import { expect, test } from 'vitest'
import { diffLines, type LineChange, type LineDiff } from './lines.ts'
import { searchChanges } from './myers.ts'
import { type Lines, lineAt, lineCount, splitLines } from './split.ts'

const RUNS = { seed: 20261119, numRuns: 400 }

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const latin1 = (part: Uint8Array): string => Buffer.from(part).toString('latin1')
const range = (lines: Lines, start: number, end: number): string[] =>
  Array.from({ length: end - start }, (_, i) => latin1(lineAt(lines, start + i)))

function applied({ old, new: current, changes }: LineDiff): string {
  const out: string[] = []
  let at = 0
  for (const change of changes) {
    out.push(...range(old, at, change.oldStart), ...range(current, change.newStart, change.newEnd))
    at = change.oldEnd
  }
  return [...out, ...range(old, at, lineCount(old))].join('')
}

function inOrder(changes: readonly LineChange[]): boolean {
  let [oldAt, newAt] = [-1, -1]
  return changes.every((change) => {
    const apart = change.oldStart > oldAt && change.oldStart - oldAt === change.newStart - newAt
    ;[oldAt, newAt] = [change.oldEnd, change.newEnd]
    return apart && (change.oldEnd > change.oldStart || change.newEnd > change.newStart)
  })
}

function expectSound(before: Uint8Array, after: Uint8Array): void {
  const diff = diffLines(before, after)
  expect(applied(diff)).toBe(latin1(after))
  expect(inOrder(diff.changes)).toBe(true)
}

const nastyLine = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('a\n', 'b\n', '\n', '  c\n', '\td\n', 'e\r\n', '\r\n', '\0\n', '}\n', '\xff\n'),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 8 }).map((text) => `${text}\n`) },
)
const nastyText = fc
  .tuple(fc.array(nastyLine, { maxLength: 40 }), fc.constantFrom('', '', 'a', '\r', '\0', 'tail'))
  .map(([lines, tail]) => Buffer.from(lines.join('') + tail, 'latin1'))

test('applying the changes to the old text gives the new text, byte for byte', () => {
  fc.assert(fc.property(nastyText, nastyText, expectSound), RUNS)
})

test('the same holds when most lines stay', () => {
  const edit = fc.record({ at: fc.nat(200), remove: fc.nat(3), insert: fc.array(nastyLine, { maxLength: 3 }) })
  const longText = fc.array(nastyLine, { minLength: 30, maxLength: 200 })
  fc.assert(
    fc.property(longText, fc.array(edit, { maxLength: 8 }), (lines, edits) => {
      const after = [...lines]
      for (const { at, remove, insert } of edits) after.splice(at, remove, ...insert)
      expectSound(Buffer.from(lines.join(''), 'latin1'), Buffer.from(after.join(''), 'latin1'))
    }),
    RUNS,
  )
})

test('lines put together again are the text', () => {
  fc.assert(
    fc.property(nastyText, (text) => {
      const lines = range(splitLines(text), 0, lineCount(splitLines(text)))
      expect(lines.join('')).toBe(latin1(text))
      expect(lines.slice(0, -1).every((line) => line.indexOf('\n') === line.length - 1)).toBe(true)
      expect(lines).not.toContain('')
    }),
    RUNS,
  )
})

/** The textbook table: right, and far too slow for anything but a test. */
function longestCommon(a: readonly number[], b: readonly number[]): number {
  let above = [0, ...b.map(() => 0)]
  for (const x of a) {
    const row = [0]
    for (const [j, y] of b.entries()) row.push(x === y ? above[j]! + 1 : Math.max(above[j + 1]!, row[j]!))
    above = row
  }
  return above[b.length]!
}

test('the search finds a shortest answer', () => {
  const ids = fc.array(fc.nat(5), { maxLength: 60 })
  fc.assert(
    fc.property(ids, ids, (a, b) => {
      const [oldChanged, newChanged] = searchChanges(Int32Array.from(a), Int32Array.from(b))
      const common = longestCommon(a, b)
      expect(a.filter((_, i) => !oldChanged[i])).toEqual(b.filter((_, i) => !newChanged[i]))
      expect(oldChanged.filter((mark) => mark === 0).length).toBe(common)
    }),
    RUNS,
  )
})

const changesOf = (before: string, after: string): number[][] =>
  diffLines(bytes(before), bytes(after)).changes.map((c) => [c.oldStart, c.oldEnd, c.newStart, c.newEnd])

test('what counts as a line', () => {
  expect(changesOf('', '')).toEqual([])
  expect(changesOf('', '\n')).toEqual([[0, 0, 0, 1]])
  expect(changesOf('a', 'a\n')).toEqual([[0, 1, 0, 1]])
  expect(changesOf('a\r\nb\n', 'a\nb\n')).toEqual([[0, 1, 0, 1]])
  expect(changesOf('a\nb\nc\n', 'a\nc\n')).toEqual([[1, 2, 1, 1]])
  expect(changesOf('\0\n', '\0\0\n')).toEqual([[0, 1, 0, 1]])
})

test('an added function is shown whole, from its own first line', () => {
  const documented = (name: string): string => `/**\n * ${name}\n */\nfunction ${name}() {\n\tgo()\n}\n`
  const [one, two, three] = ['one', 'two', 'three'].map(documented)
  expect(changesOf(`${one}\n${three}`, `${one}\n${two}\n${three}`)).toEqual([[7, 7, 7, 14]])
  expect(changesOf(`${one}\n${two}\n${three}`, `${one}\n${three}`)).toEqual([[7, 14, 7, 7]])
})

test('different lines with the same hash are different', () => {
  expect(changesOf('costarring\nliquid\n', 'costarring\ncostarring\n')).toEqual([[1, 2, 1, 2]])
})

test('an added line among equal ones is shown last', () => {
  expect(changesOf('x\nx\nx\n', 'x\nx\nx\nx\n')).toEqual([[3, 3, 3, 4]])
})

test('a removed and an added line meet where they can', () => {
  expect(changesOf('a\nx\nx\nb\n', 'a\ny\nx\nb\n')).toEqual([[1, 2, 1, 2]])
})

/** A fixed sequence of numbers below `n` that looks like chance. */
function numbers(seed: number): (n: number) => number {
  let state = seed
  return (n) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return Math.floor((state / 0x80000000) * n)
  }
}

const textOf = (count: number, line: (i: number) => string): Uint8Array =>
  bytes(Array.from({ length: count }, (_, i) => `${line(i)}\n`).join(''))

test('a hopeless search is cut short, and the answer is still right', () => {
  const below = numbers(1)
  const lengths = [
    [4000, 4000],
    [4000, 60],
    [60, 4000],
  ] as const
  for (const kinds of [2, 50, 2000])
    for (const [before, after] of lengths) {
      const [a, b] = [before, after].map((length) => Array.from({ length }, () => below(kinds))) as [number[], number[]]
      const [oldChanged, newChanged] = searchChanges(Int32Array.from(a), Int32Array.from(b))
      expect(a.filter((_, i) => !oldChanged[i])).toEqual(b.filter((_, i) => !newChanged[i]))
    }
})

// Quadratic time would be minutes here; the generous bound is for a busy machine.
test('two texts of 100,000 lines that share every line in another order take seconds at most', () => {
  const order = Array.from({ length: 100_000 }, (_, i) => i)
  const below = numbers(2)
  for (let i = order.length - 1; i > 0; i--) {
    const j = below(i + 1)
    ;[order[i], order[j]] = [order[j]!, order[i]!]
  }
  const before = textOf(order.length, (i) => `line ${i}`)
  const after = textOf(order.length, (i) => `line ${order[i]}`)
  const start = performance.now()
  const diff = diffLines(before, after)
  expect(performance.now() - start).toBeLessThan(10_000)
  expect(applied(diff)).toBe(latin1(after))
})

test('most of long common ends is left out, and the changes are the same', () => {
  const filler = (from: number): string[] => Array.from({ length: 3000 }, (_, i) => `line ${from + i}\n`)
  const [above, below] = [filler(0), filler(5000)]
  const inner = fc.array(fc.constantFrom('a\n', 'b\n', '\n', '  c\n', '}\n', 'line 2999\n'), { maxLength: 12 })
  fc.assert(
    fc.property(inner, inner, fc.constantFrom('boundary', 'down'), (old, now, placing) => {
      const changes = (skipped: number): readonly LineChange[] => {
        const [a, b] = [old, now].map((lines) =>
          Buffer.from([...above.slice(skipped), ...lines, ...below.slice(0, 3000 - skipped)].join('')),
        ) as [Buffer, Buffer]
        return diffLines(a, b, placing).changes
      }
      const shifted = changes(2500).map((change) => ({
        oldStart: change.oldStart + 2500,
        oldEnd: change.oldEnd + 2500,
        newStart: change.newStart + 2500,
        newEnd: change.newEnd + 2500,
      }))
      expect(changes(0)).toEqual(shifted)
    }),
    { numRuns: 60 },
  )
})

test('a change that slides far into a long common end is found where it was found before', () => {
  const text = (lines: number): Buffer => Buffer.from('first\n' + 'same\n'.repeat(lines) + 'last\n')
  const { changes } = diffLines(text(5000), text(5001), 'down')
  expect(changes).toEqual([{ oldStart: 5001, oldEnd: 5001, newStart: 5001, newEnd: 5002 }])
  expect(diffLines(text(5000), text(5001), 'boundary').changes).toHaveLength(1)
})
