import { expect, test } from 'vitest'
import { parseObject } from './body.ts'

const parse = (body: string | Uint8Array): unknown => {
  try {
    return parseObject(Buffer.from(body))
  } catch (error) {
    return (error as Error).message
  }
}

test('an object is taken, with or without a BOM; nothing is an empty one', () => {
  expect(parse('{"label":"ü"}')).toEqual({ label: 'ü' })
  expect(parse('\ufeff{}')).toEqual({})
  expect(parse('')).toEqual({})
})

test.each([
  ['{"a":', 'The body is not JSON: Unexpected end of JSON input.'],
  ['secret', "The body is not JSON: Unexpected token 's'."],
  ['{"a" 1}', "The body is not JSON: Expected ':' after property name."],
  ['[]', 'The body must be a JSON object, such as {"label":"before"}'],
  ['null', 'The body must be a JSON object, such as {"label":"before"}'],
  ['1', 'The body must be a JSON object, such as {"label":"before"}'],
])('%s is refused with a sentence', (body, sentence) => {
  expect(parse(body)).toBe(sentence)
})

test('what is not UTF-8 is refused, not repaired', () => {
  expect(parse(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).toBe('The body is not UTF-8.')
})
