import fc from 'fast-check'
import { expect, test } from 'vitest'
import { recordedPath as rel } from '../schema/path.ts'
import type { RecordedEdits, StoredState } from './file-change.ts'
import { mergeForReversal } from './merge-reversal.ts'
import { type PresentReader, planReversal } from './reverse-plan.ts'

const state = (text: string, mode = 0o644): StoredState => ({ kind: 'file', mode, bytes: Buffer.from(text) })
/** A workspace with this file and no folders. */
const holding = (file: StoredState | undefined): PresentReader => ({
  read: () => file,
  folders: { mode: () => undefined, names: () => [] },
})
const linesOf = (text: string): string[] => text.split('\n').slice(0, -1)
const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('')

interface Step {
  readonly actor: number
  readonly what: 'insert' | 'delete' | 'replace'
  readonly at: number
}
const step = fc.record<Step>({
  actor: fc.nat(2),
  what: fc.constantFrom('insert', 'insert', 'delete', 'replace'),
  at: fc.nat(1000),
})

/** What some actors did to a file one after the other; every line says who wrote it. */
function history(steps: readonly Step[]) {
  let lines = Array.from({ length: 12 }, (_, i) => `start-${i}`)
  const doings: (RecordedEdits & { actor: number })[] = []
  steps.forEach(({ actor, what, at }, n) => {
    const before = textOf(lines)
    const place = lines.length === 0 ? 0 : at % lines.length
    const fresh = what === 'delete' ? [] : [`actor${actor}-${n}`]
    lines = lines.toSpliced(place, what === 'insert' ? 0 : 1, ...fresh)
    const did = [{ path: rel('f'), before: state(before), after: state(textOf(lines)) }]
    if (before !== textOf(lines)) doings.push({ id: `s${n}`, actor, did, folders: [] })
  })
  return { lines, doings }
}

test('taking one actor’s work back leaves the lines of the others, or reports a conflict', () => {
  let clean = 0
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), fc.nat(2), (steps, actor) => {
      const { lines, doings } = history(steps)
      const theirs = doings.filter((doing) => doing.actor === actor).reverse()
      const present = state(textOf(lines))
      const { wishes, clashes } = planReversal(theirs, holding(present), mergeForReversal, false)
      if (clashes.length > 0) return
      clean++
      const after = linesOf(Buffer.from((wishes.get(rel('f')) ?? present).bytes).toString())
      const isOthers = (line: string): boolean => !line.startsWith(`actor${actor}-`)
      expect(lines.filter(isOthers).filter((line) => !after.includes(line))).toEqual([])
      expect(after.filter((line) => !isOthers(line))).toEqual([])
    }),
    { numRuns: 600 },
  )
  expect(clean).toBeGreaterThan(50)
})

const one = (path: string, before: StoredState | undefined, after: StoredState | undefined): RecordedEdits => ({
  id: 's1',
  did: [{ path: rel(path), before, after }],
  folders: [],
})

test.each<[string, RecordedEdits, StoredState | undefined, StoredState | undefined | 'clash']>([
  ['a file that was made goes', one('f', undefined, state('a')), state('a'), undefined],
  ['unless it was changed since', one('f', undefined, state('a')), state('b'), 'clash'],
  ['a file that was deleted comes back', one('f', state('a'), undefined), undefined, state('a')],
  ['unless another is in its place', one('f', state('a'), undefined), state('b'), 'clash'],
  ['a mode goes back', one('f', state('a'), state('a', 0o755)), state('a', 0o755), state('a')],
  ['and leaves contents written since', one('f', state('a'), state('a', 0o755)), state('b', 0o755), state('b')],
  ['what was deleted since stays so', one('f', state('a'), state('b')), undefined, 'clash'],
])('%s', (_, doing, present, expected) => {
  const { wishes, clashes } = planReversal([doing], holding(present), mergeForReversal, false)
  if (expected === 'clash') expect([clashes.length, wishes.size]).toEqual([1, 0])
  else expect(wishes.get(rel('f'))).toEqual(expected)
})

test('what is as it was before needs nothing', () => {
  const { wishes, clashes } = planReversal(
    [one('f', state('a'), state('b'))],
    holding(state('a')),
    mergeForReversal,
    false,
  )
  expect([wishes.size, clashes.length]).toEqual([0, 0])
})

/** A workspace with these files and no folders. */
const holdingAll = (files: Readonly<Record<string, StoredState>>, barred?: PresentReader['barred']): PresentReader => ({
  read: (path) => files[path],
  folders: { mode: () => undefined, names: () => [] },
  ...(barred ? { barred } : {}),
})
const edited = (path: string) => ({ path: rel(path), before: state('before\n'), after: state('after\n') })

test('a clash holds back its own file, all the changes of it, and no other', () => {
  const twice = { path: rel('a'), before: state('after\n'), after: state('later\n') }
  const doings = [
    { id: 's2', did: [twice], folders: [] },
    { id: 's1', did: [edited('a'), edited('b')], folders: [] },
  ]
  // What s2 did can be taken back by itself; s1 cannot, so the file stays as it is.
  const present = { a: state('later\nand more\n'), b: state('after\n') }
  const { wishes, clashes } = planReversal(doings, holdingAll(present), mergeForReversal, false)
  expect(clashes.map(({ path }) => path)).toContain('a')
  expect([...wishes]).toEqual([[rel('b'), state('before\n')]])
})

test('a file that was moved is held back under both names', () => {
  const did = [
    { path: rel('old'), before: state('text\n'), after: undefined },
    { path: rel('new'), before: undefined, after: state('text\n') },
    edited('b'),
  ]
  const doings = [{ id: 's1', did, folders: [] }]
  const taken = { old: state('somebody else’s\n'), new: state('text\n'), b: state('after\n') }
  const inTheWay = planReversal(doings, holdingAll(taken), mergeForReversal, false)
  expect([[...inTheWay.wishes.keys()], inTheWay.clashes]).toMatchObject([['b'], [{ path: 'old' }]])
  const gone = planReversal(doings, holdingAll({ b: state('after\n') }), mergeForReversal, false)
  expect([[...gone.wishes.keys()], gone.clashes]).toMatchObject([
    ['b'],
    [{ path: 'old', reason: 'it was deleted since' }],
  ])
})

test('what cannot be read is a clash, not the end', () => {
  const doings = [{ id: 's1', did: [edited('a'), edited('b')], folders: [] }]
  const barred = (path: string) => (path === 'a' ? 'it cannot be read' : undefined)
  const { wishes, clashes } = planReversal(doings, holdingAll({ b: state('after\n') }, barred), mergeForReversal, false)
  expect([[...wishes.keys()], clashes]).toMatchObject([['b'], [{ path: 'a', reason: 'it cannot be read' }]])
})
