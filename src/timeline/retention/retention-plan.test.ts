import { expect, test } from 'vitest'
import type { SnapshotRecord } from '../../records/snapshot-record.ts'
import { mergeConfig } from '../../schema/config.ts'
import { planRetention } from './retention-plan.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const now = Date.UTC(2026, 5, 15, 12)
const policy = mergeConfig([]).retention

let seq = 0
const taken = (ageMs: number, over: Partial<SnapshotRecord> = {}): SnapshotRecord => {
  seq++
  return {
    seq,
    id: `s${seq}`,
    workspace: 'w',
    created_at: now - ageMs,
    tree: new Uint8Array(),
    base: null,
    source: 'scheduled',
    label: null,
    description: null,
    cause: { role: 'change' },
    files: 0,
    bytes: 0,
    added: 0,
    modified: 0,
    deleted: 0,
    stored_bytes: 100,
    duration_ms: 0,
    facts: { exclude_globs: [], env_fingerprint: {}, skipped: [] },
    object: new Uint8Array(),
    pinned: false,
    content: true,
    listed: true,
    ...over,
  }
}
const plan = (snapshots: SnapshotRecord[], over: Partial<typeof policy> = {}, needed = new Map<string, string>()) =>
  planRetention({ snapshots, policy: { ...policy, ...over }, now, needed })
/** One per minute for `minutes`, the oldest first. */
const everyMinute = (minutes: number): SnapshotRecord[] =>
  Array.from({ length: minutes }, (_, i) => taken((minutes - i) * MINUTE))

test('scheduled captures are thinned to one per five minutes, half hour, two hours and day', () => {
  const month = Array.from({ length: 31 * 24 * 12 }, (_, i) => taken((31 * 24 * 12 - i) * 5 * MINUTE))
  const { kept, removed } = plan(month)
  const count = (reason: string): number => kept.filter((one) => one.reason.startsWith(reason)).length
  expect([count('one per 5 min'), count('one per 30 min'), count('one per 2 h'), count('one per 1 d')]).toEqual([
    10, 46, 73, 23,
  ])
  expect(kept.length + removed.length).toBe(month.length)
})

test('a labelled capture is preferred to its neighbours', () => {
  const snapshots = [
    ...everyMinute(3),
    taken(0.5 * MINUTE, { label: 'mine', source: 'claude-guard' }),
    taken(0.4 * MINUTE),
    taken(0),
  ]
  expect(plan(snapshots).kept.map(({ id }) => id)).toContain(snapshots[3]?.id)
})

test('every kept snapshot has a reason, and each rule has its own', () => {
  const snapshots = [
    taken(400 * DAY, { pinned: true }),
    taken(399 * DAY),
    taken(60 * DAY, { source: 'edit', cause: { role: 'change', tool: 'apply_edit_block' } }),
    taken(50 * DAY, { source: 'manual' }),
    taken(40 * DAY),
    taken(39 * DAY, {}),
    taken(0),
  ]
  const [pinned, old, edit, manual, needed, , newest] = snapshots.map(({ id }) => id) as string[]
  const { kept, removed } = plan(snapshots, {}, new Map([[needed as string, 'needed by a test']]))
  expect(kept).toEqual([
    { id: pinned, reason: 'pinned' },
    { id: edit, reason: 'made by a tool call, younger than 90 days' },
    { id: manual, reason: 'taken by hand, younger than 90 days' },
    { id: needed, reason: 'needed by a test' },
    { id: newest, reason: 'newest of the workspace' },
  ])
  expect(removed).toContain(old)
})

test('an old tool call loses its contents and keeps its record', () => {
  const edit = taken(100 * DAY, { source: 'edit', cause: { role: 'change', tool: 'delete' } })
  expect(plan([edit, taken(0)])).toMatchObject({ dropped: [edit.id], removed: [] })
})

test('what a tool call was taken on is kept with it', () => {
  const base = taken(60 * DAY)
  const edit = taken(59 * DAY, { base: base.id, cause: { role: 'change', tool: 'delete' } })
  expect(plan([base, edit, taken(0)]).kept).toContainEqual({ id: base.id, reason: `base of ${edit.id}` })
})

test('the mode "issues" keeps only what something needs', () => {
  const snapshots = [taken(3 * MINUTE, { source: 'manual' }), taken(2 * MINUTE), taken(MINUTE)]
  const [first, , last] = snapshots.map(({ id }) => id) as string[]
  expect(
    plan(snapshots, { mode: 'issues' }, new Map([[first as string, 'needed by an issue']])).kept.map(({ id }) => id),
  ).toEqual([first, last])
})

test('limits take the oldest unlabelled first, and never what is pinned, needed or newest', () => {
  const snapshots = [
    taken(9 * MINUTE, { source: 'manual', label: 'named' }),
    taken(8 * MINUTE, { source: 'manual', pinned: true }),
    taken(7 * MINUTE, { source: 'manual' }),
    taken(6 * MINUTE, { source: 'manual' }),
    taken(0, { source: 'manual' }),
  ]
  const ids = snapshots.map(({ id }) => id)
  expect(plan(snapshots, { max_snapshots: 3 }).kept.map(({ id }) => id)).toEqual([ids[0], ids[1], ids[4]])
  expect(plan(snapshots, { max_snapshots: 1 }).kept.map(({ id }) => id)).toEqual([ids[1], ids[4]])
  expect(plan(snapshots, { max_bytes: 250 }).kept.map(({ id }) => id)).toEqual([ids[1], ids[4]])
})
