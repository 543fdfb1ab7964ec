import fc from 'fast-check'
import { expect, test } from 'vitest'
import { recordedPath as rel } from '../schema/path.ts'
import { bytes, faultOf } from './plan-testing.ts'
import { blockEdited, rangeEdited } from './plan-text.ts'

const RUNS = { seed: 20261119, numRuns: 500 }

const text = (all: Uint8Array): string => Buffer.from(all).toString()
const block = (before: string | undefined, search_block: string, replace_block: string, occurrence?: number): string =>
  text(
    blockEdited(rel('a'), before === undefined ? undefined : bytes(before), {
      op: 'block',
      path: rel('a'),
      search_block,
      replace_block,
      occurrence,
    }),
  )
const ranged = (before: string, start_line: number, end_line: number, content: string): string =>
  text(rangeEdited(rel('a'), bytes(before), { op: 'ranged', path: rel('a'), start_line, end_line, content }))

test('new text is taken literally, whatever it means to String.replace', () => {
  for (const literal of ['$&', '$$', '$1', '$`', "$'", '$<x>', '\\n', '%s'])
    expect(block('a(b)c', '(b)', literal)).toBe(`a${literal}c`)
})

test('what is around the text stays, byte for byte', () => {
  expect(block('\ufeffa\r\nb\n\tc', 'b', '')).toBe('\ufeffa\r\n\n\tc')
  expect(block('\ufeffa', 'a', 'b')).toBe('\ufeffb')
  expect(block('\ufeffa', '\ufeffa', 'b')).toBe('b')
  expect(block('🙂é🙂', 'é', '–')).toBe('🙂–🙂')
  expect(block('a\r\nb\r\n', 'a\r\n', 'x\r\ny\r\n')).toBe('x\r\ny\r\nb\r\n')
  expect(block('aaa', 'aa', 'b', 2)).toBe('ab')
})

test('an empty search text makes a file, or fills an empty one, and nothing else', () => {
  expect(block(undefined, '', 'new')).toBe('new')
  expect(block('', '', 'new')).toBe('new')
  expect(faultOf(() => block('x', '', 'new'))).toMatchObject({ code: 'SEARCH_EMPTY', data: { path: 'a' } })
  expect(faultOf(() => block('\n', '', 'new'))).toMatchObject({ code: 'SEARCH_EMPTY' })
  expect(faultOf(() => block(undefined, 'x', 'new'))).toMatchObject({ code: 'PATH_MISSING' })
})

test('what is no text is not searched', () => {
  const edit = (before: Uint8Array) =>
    faultOf(() => blockEdited(rel('a'), before, { op: 'block', path: rel('a'), search_block: 'x', replace_block: '' }))
  expect(edit(Uint8Array.of(120, 0))).toMatchObject({ code: 'FILE_BINARY', data: { path: 'a' } })
  expect(edit(Uint8Array.of(120, 0xff))).toMatchObject({ code: 'FILE_NOT_UTF8', data: { path: 'a' } })
  const lines = { op: 'ranged', path: rel('a'), start_line: 1, end_line: 1, content: '' } as const
  expect(faultOf(() => rangeEdited(rel('a'), Uint8Array.of(0), lines))).toMatchObject({ code: 'FILE_BINARY' })
  expect(faultOf(() => rangeEdited(rel('a'), Uint8Array.of(0xc3), lines))).toMatchObject({ code: 'FILE_NOT_UTF8' })
  expect(faultOf(() => rangeEdited(rel('a'), undefined, lines))).toMatchObject({ code: 'PATH_MISSING' })
})

test('half a character is refused, not written as another', () => {
  expect(faultOf(() => block('a', 'a', '\ud83d')).message).toBe(
    'replace_block is not Unicode: it has a lone surrogate.',
  )
  expect(faultOf(() => block('\ufffd', '\ud83d', 'a'))).toMatchObject({ code: 'BAD_INPUT' })
  expect(faultOf(() => ranged('a', 1, 1, '\udc80'))).toMatchObject({ code: 'BAD_INPUT' })
})

test('lines are replaced, taken out, inserted and appended', () => {
  expect(ranged('1\n2\n3\n', 2, 2, 'two\n')).toBe('1\ntwo\n3\n')
  expect(ranged('1\n2\n3\n', 1, 3, 'all\n')).toBe('all\n')
  expect(ranged('1\n2\n3\n', 2, 3, '')).toBe('1\n')
  expect(ranged('1\n2\n3\n', 2, 2, '\n')).toBe('1\n\n3\n')
  expect(ranged('1\n2\n', 2, 1, 'new\n')).toBe('1\nnew\n2\n')
  expect(ranged('1\n2\n', 1, 0, 'new\n')).toBe('new\n1\n2\n')
  expect(ranged('1\n2\n', 3, 3, 'new\n')).toBe('1\n2\nnew\n')
  expect(ranged('1\n2\n', 3, 2, 'new\n')).toBe('1\n2\nnew\n')
  expect(ranged('', 1, 0, 'new')).toBe('new')
  expect(ranged('', 1, 1, 'new\n')).toBe('new\n')
})

test('content without a line end gets that of the last line it replaces, or of its neighbour', () => {
  expect(ranged('1\n2\n3\n', 2, 2, 'two')).toBe('1\ntwo\n3\n')
  expect(ranged('1\r\n2\n3\n', 1, 1, 'one')).toBe('one\r\n2\n3\n')
  expect(ranged('1\n2\n', 2, 2, 'two')).toBe('1\ntwo\n')
  expect(ranged('1\n2', 2, 2, 'two')).toBe('1\ntwo')
  expect(ranged('1\n2', 2, 2, 'two\n')).toBe('1\ntwo\n')
  expect(ranged('1\r\n2\r\n', 2, 1, 'new')).toBe('1\r\nnew\r\n2\r\n')
  expect(ranged('1\r\n2\r\n', 1, 0, 'new')).toBe('new\r\n1\r\n2\r\n')
  expect(ranged('1', 1, 0, 'new')).toBe('new\n1')
  expect(ranged('1\n', 2, 2, 'new')).toBe('1\nnew\n')
})

test('what is appended to a last line without an end begins a line of its own', () => {
  expect(ranged('1', 2, 2, 'new')).toBe('1\nnew')
  expect(ranged('1\r\n2', 3, 3, 'new\r\n')).toBe('1\r\n2\r\nnew\r\n')
  expect(ranged('1', 2, 2, '')).toBe('1')
})

test('a byte order mark stays before the first line, and is never there twice', () => {
  expect(ranged('\ufeff1\n2\n', 1, 1, 'one\n')).toBe('\ufeffone\n2\n')
  expect(ranged('\ufeff1\n2\n', 1, 1, '\ufeffone\n')).toBe('\ufeffone\n2\n')
  expect(ranged('\ufeff1\n2\n', 1, 0, 'new\n')).toBe('\ufeffnew\n1\n2\n')
  expect(ranged('\ufeff', 1, 0, 'new\n')).toBe('\ufeffnew\n')
})

test('lines that are not there are refused, with how many there are', () => {
  const lines = (start: number, end: number) => faultOf(() => ranged('1\n2\n', start, end, 'x'))
  expect(lines(2, 3)).toMatchObject({
    code: 'RANGE_OUTSIDE',
    data: { path: 'a', start_line: 2, end_line: 3, lines: 2 },
    message: 'There are no lines 2 to 3 in a, which has 2.',
  })
  for (const [start, end] of [
    [4, 4],
    [4, 3],
    [3, 4],
    [2, 0],
  ] as const)
    expect(lines(start, end).code).toBe('RANGE_OUTSIDE')
})

const piece = fc.string({
  unit: fc.constantFrom('a', 'b', ' ', '\n', '\r\n', '\r', '$&', '$1', '\\', 'é', '🙂', '\ufeff'),
  maxLength: 30,
})

test('only the text found changes', () => {
  // The marker is in neither neighbour, so it occurs once.
  fc.assert(
    fc.property(piece, piece, piece, piece, (left, mid, right, replacement) => {
      expect(block(`${left}<${mid}>${right}`, `<${mid}>`, replacement)).toBe(left + replacement + right)
    }),
    RUNS,
  )
})

test('of several occurrences only the chosen one changes', () => {
  fc.assert(
    fc.property(fc.array(piece, { minLength: 2, maxLength: 5 }), fc.nat(), piece, (pieces, seed, replacement) => {
      const chosen = seed % (pieces.length - 1)
      const expected = pieces.reduce((all, next, i) => `${all}${i - 1 === chosen ? replacement : '<>'}${next}`)
      expect(block(pieces.join('<>'), '<>', replacement, chosen + 1)).toBe(expected)
    }),
    RUNS,
  )
})

const ENDS = ['', '\n', '\r\n']

test('only the lines named change, and the new ones touch no other line', () => {
  const line = fc
    .tuple(fc.constantFrom('', 'a', 'é', '$&', '\ufeffx', '\r'), fc.constantFrom('\n', '\r\n'))
    .map((p) => p.join(''))
  const lines = fc
    .tuple(fc.array(line, { maxLength: 6 }), fc.constantFrom('', 'tail'))
    .map(([all, tail]) => [...all, ...(tail ? [tail] : [])])
  fc.assert(
    fc.property(
      fc.boolean(),
      lines,
      fc.nat(),
      fc.nat(),
      piece.filter((p) => !p.startsWith('\ufeff')),
      (bom, all, a, b, content) => {
        fc.pre(!all[0]?.startsWith('\ufeff'))
        const mark = bom ? '\ufeff' : ''
        const start = 1 + (a % (all.length + 1))
        const end = start - 1 + (b % (all.length - start + 2))
        const result = ranged(mark + all.join(''), start, end, content)
        const [head, rest] = [mark + all.slice(0, start - 1).join(''), all.slice(end).join('')]
        expect(result.startsWith(head) && result.endsWith(rest)).toBe(true)
        const middle = result.slice(head.length, result.length - rest.length)
        expect(ENDS.flatMap((begin) => ENDS.map((end) => begin + content + end))).toContain(middle)
        // The line before and the line after are still lines of their own.
        if (content !== '' && head !== mark) expect(head.endsWith('\n') || /^\r?\n/.test(middle)).toBe(true)
        if (content !== '' && rest !== '') expect(middle.endsWith('\n')).toBe(true)
      },
    ),
    RUNS,
  )
})
