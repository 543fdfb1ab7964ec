import { expect, test } from 'vitest'
import type { CallRecord } from '../../records/calls.ts'
import { certaintyOf } from '../../schema/cause.ts'
import { recordedPath as rel } from '../../schema/path.ts'
import type { Difference } from '../../store/compare-trees.ts'
import { type Entry, KIND } from '../../store/tree.ts'
import { sharesFor } from './attribute.ts'
import type { SeenAt } from './sightings.ts'

const NOW = 1_000_000

const entry = (content: number): Entry => ({
  ...{ name: 'x', kind: KIND.file, mode: 0o644, size: 1, mtime: 0 },
  hash: Buffer.alloc(32, content),
})
const changed = (path: string): Difference => ({ path: rel(path), old: entry(1), new: entry(2) })
const added = (path: string): Difference => ({ path: rel(path), old: undefined, new: entry(2) })
const deleted = (path: string): Difference => ({ path: rel(path), old: entry(1), new: undefined })
const MADE = Buffer.alloc(32, 2).toString('hex')

let calls = 0
const call = (more: Partial<CallRecord>): CallRecord => ({
  ...{ seq: ++calls, workspace: 'w', session_id: 's', id: `c${calls}`, client: 'claude', tool: 'Bash', kind: 'shell' },
  ...{ paths: null, prompt_id: 'p', input: undefined, title: './build.sh', makes: null, started_at: NOW - 500 },
  ...{ half_seen: false, background: false, ended: false },
  ...more,
})
const opaque = (more: Partial<CallRecord> = {}): CallRecord => call(more)
const named = (paths: string[], more: Partial<CallRecord> = {}): CallRecord => call({ paths: paths.map(rel), ...more })
const edit = (paths: string[], more: Partial<CallRecord> = {}): CallRecord =>
  call({ kind: 'edit', tool: 'Edit', paths: paths.map(rel), ...more })

const LONG = { started_at: NOW - 30_000 }
const seenAt =
  (...paths: string[]): SeenAt =>
  (path) =>
    paths.includes(path) ? { at: NOW - 20_000, by: 'change' } : undefined

type Told = 'certain' | 'likely' | 'shared' | 'shared with somebody' | 'nobody'

/** What is said of one change: by which grade, and whether it may have been somebody without a call. */
function told(change: Difference, under: readonly CallRecord[], seen: SeenAt = seenAt()): Told {
  const [share] = sharesFor([change], { calls: under, seenAt: seen, now: NOW })
  if (share === undefined) return 'nobody'
  const grade = certaintyOf(share.cause)
  if (grade === undefined) return 'nobody'
  return grade === 'shared' && share.cause.shared?.some(({ call_id }) => call_id === null)
    ? 'shared with somebody'
    : grade
}

const CASES: readonly [what: string, change: Difference, calls: CallRecord[], seen: string[], told: Told][] = [
  ['no call runs', changed('a'), [], [], 'nobody'],
  ['a command that may touch anything', changed('a'), [opaque()], [], 'likely'],
  ['the same for a file it made', added('a'), [opaque()], [], 'likely'],
  ['the same for one it deleted', deleted('a'), [opaque()], [], 'likely'],
  ['somebody was seen at the file', changed('a'), [opaque()], ['a'], 'shared with somebody'],
  ['somebody was seen at another file', changed('a'), [opaque()], ['b'], 'likely'],
  ['somebody was seen at the file that went', deleted('a'), [opaque()], ['a'], 'shared with somebody'],
  ['two commands at once', changed('a'), [opaque(), opaque()], [], 'shared'],
  ['two commands and somebody', changed('a'), [opaque(), opaque()], ['a'], 'shared with somebody'],
  ['a command left in the background', changed('a'), [opaque({ background: true })], [], 'shared with somebody'],
  ['a command whose beginning was missed', changed('a'), [opaque({ half_seen: true })], [], 'shared with somebody'],
  ['a person’s own shell', changed('a'), [opaque({ client: 'shell' })], ['a'], 'likely'],
  ['a command that names the file', changed('a'), [named(['a'])], [], 'certain'],
  ['the same from a person’s own shell', changed('a'), [named(['a'], { client: 'shell' })], ['a'], 'certain'],
  ['a command that names another file', changed('a'), [named(['b'])], [], 'nobody'],
  ['a long command that names the file', changed('a'), [named(['a'], LONG)], [], 'likely'],
  ['it names the file, somebody was seen there', changed('a'), [named(['a'])], ['a'], 'shared with somebody'],
  ['a file deleted in a folder that is named', deleted('d/a'), [named(['d'])], [], 'certain'],
  ['a file that came up in a folder that is named', added('d/a'), [named(['d'])], [], 'likely'],
  ['a named file, another command runs', changed('a'), [named(['a']), opaque()], [], 'shared'],
  ['an edit of the file', changed('a'), [edit(['a'])], [], 'certain'],
  ['an edit of another file', changed('a'), [edit(['b'])], [], 'nobody'],
  ['a draft of an edit', added('a.tmp.1.2'), [edit(['a'])], [], 'certain'],
  ['an edit of a file somebody was seen at', changed('a'), [edit(['a'])], ['a'], 'likely'],
  ['the same when it took long', changed('a'), [edit(['a'], LONG)], ['a'], 'shared with somebody'],
  ['an edit that took long', changed('a'), [edit(['a'], LONG)], [], 'likely'],
  ['an edit while a command runs', changed('a'), [edit(['a']), opaque()], [], 'likely'],
  ['an edit that makes just this', changed('a'), [edit(['a'], { makes: MADE })], [], 'certain'],
  [
    'it makes just this, whatever else is known',
    changed('a'),
    [edit(['a'], { makes: MADE, ...LONG }), opaque()],
    ['a'],
    'certain',
  ],
  ['an edit that makes something else', changed('a'), [edit(['a'], { makes: 'other' })], [], 'shared with somebody'],
  ['two edits of the file', changed('a'), [edit(['a']), edit(['a'])], [], 'shared'],
]

test.each(CASES)('%s', (_what, change, under, seen, expected) => {
  expect(told(change, under, seenAt(...seen))).toBe(expected)
})

test('each change has its own grade, and what is sure comes last', () => {
  const build = opaque({ id: 'b' })
  const shares = sharesFor([changed('f1'), changed('f2'), added('new'), deleted('old')], {
    ...{ calls: [build], ending: { call: build }, seenAt: seenAt('f2'), now: NOW },
  })
  expect(shares.map(({ paths, cause }) => [[...paths], cause.certainty])).toEqual([
    [['f2'], 'shared'],
    [['f1', 'new', 'old'], 'likely'],
  ])
  expect(shares[0]?.cause).toMatchObject({
    ...{ session_id: 's', prompt_id: 'p', call_id: 'b' },
    seen: [{ path: 'f2', by: 'change', seconds_before: 20 }],
  })
})
