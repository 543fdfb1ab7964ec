import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { draw, PICTURE, session } from '../../scripts/picture.ts'

test('the picture of the README shows what the program prints; if not: npm run docs', () => {
  expect(draw(session())).toBe(readFileSync(PICTURE, 'utf8'))
})
