import { expect, test } from 'vitest'
import { giveMemoryBack } from './memory.ts'

test('what a large piece of work needed is given back', () => {
  let much: object[] | undefined = Array.from({ length: 1_000_000 }, (_, i) => ({ i, text: `${i}` }))
  expect(much.length).toBe(1_000_000)
  much = undefined
  const before = process.memoryUsage().heapTotal
  giveMemoryBack()
  expect(process.memoryUsage().heapTotal).toBeLessThan(before - 32 * 1024 * 1024)
})
