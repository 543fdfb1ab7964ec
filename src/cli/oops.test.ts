import { expect, test } from 'vitest'
import { type Answers, timewarp } from './testing.ts'

interface Made {
  readonly id: string
  readonly prompt?: string
  readonly session?: string
  readonly role?: string
  readonly act?: string
  readonly base?: null
}

/** A history, the newest first; what has been taken back has nothing left to take back. */
function history(made: readonly Made[], conflicts: readonly object[] = []): Answers {
  const gone = new Set<string>()
  return {
    get_edit_history: {
      snapshots: made.map(({ id }) => ({ snapshot_id: id, stats: { changed_files: 1 } })),
      pagination: { total: made.length, has_more: false, next_cursor: null },
    },
    show: ({ input }) => detailOf(made.find(({ id }) => id === input.snapshot_id) as Made),
    reverse_op: ({ input }) => {
      const ids = String(input.snapshot_id).split(',')
      const left = ids.filter((id) => !gone.has(id))
      const writes = input.dry_run !== true && conflicts.length === 0
      if (writes) for (const id of left) gone.add(id)
      return {
        message: `${writes ? 'Took' : 'Would take'} back ${left.length}.`,
        reversed: ids,
        left_shared: [],
        hunks: [],
        affected_files: left.map((id) => `${id}.txt`),
        reversed_diff: '',
        conflicts,
        base_id: null,
        new_snapshot_id: writes ? 's_new' : null,
        warnings: [],
        dry_run: input.dry_run === true,
      }
    },
  }
}

const detailOf = ({ id, prompt, session, role = 'change', act, base }: Made) => ({
  snapshot_id: id,
  created_at: '2026-02-28T15:30:12.000Z',
  session_id: session ?? null,
  source: 'edit',
  base: base === null ? null : 's_0',
  content: 'kept',
  cause: { role, tool: 'edit', ...(prompt ? { prompt_id: prompt } : {}), ...(act ? { act } : {}) },
  affected_files: [`${id}.txt`],
})

const PROMPTS: readonly Made[] = [
  { id: 's_9' },
  { id: 's_8', role: 'act', act: 'undo' },
  { id: 's_7', prompt: 'p2', session: 'a' },
  { id: 's_6', session: 'b' },
  { id: 's_5', prompt: 'p2', session: 'a' },
  { id: 's_4', prompt: 'p1', session: 'a' },
  { id: 's_1', base: null },
]
const taken = ({ calls }: { calls: readonly { tool: string; input: Record<string, unknown> }[] }) =>
  calls
    .filter(({ tool, input }) => tool === 'reverse_op' && input.dry_run !== true)
    .map(({ input }) => input.snapshot_id)

test('in a pipe oops only shows, and says how to go on', async () => {
  const ran = await timewarp(['oops'], { answers: history(PROMPTS) })
  expect(taken(ran)).toEqual([])
  expect(ran.screen).toMatchInlineSnapshot(`
    "The last prompt changed 2 paths in 2 steps:
      s_7  edit  edit  1 path
      s_5  edit  edit  1 path
        s_7.txt
        s_5.txt
    Would take back 2.
    Nothing was changed. Take it back with: timewarp oops --yes
    [exit 0]"
  `)
})

test('oops --yes takes back all of the last prompt, and next time the one before', async () => {
  const answers = history(PROMPTS)
  expect(taken(await timewarp(['oops', '--yes'], { answers }))).toEqual(['s_7,s_5'])
  expect(taken(await timewarp(['oops', '--yes'], { answers }))).toEqual(['s_4'])
  expect(taken(await timewarp(['oops', '--yes'], { answers }))).toEqual(['s_6'])
  expect(taken(await timewarp(['oops', '--yes'], { answers }))).toEqual(['s_9'])
  const { code, err } = await timewarp(['oops', '--yes'], { answers })
  expect([code, err]).toEqual([3, expect.stringContaining('nothing to take back')])
})

test('without prompts it is the last run of the newest session, without sessions the newest change', async () => {
  const run = [{ id: 's_5' }, { id: 's_4', session: 'a' }, { id: 's_3', session: 'a' }, { id: 's_2', session: 'b' }]
  expect(taken(await timewarp(['oops', '-y'], { answers: history(run) }))).toEqual(['s_4,s_3'])
  expect(taken(await timewarp(['oops', '-y'], { answers: history([{ id: 's_5' }, { id: 's_4' }]) }))).toEqual(['s_5'])
})

test('on a terminal one key decides', async () => {
  const pressing = async (key: string) =>
    taken(await timewarp(['oops'], { answers: history(PROMPTS), io: { key: async () => key } })).length
  expect(await Promise.all(['y', '\r', 'n', '\u0003', 'x'].map(pressing))).toEqual([1, 1, 0, 0, 0])
})

test('with --json nobody is asked, and one document comes out', async () => {
  const io = { key: () => Promise.reject(new Error('asked')) }
  const shown = await timewarp(['oops', '--json'], { answers: history(PROMPTS), io })
  expect(JSON.parse(shown.out)).toMatchObject({ of: 'prompt', prompt_id: 'p2', dry_run: true, new_snapshot_id: null })
  const done = await timewarp(['oops', '--json', '--yes'], { answers: history(PROMPTS), io })
  expect(JSON.parse(done.out)).toMatchObject({ of: 'prompt', dry_run: false, new_snapshot_id: 's_new' })
})

test('where later work stands in the way nobody is asked, and --yes writes nothing', async () => {
  const answers = history(PROMPTS, [{ path: 's_7.txt', snapshot_id: 's_7', reason: 'changed since' }])
  const asked = { key: () => Promise.reject(new Error('asked')) }
  expect((await timewarp(['oops'], { answers, io: asked })).out).toContain('Conflict in s_7.txt: changed since')
  expect((await timewarp(['oops', '--yes'], { answers })).code).toBe(4)
})
