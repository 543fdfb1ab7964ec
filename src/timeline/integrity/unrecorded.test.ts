import { expect, test } from 'vitest'
import { beyondLastSecond } from './unrecorded.ts'

const lost = (boot: string, ...times: number[]) => times.map((created_at) => ({ boot, created_at }))

test('what the records lost in this boot they lost by another cause than the death of the machine', () => {
  expect(beyondLastSecond(lost('now', 100), 'now')).toEqual(lost('now', 100))
})

test('what the machine took of the last second when it died is not missed', () => {
  expect(beyondLastSecond([...lost('before', 100, 600), ...lost('long ago', 90_000)], 'now')).toEqual([])
})

test('when the records lost more than the last seconds of an earlier boot, all of it is missed', () => {
  expect(beyondLastSecond([...lost('before', 100, 60_000), ...lost('other', 5)], 'now')).toEqual(
    lost('before', 100, 60_000),
  )
})
