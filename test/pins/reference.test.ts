import { expect, test } from 'vitest'
import { reference, stale } from '../../scripts/reference.ts'

test('the committed reference is what the code says; if not: npm run docs', async () => {
  expect(stale(await reference())).toEqual([])
})

test('the reference is the same every time it is made', async () => {
  expect(await reference()).toEqual(await reference())
})

test('a reference that differs is noticed', async () => {
  const files = await reference()
  expect(stale({ ...files, 'docs/reference/faults.md': 'other' })).toEqual(['docs/reference/faults.md'])
  expect(stale({ 'docs/reference/absent.md': '' })).toEqual(['docs/reference/absent.md'])
})
