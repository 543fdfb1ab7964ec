import { expect, test } from 'vitest'
import { encodeEvent, lastSeen } from './events.ts'

test('an event is three lines, whatever is in it', () => {
  const event = { id: 7, type: 'snapshot', data: { label: 'two\nlines\r\n\u2028' } }
  expect(encodeEvent(event)).toBe('id: 7\nevent: snapshot\ndata: {"label":"two\\nlines\\r\\n\u2028"}\n\n')
})

test.each([
  ['12', 12],
  ['0', 0],
  [undefined, undefined],
  ['', undefined],
  ['-1', undefined],
  ['1e3', undefined],
  ['1, 2', undefined],
  ['9'.repeat(30), undefined],
])('the last event seen, told as %s, is %s', (header, id) => {
  expect(lastSeen(header)).toBe(id)
})
