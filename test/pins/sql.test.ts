import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const src = join(import.meta.dirname, '../../src')

test('SQL has no numbered parameters: the oldest Node that is supported cannot bind them', () => {
  const files = globSync('**/*.ts', { cwd: src }).map((name) => [name, readFileSync(join(src, name), 'utf8')] as const)
  expect(files.some(([, code]) => /= \?/.test(code))).toBe(true)
  expect(files.filter(([, code]) => /[=(,] ?\?[1-9]/.test(code)).map(([name]) => name)).toEqual([])
})
