import fc from 'fast-check'
import { expect, test } from 'vitest'
import { writeDiff } from '../diff/unified.ts'
import { recordedPath as rel } from '../schema/path.ts'
import type { RecordedEdit, RecordedEdits } from './file-change.ts'
import { fileChange, type StoredState } from './file-change.ts'
import { hunksOf, onlyHunks } from './hunk-choice.ts'
import { mergeForReversal } from './merge-reversal.ts'
import { planReversal } from './reverse-plan.ts'

const state = (text: string, mode = 0o644): StoredState => ({ kind: 'file', mode, bytes: Buffer.from(text) })
const doing = (...did: RecordedEdit[]): RecordedEdits => ({ id: 's1', did, folders: [] })
const textOf = (file: StoredState | undefined): string => Buffer.from(file?.bytes ?? []).toString()
const headsIn = ({ did }: RecordedEdits): string[] =>
  Buffer.from(
    writeDiff(
      did.map(({ path, before, after }) => fileChange(path, before, after)),
      'git',
    ),
  )
    .toString()
    .split('\n')
    .filter((line) => line.startsWith('@@ '))

/** The file after some hunks of a change to it were taken back. */
function takenBack(change: RecordedEdits, wanted: readonly number[], present: StoredState | undefined) {
  const plan = planReversal(
    [onlyHunks(change, new Set(wanted))],
    { read: () => present, folders: { mode: () => undefined, names: () => [] } },
    mergeForReversal,
    false,
  )
  return { file: plan.wishes.has(rel('f')) ? plan.wishes.get(rel('f')) : present, clashes: plan.clashes }
}

const lines = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, i) => `line ${from + i}\n`)
const text = fc.array(fc.constantFrom('a\n', 'b\n', 'c\n', '\n', 'd\r\n'), { maxLength: 60 }).map((all) => all.join(''))

test('hunks are counted as the diff shows them', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const change = doing({ path: rel('f'), before: state(before), after: state(after) })
      if (before === after) return
      expect(hunksOf(change).map(({ head }) => head)).toEqual(headsIn(change))
      expect(hunksOf(change).map(({ hunk }) => hunk)).toEqual(headsIn(change).map((_, i) => i + 1))
    }),
  )
})

test('some hunks and then the others come to the same as all of them', () => {
  fc.assert(
    fc.property(text, text, fc.infiniteStream(fc.boolean()), (before, after, coin) => {
      const change = doing({ path: rel('f'), before: state(before), after: state(after) })
      const numbers = hunksOf(change).map(({ hunk }) => hunk)
      const first = numbers.filter(() => coin.next().value === true)
      const half = takenBack(change, first, state(after))
      expect(half.clashes).toEqual([])
      const rest = numbers.filter((n) => !first.includes(n))
      const whole = takenBack(change, rest, half.file)
      if (whole.clashes.length === 0) expect(textOf(whole.file)).toBe(before)
    }),
  )
})

test('the middle one of three leaves the other two, and what was done since', () => {
  const before = lines(1, 40)
  const after = before.with(1, 'one\n').with(19, 'two\n').with(37, 'three\n')
  const change = doing({ path: rel('f'), before: state(before.join(''), 0o644), after: state(after.join(''), 0o755) })
  const now = after.with(28, 'by somebody\n')
  const { file, clashes } = takenBack(change, [2], state(now.join(''), 0o755))
  expect(clashes).toEqual([])
  expect(textOf(file)).toBe(now.with(19, 'line 20\n').join(''))
  expect(file?.mode).toBe(0o755)
  expect(takenBack(change, [1, 2, 3], state(after.join(''), 0o755)).file?.mode).toBe(0o644)
})

test('where the lines of a chosen hunk were changed since it is a conflict, and one not chosen does not matter', () => {
  const before = lines(1, 40)
  const after = before.with(1, 'one\n').with(37, 'two\n')
  const change = doing({ path: rel('f'), before: state(before.join('')), after: state(after.join('')) })
  const now = state(after.with(37, 'two, changed\n').join(''))
  expect(takenBack(change, [2], now).clashes).toMatchObject([{ path: 'f', line: 38 }])
  const { file, clashes } = takenBack(change, [1], now)
  expect(clashes).toEqual([])
  expect(textOf(file)).toBe(before.with(37, 'two, changed\n').join(''))
})

test('files without lines to choose from are one hunk each', () => {
  const change = doing(
    { path: rel('new'), before: undefined, after: state('a\n'.repeat(99)) },
    { path: rel('gone'), before: state('a\n'), after: undefined },
    { path: rel('binary'), before: state('\0a'), after: state('\0b') },
    { path: rel('mode'), before: state('a'), after: state('a', 0o755) },
    { path: rel('link'), before: { ...state('a'), kind: 'symlink' }, after: { ...state('b'), kind: 'symlink' } },
  )
  expect(hunksOf(change).map(({ hunk, path, head }) => `${hunk} ${path} ${head}`)).toEqual([
    '1 new new file',
    '2 gone deleted file',
    '3 binary binary file',
    '4 mode mode',
    '5 link symlink',
  ])
  expect(onlyHunks(change, new Set([2, 4])).did.map(({ path }) => path)).toEqual(['gone', 'mode'])
})
