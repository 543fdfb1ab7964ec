import { expect, test } from 'vitest'
import { frameHead } from './frames.ts'

test('pin: the head of a frame', () => {
  expect([...frameHead('s', 1)]).toEqual([0x73, 0, 0, 0, 1])
  expect([...frameHead('o', 0)]).toEqual([0x6f, 0, 0, 0, 0])
  expect([...frameHead('e', 0x01020304)]).toEqual([0x65, 1, 2, 3, 4])
  expect([...frameHead('x', 0xffffffff)]).toEqual([0x78, 255, 255, 255, 255])
})
