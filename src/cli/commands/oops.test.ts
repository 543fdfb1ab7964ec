import { expect, test } from 'vitest'
import { Fault } from '../../base/fault.ts'
import { type Answers, timewarp } from '../testing.ts'

const DEED = {
  of: 'prompt',
  what: 'prompt:p2',
  prompt_id: 'p2',
  prompt: 'tidy up\nplease',
  session_id: '3ae25b63-7c1e-4b7e-9a55-1f4c6f6c0d1a',
  client: 'claude',
  began_at: '2026-02-28T15:30:12.000Z',
  running: [] as string[],
  before: null as object | null,
  steps: ['./build.sh', './build.sh', 'src/a.ts'].map((title, n) => ({
    snapshot_id: `s_${n}`,
    created_at: '2026-02-28T15:30:12.000Z',
    tool: title.startsWith('.') ? 'Bash' : 'Edit',
    title,
    actor: null,
    affected_files: [`${n}.txt`],
  })),
}
const SHARED = {
  snapshot_id: 's_1',
  certainty: 'shared',
  paths: ['mine.txt'],
  reason: 'changed while ./build.sh ran; you edited it 4 s before',
}

const FILES = [
  { path: 'new.txt', status: 'added' },
  { path: 'a.txt', status: 'modified' },
  { path: 'b.txt', status: 'modified' },
  { path: 'old.txt', status: 'deleted' },
]

/** What the last deed comes to; `left` is taken back only on request. */
const answers = ({
  conflicts = [] as object[],
  left = [] as object[],
  keeps = [] as object[],
  likely = [] as object[],
  affected = ['a.txt'],
  files = FILES as object[],
  deed = DEED as object,
} = {}): Answers => ({
  git_rescue: ({ input }) => ({
    ...{ keeps, total: keeps.length, forgotten: [], freed_bytes: 0, warnings: [], dry_run: false },
    rescued: input.git_id ? { ...RESCUED, git_id: input.git_id } : null,
  }),
  reverse_op: ({ input }) => ({
    message: input.dry_run ? 'Would take it back.' : 'Took it back.',
    reversed: ['s_2', 's_1', 's_0'],
    left_shared: [],
    files,
    likely,
    left: input.include_shared ? [] : left,
    affected_files: input.include_shared ? ['a.txt'] : affected,
    reversed_diff: `the diff${input.include_shared ? ' with what is shared' : ''}\n`,
    hunks: [],
    conflicts,
    deed: input.snapshot_id === 'last' ? deed : null,
    base_id: null,
    new_snapshot_id: input.dry_run ? null : 's_new',
    warnings: [],
    dry_run: input.dry_run === true,
  }),
})

const RESCUED = {
  ...{ action: 'refs', git_dir: '/ws/.git', created: [], restored: [], stashes_restored: ['5'.repeat(40)] },
  ...{ unavailable: [], needs_fetch: [], complete: true, backup_id: null },
}

type Ran = Awaited<ReturnType<typeof timewarp>>
const written = ({ calls }: Ran) =>
  calls
    .filter(({ tool, input }) => tool === 'reverse_op' && input.dry_run !== true)
    .map(({ input }) => `${String(input.snapshot_id)}${input.include_shared ? ' with shared' : ''}`)
const pressing = (keys: string, given = answers()) => {
  const left = keys.split('')
  return timewarp(['oops'], { answers: given, io: { key: async () => left.shift() ?? '\u0003' } })
}

test('in a pipe oops only shows what the prompt did, and says how to go on', async () => {
  const ran = await timewarp(['oops'], { answers: answers({ left: [SHARED] }) })
  expect(written(ran)).toEqual([])
  expect(ran.screen).toMatchInlineSnapshot(`
    "The last prompt that changed files (claude): tidy up
      Bash  ./build.sh
      Edit  src/a.ts
    It added 1 file, changed 2 and deleted 1:
        added    new.txt
        changed  a.txt
        changed  b.txt
        deleted  old.txt
    Would take it back.
    Left alone: changed while ./build.sh ran; you edited it 4 s before
        mine.txt
    Take back what is left alone, too, with: timewarp oops --include-shared
    Nothing was changed. Take it back with: timewarp oops --yes
    [exit 0]"
  `)
})

test('oops --yes takes back what was shown, and on request what is shared', async () => {
  expect(written(await timewarp(['oops', '-y'], { answers: answers() }))).toEqual(['prompt:p2'])
  for (const flag of ['--include-shared', '--all'])
    expect(written(await timewarp(['oops', '-y', flag], { answers: answers() }))).toEqual(['prompt:p2 with shared'])
})

test('on a terminal one key decides; d shows the diff and asks again', async () => {
  const counts = await Promise.all(
    ['y', '\r', 'n', '\u0003', 'x', 'dy'].map(async (keys) => written(await pressing(keys))),
  )
  expect(counts.map(({ length }) => length)).toEqual([1, 1, 0, 0, 0, 1])
  expect((await pressing('dn')).out).toContain('the diff\n')
})

test('a key of its own takes back what is shared, too', async () => {
  const given = answers({ left: [SHARED] })
  expect(written(await pressing('y', given))).toEqual(['prompt:p2'])
  expect(written(await pressing('a', given))).toEqual(['prompt:p2 with shared'])
  expect(written(await pressing('n', given))).toEqual([])
  // Nothing is left alone: then the key means nothing.
  expect(written(await pressing('a'))).toEqual([])
})

test('where all is shared, only a plain yes takes it back', async () => {
  const given = answers({ left: [SHARED], affected: [] })
  expect(written(await pressing('\r', given))).toEqual([])
  expect(written(await pressing('y', given))).toEqual(['prompt:p2 with shared'])
  expect((await pressing('dn', given)).out).toContain('the diff with what is shared\n')
  expect((await timewarp(['oops'], { answers: given })).out).toContain('timewarp oops --yes --include-shared\n')
})

test('each path is listed once, and what is only likely is said to be taken back', async () => {
  const likely = [{ snapshot_id: 's_0', paths: ['a.txt', 'b.txt'], reason: 'changed while ./build.sh ran' }]
  const left = [{ ...SHARED, paths: ['old.txt'] }]
  const { out } = await timewarp(['oops'], { answers: answers({ likely, left }) })
  for (const path of ['a.txt', 'b.txt', 'new.txt', 'old.txt']) expect(out.split(path).length).toBe(2)
  expect(out).toContain('Likely its doing, and so taken back: 2 paths (changed while ./build.sh ran, ')
})

test('many are counted with their thousands apart', async () => {
  const files = Array.from({ length: 20_000 }, (_, n) => ({ path: `f${n}`, status: 'deleted' }))
  const { out } = await timewarp(['oops'], { answers: answers({ files }) })
  expect(out).toContain('It deleted 20,000 files:')
  expect(out).toContain('… and 19,980 more')
})

test('a command that still runs is named, and so is the deed before', async () => {
  const files = [{ path: 'src/1', status: 'deleted' }]
  const deed = {
    ...DEED,
    running: ['./build.sh --watch'],
    before: { of: 'loss', what: 'last:s_9', prompt: null, files },
  }
  const { out } = await timewarp(['oops'], { answers: answers({ deed }) })
  expect(out).toContain('Still running, as far as is known: ./build.sh --watch.')
  expect(out).toContain('1 file was lost: src/1\nBring that back with: timewarp revert last:s_9\n')
})

test('with --json nobody is asked, and one document comes out', async () => {
  const io = { key: () => Promise.reject(new Error('asked')) }
  const shown = await timewarp(['oops', '--json'], { answers: answers(), io })
  expect(JSON.parse(shown.out)).toMatchObject({ of: 'prompt', prompt_id: 'p2', dry_run: true, new_snapshot_id: null })
  const done = await timewarp(['oops', '--json', '--yes'], { answers: answers(), io })
  expect(JSON.parse(done.out)).toMatchObject({
    ...{ of: 'prompt', dry_run: false, new_snapshot_id: 's_new', git: null },
    changes: [{ snapshot_id: 's_2' }, { snapshot_id: 's_1' }, { snapshot_id: 's_0' }],
  })
})

test('what later work stands in the way of is shown, and tells in the exit code', async () => {
  const given = answers({ conflicts: [{ path: 'a b.txt', snapshot_id: 's_7', reason: 'changed since' }] })
  const shown = await timewarp(['oops'], { answers: given })
  expect(shown.out).toContain('Conflict in a b.txt: changed since\n')
  expect(shown.out).toContain("timewarp diff s_7 -- 'a b.txt'\n")
  expect(shown.out).toContain("timewarp revert prompt:p2 --force -- 'a b.txt'\n")
  expect([shown.code, (await timewarp(['oops', '--yes'], { answers: given })).code]).toEqual([4, 4])
})

/** A kept state of git at a minute of the hour, with what is lost since. */
const keepAt = (minute: string, lost: object) => ({
  ...{ git_id: `g_${minute}`, created_at: `2026-02-28T15:${minute}:00.000Z`, why: 'x', git_dir: '/ws/.git' },
  ...{ head: null, branch: null, refs: 1, stashes: 1, submodules: 0, bytes: 1, stored_bytes: 1, problems: [] },
  lost: { git_dir_gone: false, refs: [], stashes: [], commits: [], ...lost },
})
const STASH = { id: '5'.repeat(40), message: 'WIP', object: 'loose' }
const BRANCH = { ref: 'refs/heads/main', id: 'a'.repeat(40), now: 'b'.repeat(40), status: 'rewritten', object: 'loose' }

test('what git lost since is told, and --git brings it back from the state before the deed', async () => {
  const keeps = [
    keepAt('32', { stashes: [STASH] }),
    keepAt('29', { refs: [BRANCH], stashes: [STASH] }),
    keepAt('01', { refs: [{ ...BRANCH, ref: 'refs/heads/long-gone' }] }),
  ]
  const shown = await timewarp(['oops', '--yes'], { answers: answers({ keeps }) })
  expect(shown.out).toContain(
    'Git was hit, too:\n    refs/heads/main is rewritten: aaaaaaaaaa → bbbbbbbbbb\n    stash 5555555555 is dropped: WIP\n',
  )
  expect(shown.out).toContain('timewarp git-rescue g_29 --restore-refs\n')
  const rescues = ({ calls }: Ran) => calls.filter(({ tool, input }) => tool === 'git_rescue' && input.git_id)
  expect(rescues(shown)).toEqual([])
  const done = await timewarp(['oops', '--yes', '--git'], { answers: answers({ keeps }) })
  expect(rescues(done).map(({ input }) => [input.git_id, input.restore_refs])).toEqual([['g_29', true]])
  expect(done.out).toContain('Put back 1 stash.')
})

test('without a file to take back, oops still says what git lost', async () => {
  const given: Answers = {
    ...answers({ keeps: [keepAt('29', { git_dir_gone: true })] }),
    reverse_op: () => {
      throw new Fault('NOTHING_TO_REVERT', { why: 'all is back' })
    },
  }
  expect((await timewarp(['oops'], { answers: given })).screen).toMatchInlineSnapshot(`
    "No file is to be taken back.
    Git was hit, too:
        /ws/.git is gone
    Bring git back, too, with: timewarp oops --git; alone with: timewarp git-rescue g_29
    [exit 3]"
  `)
  const { code, err } = await timewarp(['oops'], {
    answers: { ...given, ...{ git_rescue: answers().git_rescue ?? {} } },
  })
  expect([code, err]).toEqual([3, expect.stringContaining('nothing to take back')])
})
