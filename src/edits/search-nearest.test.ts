import fc from 'fast-check'
import { expect, test } from 'vitest'
import { recordedPath as rel } from '../schema/path.ts'
import { bytes, faultOf } from './plan-testing.ts'
import { locate } from './search.ts'
import { nearestTo } from './search-nearest.ts'

const TEXT = [
  'import { a } from "b"',
  '',
  'function greet(name) {',
  '\tconst text = "Hello – " + name',
  '    return   text  ',
  '}',
  '',
  'export default greet',
].join('\n')

const differences = (search: string, text = TEXT): readonly string[] | undefined => nearestTo(text, search)?.differences
const fault = (text: string, search: string) => faultOf(() => locate(rel('a.ts'), bytes(text), bytes(search)))

test('each difference of form is told by its name', () => {
  expect(differences('  const text = "Hello – " + name')).toEqual(['indentation'])
  expect(differences('return text\n}')).toEqual(['trailing_spaces', 'white_space'])
  expect(differences('    return   text\n}')).toEqual(['trailing_spaces'])
  expect(differences('return text')).toEqual(['white_space'])
  expect(differences("import { a } from 'b'")).toEqual(['quotes'])
  expect(differences('"Hello - "')).toEqual(['dashes'])
  expect(differences('“Hello – ”')).toEqual(['quotes'])
  expect(differences('FUNCTION greet')).toEqual(['letter_case'])
  expect(differences('Function Greet(name)\n{')).toEqual(['text'])
  expect(differences('cafe\u0301', 'caf\u00e9')).toEqual(['unicode_form'])
  expect(differences('a\u00a0b', 'x\na b\n')).toEqual(['white_space'])
  expect(differences('a\n\nb', 'a\n   \nb')).toEqual(['trailing_spaces'])
  expect(differences('a\nb', 'a\r\nb')).toEqual(['line_ends'])
  expect(differences('a\r\nb', 'a\nb')).toEqual(['line_ends'])
  expect(differences('A \n b', 'a\r\nb')).toEqual(['line_ends', 'trailing_spaces', 'indentation', 'letter_case'])
})

test('the fault says where, in what, and gives the two lines', () => {
  expect(fault(TEXT, 'function greet(name) {\n  const text = "Hello – " + name\n')).toMatchInlineSnapshot(`
    {
      "code": "SEARCH_NOT_FOUND",
      "data": {
        "at": 4,
        "differences": [
          "indentation",
        ],
        "end_line": 4,
        "found": ""\\tconst text = \\"Hello – \\" + name\\n"",
        "line": 3,
        "path": "a.ts",
        "wanted": ""  const text = \\"Hello – \\" + name\\n"",
      },
      "hint": "Line 4 is "\\tconst text = \\"Hello – \\" + name\\n", not "  const text = \\"Hello – \\" + name\\n"",
      "message": "The search text is not in a.ts. The nearest is line 3, which differs in indentation.",
    }
  `)
})

test('LF is never taken for CRLF, and the hint says how to give it', () => {
  expect(fault('x\r\na\r\nb\r\n', 'a\nb')).toMatchObject({
    code: 'SEARCH_NOT_FOUND',
    data: { line: 2, end_line: 3, differences: ['line_ends'], line_end: 'CRLF (\\r\\n)' },
    hint: 'Lines end in CRLF (\\r\\n) there: end those of search_block, and of replace_block, the same way.',
  })
  expect(fault('a\nb\n', 'a\r\nb').hint).toContain('Lines end in LF (\\n) there')
})

test('of several places the one with the fewest differences is the nearest', () => {
  expect(nearestTo('FOO  (a)\nfoo  (a)\nFoo (A)\n', 'foo (a)')).toMatchObject({ line: 2, differences: ['white_space'] })
})

test('when words differ, the place with the most lines alike is the nearest, and its first other line is told', () => {
  const search = 'function greet(person) {\n\tconst text = "Hello – " + name\n    return   text  \n}'
  expect(nearestTo(TEXT, search)).toMatchObject({
    line: 3,
    end_line: 6,
    differences: ['text'],
    at: 3,
    found: '"function greet(name) {\\n"',
  })
})

test('when no line is alike, the most similar one is the nearest', () => {
  expect(nearestTo(TEXT, 'export default greets;')).toMatchObject({ line: 8, differences: ['text'] })
  expect(nearestTo(TEXT, '\nfunction greets(names) {')).toMatchObject({ line: 2, at: 3 })
  expect(nearestTo(TEXT, 'nothing of the kind, 12345')).toBeUndefined()
  expect(nearestTo('', 'x')).toBeUndefined()
  expect(nearestTo(TEXT, ' \n\t\n')).toBeUndefined()
})

test('of a long line only the part is told where it begins to differ', () => {
  const line = `${'abcdefghij'.repeat(1000)}\n`
  const near = nearestTo(line, line.replace('efghijabcd', 'efghiJabcd'))
  expect(near?.found.length).toBeLessThan(130)
  expect(near?.differences).toEqual(['letter_case'])
})

const nasty = fc.string({
  unit: fc.constantFrom('a', 'B', ' ', '\t', '\n', '\r\n', '"', "'", '–', '-', 'é', '\u00a0', '🙂'),
})

test('whatever is asked, the answer is a place in the file', () => {
  fc.assert(
    fc.property(nasty, nasty, (text, search) => {
      const near = nearestTo(text, search)
      if (near === undefined) return
      const lines = text.split('\n').length
      expect(near.line).toBeGreaterThanOrEqual(1)
      expect(near.end_line).toBeLessThanOrEqual(lines)
      expect(near.at).toBeGreaterThanOrEqual(near.line)
      expect(near.differences.length).toBeGreaterThan(0)
    }),
    { seed: 20261119, numRuns: 1000 },
  )
})

test('a text that is there but for its form is found where it is', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), minLength: 4, maxLength: 8 })
  fc.assert(
    fc.property(fc.uniqueArray(word, { minLength: 4, maxLength: 30 }), fc.nat(), (words, seed) => {
      const at = seed % (words.length - 1)
      // Ends keep a word from being found in a longer one.
      const lines = words.map((each) => `<${each}>`)
      const near = nearestTo(lines.join('\r\n'), `  <${words[at]}>\n<${words[at + 1]?.toUpperCase()}>`)
      expect(near).toMatchObject({
        line: at + 1,
        end_line: at + 2,
        differences: ['line_ends', 'indentation', 'letter_case'],
      })
    }),
    { seed: 20261119, numRuns: 200 },
  )
})

test('a file of a megabyte is looked through in a moment', () => {
  const text = Array.from({ length: 30_000 }, (_, i) => `    const value_${i} = compute(${i * 7}) // and so on`).join(
    '\n',
  )
  const lines = text.split('\n').slice(20_000, 20_010).join('\n')
  for (const search of [lines.replaceAll('    ', '\t'), lines.replaceAll('compute', 'computed'), 'no such thing']) {
    const started = performance.now()
    nearestTo(text, search)
    expect(performance.now() - started).toBeLessThan(1000)
  }
  expect(nearestTo(text, lines.replaceAll('const value_20003 ', 'let value_20003 '))).toMatchObject({
    line: 20_001,
    at: 20_004,
  })
})

test('nothing made of spaces, quotes or line ends takes long', () => {
  const started = performance.now()
  for (const part of [' ', '\t x', '\n', '"', '\r', ' \n', 'a'])
    nearestTo(part.repeat(1_000_000 / part.length), `x ${part.repeat(50_000)}y\n`.repeat(3))
  expect(performance.now() - started).toBeLessThan(10_000)
})
