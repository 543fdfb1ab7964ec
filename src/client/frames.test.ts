import { expect, test } from 'vitest'
import { FrameReader, frameHead } from './frames.ts'

test('pin: the head of a frame', () => {
  expect([...frameHead('s', 1)]).toEqual([0x73, 0, 0, 0, 1])
  expect([...frameHead('o', 0)]).toEqual([0x6f, 0, 0, 0, 0])
  expect([...frameHead('e', 0x01020304)]).toEqual([0x65, 1, 2, 3, 4])
  expect([...frameHead('x', 0xffffffff)]).toEqual([0x78, 255, 255, 255, 255])
})

test('frames come out whole and in order, wherever the stream is cut', () => {
  const frames = [
    ['s', '1'],
    ['o', ''],
    ['p', '{}'],
    ['o', 'x'.repeat(300)],
    ['x', '0'],
  ] as const
  const stream = Buffer.concat(frames.flatMap(([type, text]) => [frameHead(type, text.length), Buffer.from(text)]))
  for (let size = 1; size <= stream.length; size++) {
    const found: string[][] = []
    const reader = new FrameReader((type, payload) => void found.push([type, payload.toString()]))
    for (let at = 0; at < stream.length; at += size) reader.take(stream.subarray(at, at + size))
    expect(found).toEqual(frames)
  }
})
