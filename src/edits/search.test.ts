import fc from 'fast-check'
import { expect, test } from 'vitest'
import { recordedPath as rel } from '../schema/path.ts'
import { bytes, faultOf } from './plan-testing.ts'
import { locate, occurrences } from './search.ts'

const RUNS = { seed: 20261119, numRuns: 400 }

const found = (text: string, search: string): number[] => [...occurrences(bytes(text), bytes(search))]
const located = (text: string, search: string, occurrence?: number): number =>
  locate(rel('a.ts'), bytes(text), bytes(search), occurrence)
const fault = (text: string, search: string, occurrence?: number) => faultOf(() => located(text, search, occurrence))

test('the only occurrence is the one', () => {
  expect(located('one two three', 'two')).toBe(4)
  expect(located('two', 'two')).toBe(0)
})

test('occurrences are those that trying every place finds, overlapping ones too', () => {
  expect(found('aaa', 'aa')).toEqual([0, 1])
  const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 40 })
  const search = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(text, search, (all, part) => {
      const every = Array.from({ length: all.length }, (_, i) => i).filter((i) => all.startsWith(part, i))
      expect(found(all, part)).toEqual(every)
    }),
    RUNS,
  )
})

test('several occurrences are named by line, column and the line they stand in', () => {
  expect(fault('\ufeffx = 1\r\n  x = 1; // é x = 1\n', 'x = 1')).toMatchInlineSnapshot(`
    {
      "code": "SEARCH_AMBIGUOUS",
      "data": {
        "count": 3,
        "lines": [
          1,
          2,
          2,
        ],
        "path": "a.ts",
        "places": [
          {
            "column": 1,
            "context": "x = 1",
            "line": 1,
          },
          {
            "column": 3,
            "context": "  x = 1; // é x = 1",
            "line": 2,
          },
          {
            "column": 15,
            "context": "  x = 1; // é x = 1",
            "line": 2,
          },
        ],
      },
      "hint": "Give more of the lines around it, or choose one of the places with occurrence, counted from 1.",
      "message": "The search text occurs 3 times in a.ts: line 1, 2, 2",
    }
  `)
})

test('an occurrence can be chosen, and one that is not there is refused with those that are', () => {
  expect(located('a a a', 'a', 1)).toBe(0)
  expect(located('a a a', 'a', 3)).toBe(4)
  expect(fault('a a', 'a', 3)).toMatchObject({
    code: 'SEARCH_OCCURRENCE',
    data: { occurrence: 3, count: 2, places: [{ column: 1 }, { column: 3 }] },
    message: 'There is no occurrence 3 of the search text in a.ts, only 2: line 1, 1',
  })
  expect(fault('a', 'b', 1)).toMatchObject({ code: 'SEARCH_NOT_FOUND' })
})

test('at most twenty places are told, of a long line the part around each', () => {
  const { data } = fault(`${'é'.repeat(500)}xy`.repeat(30), 'x') as {
    data: { count: number; places: { context: string; column: number }[] }
  }
  expect([data.count, data.places.length]).toEqual([30, 20])
  expect(data.places[1]?.column).toBe(1003)
  expect(data.places[1]?.context).toMatch(/^é{40}xyé{39}$/)
})

test('a place before a line end belongs to the line that ends there', () => {
  const { data } = fault('a\nb\n\n', '\n') as { data: { places: object[] } }
  expect(data.places).toEqual([
    { line: 1, column: 2, context: 'a' },
    { line: 2, column: 2, context: 'b' },
    { line: 3, column: 1, context: '' },
  ])
})

test('texts made to be slow are not', () => {
  const started = performance.now()
  const [text, search] = ['a'.repeat(1_000_000), 'a'.repeat(500_000)]
  expect(fault(text, search)).toMatchObject({ data: { count: 500_001 } })
  expect(fault(text, `${search}b`)).toMatchObject({ code: 'SEARCH_NOT_FOUND' })
  expect(fault(text, `b${search}`)).toMatchObject({ code: 'SEARCH_NOT_FOUND' })
  expect(performance.now() - started).toBeLessThan(5000)
})
