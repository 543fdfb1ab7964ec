import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { CallRecord } from '../../records/calls.ts'
import { certaintyOf } from '../../schema/cause.ts'
import { recordedPath as rel } from '../../schema/path.ts'
import type { Named } from '../../shell/named.ts'
import type { TreeDifference } from '../../store/compare-trees.ts'
import { type Entry, KIND } from '../../store/tree.ts'
import { type Evidence, sharesFor } from './attribute.ts'
import { followingMoves, type SeenAt } from './sightings.ts'

const NOW = 1_000_000

const entry = (content: number): Entry => ({
  name: 'x',
  kind: KIND.file,
  mode: 0o644,
  size: 1,
  mtime: 0,
  hash: Buffer.alloc(32, content),
})
const changed = (path: string): TreeDifference => ({ path: rel(path), old: entry(1), new: entry(2) })
const added = (path: string): TreeDifference => ({ path: rel(path), old: undefined, new: entry(2) })
const deleted = (path: string): TreeDifference => ({ path: rel(path), old: entry(1), new: undefined })
const MADE = Buffer.alloc(32, 2).toString('hex')

let calls = 0
const call = (more: Partial<CallRecord>): CallRecord => ({
  seq: ++calls,
  workspace: 'w',
  session_id: 's',
  id: `c${calls}`,
  client: 'claude',
  tool: 'Bash',
  kind: 'shell',
  paths: null,
  named: [],
  prompt_id: 'p',
  input: undefined,
  title: './build.sh',
  makes: null,
  started_at: NOW - 500,
  half_seen: false,
  background: false,
  ended: false,
  ...more,
})
const opaque = (more: Partial<CallRecord> = {}): CallRecord => call(more)
/** A command that says what it does: `rm d` is `says('d', 'remove')`. */
const says = (
  path: string,
  does: Named['does'],
  more: Partial<CallRecord> & { from?: string[]; sure?: boolean } = {},
): CallRecord => {
  const { from, sure = true, ...rest } = more
  const named = [{ path, does, sure, ...(from ? { from } : {}) }]
  return call({ paths: path === '' ? null : [rel(path)], named, ...rest })
}
const edit = (paths: string[], more: Partial<CallRecord> = {}): CallRecord =>
  call({ kind: 'edit', tool: 'Edit', paths: paths.map(rel), ...more })

const LONG = { started_at: NOW - 30_000 }
/** `a` was seen 40 s ago, `a!` a moment ago, and `a~` is open in an editor. */
const seenAt =
  (...paths: string[]): SeenAt =>
  (path) => {
    if (paths.includes(path)) return { at: NOW - 40_000, by: 'change' }
    if (paths.includes(`${path}!`)) return { at: NOW - 100, by: 'change' }
    return paths.includes(`${path}~`) ? { at: NOW - 40_000, by: 'swap-file', isOpen: true } : undefined
  }

/** What was there before: `like-new` holds what changed files hold now. */
const before: Evidence['before'] = (path) =>
  path === 'like-new' ? entry(2) : path === 'like-old' ? entry(1) : undefined

type Told = 'certain' | 'likely' | 'shared' | 'shared with a person' | 'no call'

/** What is said of one change: by which grade, and whether it may have been a person without a call. */
function told(
  change: TreeDifference,
  under: readonly CallRecord[],
  seen: SeenAt = seenAt(),
  evidence: Partial<Evidence> = {},
): Told {
  const [share] = sharesFor([change], {
    calls: under,
    seenAt: seen,
    before,
    since: NOW - 600_000,
    now: NOW,
    ended: new Set(under.flatMap(({ kind, seq }) => (kind === 'edit' ? [] : [seq]))),
    ...evidence,
  })
  if (share === undefined) return 'no call'
  const grade = certaintyOf(share.cause)
  if (grade === undefined) return 'no call'
  return grade === 'shared' && share.cause.shared?.some(({ call_id }) => call_id === null)
    ? 'shared with a person'
    : grade
}

const touched = (path: string): TreeDifference => ({ path: rel(path), old: entry(1), new: { ...entry(1), mtime: 5 } })

type Row = readonly [what: string, change: TreeDifference, calls: CallRecord[], seen: string[], told: Told]

const OPAQUE: readonly Row[] = [
  ['no call runs', changed('a'), [], [], 'no call'],
  ['a command that may touch anything', changed('a'), [opaque()], [], 'likely'],
  ['the same for a file it made', added('a'), [opaque()], [], 'likely'],
  ['the same for one it deleted', deleted('a'), [opaque()], [], 'likely'],
  ['a person was seen at the file', changed('a'), [opaque()], ['a'], 'shared with a person'],
  ['a person was seen at another file', changed('a'), [opaque()], ['b'], 'likely'],
  ['a person was seen at the deleted file', deleted('a'), [opaque()], ['a'], 'likely'],
  ['a person was seen there while it ran', deleted('a'), [opaque()], ['a!'], 'shared with a person'],
  ['a person has the deleted file open', deleted('a'), [opaque()], ['a~'], 'shared with a person'],
  ['two commands, a person was seen there', deleted('a'), [opaque(), opaque()], ['a'], 'shared with a person'],
  ['two commands at once', changed('a'), [opaque(), opaque()], [], 'shared'],
  ['two commands and a person', changed('a'), [opaque(), opaque()], ['a'], 'shared with a person'],
  ['a command left in the background', changed('a'), [opaque({ background: true })], [], 'shared with a person'],
  ['a command whose beginning was missed', changed('a'), [opaque({ half_seen: true })], [], 'shared with a person'],
  ['a person’s own shell', changed('a'), [opaque({ client: 'shell' })], ['a'], 'likely'],
]

const NAMED: readonly Row[] = [
  ['a command that writes the file', changed('a'), [says('a', 'write')], [], 'certain'],
  ['the same from a person’s own shell', changed('a'), [says('a', 'write', { client: 'shell' })], ['a'], 'certain'],
  ['a command that writes another file', changed('a'), [says('b', 'write')], [], 'no call'],
  ['a command that may not run', changed('a'), [says('a', 'write', { sure: false })], [], 'likely'],
  ['a long command that writes the file', changed('a'), [says('a', 'write', LONG)], [], 'likely'],
  ['it writes, a person was seen there before', changed('a'), [says('a', 'write')], ['a'], 'likely'],
  ['the same when it took long', changed('a'), [says('a', 'write', LONG)], ['a'], 'shared with a person'],
  ['it writes, a person was there meanwhile', changed('a'), [says('a', 'write')], ['a!'], 'shared with a person'],
  ['it writes, an editor has it open', changed('a'), [says('a', 'write')], ['a~'], 'shared with a person'],
  ['it writes, but the file is gone', deleted('a'), [says('a', 'write')], [], 'likely'],
  ['it removes', deleted('a'), [says('a', 'remove')], [], 'certain'],
  ['it removes, a person was seen there before', deleted('a'), [says('a', 'remove')], ['a'], 'certain'],
  ['the same when it took long', deleted('a'), [says('a', 'remove', LONG)], ['a'], 'likely'],
  ['it removes, a person was there meanwhile', deleted('a'), [says('a', 'remove')], ['a!'], 'shared with a person'],
  ['it removes, but the file is another', changed('a'), [says('a', 'remove')], [], 'likely'],
  ['the same at a file a person was seen at', changed('a'), [says('a', 'remove')], ['a'], 'shared with a person'],
  ['a file in a folder that is removed', deleted('d/a'), [says('d', 'remove')], ['d/a'], 'certain'],
  ['a file in a folder that is written', deleted('d/a'), [says('d', 'write')], [], 'likely'],
  ['a file that came up in a folder', added('d/a'), [says('d', 'write')], [], 'likely'],
  ['a mode, and the content stays', touched('a'), [says('a', 'attributes')], [], 'certain'],
  ['a mode, but the content is another', changed('a'), [says('a', 'attributes')], [], 'likely'],
  ['a copy of what was there', changed('a'), [says('a', 'copy', { from: ['like-new'] })], [], 'certain'],
  ['a copy into a folder', added('d/like-new'), [says('d', 'copy', { from: ['like-new'] })], [], 'certain'],
  ['a copy of something else', changed('a'), [says('a', 'copy', { from: ['like-old'] })], [], 'likely'],
  ['a copy of what was not there', changed('a'), [says('a', 'copy', { from: ['nosuch'] })], [], 'likely'],
  ['git brings files back', changed('a'), [says('', 'any', { sure: false })], ['a'], 'likely'],
  ['git takes files away', deleted('a'), [says('', 'any', { sure: false })], ['a'], 'likely'],
  ['git, while a person is there', changed('a'), [says('', 'any', { sure: false })], ['a!'], 'shared with a person'],
  ['a written file, another command runs', changed('a'), [says('a', 'write'), opaque()], [], 'shared'],
]

const EDITS: readonly Row[] = [
  ['an edit of the file', changed('a'), [edit(['a'])], [], 'certain'],
  ['an edit of another file', changed('a'), [edit(['b'])], [], 'no call'],
  ['a draft of an edit', added('a.tmp.1.2'), [edit(['a'])], [], 'certain'],
  ['an edit of a file a person was seen at', changed('a'), [edit(['a'])], ['a'], 'likely'],
  ['the same when it took long', changed('a'), [edit(['a'], LONG)], ['a'], 'shared with a person'],
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
  ['an edit that makes something else', changed('a'), [edit(['a'], { makes: 'other' })], [], 'shared with a person'],
  ['two edits of the file', changed('a'), [edit(['a']), edit(['a'])], [], 'shared'],
]

const CASES = [...OPAQUE, ...NAMED, ...EDITS]

test.each(CASES)('%s', (_what, change, under, seen, expected) => {
  expect(told(change, under, seenAt(...seen))).toBe(expected)
})

test('docs/attribution.md has these rules, all of them', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/attribution.md'), 'utf8')
  const rows = page.split('\n').flatMap((line) => {
    const [, what, grade] = /^\| (.*?) +\| (.*?) +\|$/.exec(line) ?? []
    return what === undefined || /^-+$|^what happened$/.test(what) ? [] : [[what, grade]]
  })
  expect(rows).toEqual(CASES.map(([what, , , , grade]) => [what, grade]))
})

test('an edit that has ended and made something else than was known is only likely', () => {
  const other = edit(['a'], { makes: 'other' })
  const ended = new Set([other.seq])
  expect(told(changed('a'), [other], seenAt(), { ended })).toBe('likely')
  expect(told(changed('a'), [other], seenAt('a'), { ended })).toBe('shared with a person')
  const unknown = edit(['a'], { makes: '' })
  expect(told(changed('a'), [unknown], seenAt(), { ended: new Set([unknown.seq]) })).toBe('likely')
})

test('a command that failed, or was not told to have ended, did not surely do what it says', () => {
  expect(told(deleted('a'), [says('a', 'remove')], seenAt(), { ended: undefined })).toBe('likely')
})

test('a file that was renamed is not lost: who was at it may have renamed it', () => {
  const moved = [{ ...deleted('a'), old: entry(2) }, added('b')]
  const shares = sharesFor(moved, {
    calls: [opaque()],
    seenAt: followingMoves(moved, seenAt('a')),
    before,
    since: 0,
    now: NOW,
  })
  expect(shares.map(({ paths, cause }) => [[...paths], cause.certainty])).toEqual([[['a', 'b'], 'shared']])
  expect(shares[0]?.cause.seen?.map(({ path }) => path)).toEqual(['a', 'a'])
})

test('when a person was there is told by the file they saved, not by who looked later', () => {
  const seconds = (mtime: number, at: number): number | undefined => {
    const change = { path: rel('a'), old: { ...entry(1), mtime: mtime * 1000 }, new: entry(2) }
    const [share] = sharesFor([change], {
      calls: [opaque()],
      seenAt: () => ({ at, by: 'change' as const }),
      before,
      since: NOW - 600_000,
      now: NOW,
    })
    return share?.cause.seen?.[0]?.seconds_before
  }
  expect(seconds(NOW - 20_500, NOW - 510)).toBe(20)
  // A file may keep an old time; and less than a second is not while it ran.
  expect(seconds(1, NOW - 30_500)).toBe(30)
  expect(seconds(NOW - 600, NOW - 510)).toBe(1)
  expect(seconds(NOW - 20_500, NOW - 100)).toBe(0)
})

test('each change has its own grade, and what is sure comes last', () => {
  const build = opaque({ id: 'b' })
  const shares = sharesFor([changed('f1'), changed('f2'), added('new'), deleted('old')], {
    calls: [build],
    ending: { call: build },
    seenAt: seenAt('f2'),
    before,
    since: NOW - 600_000,
    now: NOW,
  })
  expect(shares.map(({ paths, cause }) => [[...paths], cause.certainty])).toEqual([
    [['f2'], 'shared'],
    [['f1', 'new', 'old'], 'likely'],
  ])
  expect(shares[0]?.cause).toMatchObject({
    session_id: 's',
    prompt_id: 'p',
    call_id: 'b',
    seen: [{ path: 'f2', by: 'change', seconds_before: 40 }],
  })
})
