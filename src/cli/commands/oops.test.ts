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
  hits = [] as object[],
} = {}): Answers => ({
  git_rescue: ({ input }) => ({
    keeps,
    hits,
    missing: [],
    proposals: [],
    total: keeps.length,
    forgotten: [],
    freed_bytes: 0,
    warnings: [],
    dry_run: false,
    rescued: input.git_id || input.of ? { ...RESCUED, git_id: input.git_id ?? 'g_of' } : null,
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
  action: 'refs',
  git_dir: '/ws/.git',
  created: [],
  restored: [],
  stashes_restored: ['5'.repeat(40)],
  head: null,
  index: 'same',
  left: [],
  unavailable: [],
  needs_fetch: [],
  complete: true,
  backup_id: null,
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
    of: 'prompt',
    dry_run: false,
    new_snapshot_id: 's_new',
    git: null,
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
  git_id: `g_${minute}`,
  created_at: `2026-02-28T15:${minute}:00.000Z`,
  why: 'x',
  git_dir: '/ws/.git',
  head: null,
  branch: null,
  refs: 1,
  stashes: 1,
  submodules: 0,
  bytes: 1,
  stored_bytes: 1,
  problems: [],
  lost: { git_dir_gone: false, gone: null, refs: [], stashes: [], commits: [], ...lost },
})
const STASH = { id: '5'.repeat(40), message: 'WIP', object: 'loose' }
const BRANCH = { ref: 'refs/heads/main', id: 'a'.repeat(40), now: 'b'.repeat(40), status: 'rewritten', object: 'loose' }

/** What a prompt did to git, as it is told. */
const hitAt = (minute: string, of: string, more: object) => ({
  of,
  prompt: 'tidy up',
  client: 'claude',
  session_id: 'x',
  git_dir_gone: false,
  refs: [],
  stashes: [],
  head: null,
  calls: [{ call_id: 'c', tool: 'Bash', title: 'git reset --soft HEAD~1' }],
  index: 'same',
  left: [],
  began_at: `2026-02-28T15:${minute}:00.000Z`,
  ended_at: `2026-02-28T15:${minute}:01.000Z`,
  git_id: `g_${minute}`,
  kept_at: `2026-02-28T15:${minute}:00.000Z`,
  command: `timewarp git-rescue --of ${of}`,
  ...more,
})
const KEEPS = [keepAt('32', { stashes: [STASH] }), keepAt('29', { refs: [BRANCH], stashes: [STASH] })]
const rescues = ({ calls }: Ran) =>
  calls.flatMap(({ tool, input }) =>
    tool === 'git_rescue' && (input.git_id || input.of)
      ? [`${String(input.of ?? input.git_id)}${input.dry_run ? ' tried' : ''}`]
      : [],
  )

test('what the prompt did to git is told, and --git takes it back; what another did is not', async () => {
  const hits = [
    hitAt('29', 'prompt:p2', { refs: [BRANCH], stashes: [STASH] }),
    hitAt('01', 'prompt:p0', { refs: [BRANCH] }),
  ]
  const shown = await timewarp(['oops', '--yes'], { answers: answers({ keeps: KEEPS, hits }) })
  expect(shown.out).toContain(
    'Git was hit, too:\n    refs/heads/main is rewritten: aaaaaaaaaa → bbbbbbbbbb\n    stash 5555555555 is dropped: WIP\n',
  )
  expect(shown.out).toContain('timewarp git-rescue --of prompt:p2 (the state kept at 2026-02-28 15:29:00 UTC, g_29)\n')
  expect(rescues(shown)).toEqual([])
  const done = await timewarp(['oops', '--yes', '--git'], { answers: answers({ keeps: KEEPS, hits }) })
  expect(rescues(done)).toEqual(['prompt:p2 tried', 'prompt:p2'])
  expect(done.out).toContain('Put back 1 stash.')
  expect(done.out).toContain('Git goes back to the state kept at 2026-02-28 15:29:00 UTC, g_29\n')
  const other = { answers: answers({ keeps: KEEPS, hits: hits.slice(1) }) }
  expect((await timewarp(['oops', '--yes'], other)).out).not.toContain('Git was hit')
})

test('a later prompt that changed git alone is what happened last', async () => {
  const given = answers({ keeps: KEEPS, hits: [hitAt('40', 'prompt:p3', { refs: [BRANCH] })] })
  const shown = await timewarp(['oops'], { answers: given })
  expect([written(shown), rescues(shown), shown.code]).toEqual([[], [], 3])
  expect(shown.out).toMatch(
    /^The last prompt \(claude\): tidy up\n {2}Bash {2}git reset --soft HEAD~1\nIt changed no file/,
  )
  expect(shown.out).toContain(
    'Bring git back with: timewarp oops --git --yes (the state kept at 2026-02-28 15:40:00 UTC, g_40)',
  )
  expect(rescues(await timewarp(['oops', '--yes', '--git'], { answers: given }))).toEqual(['prompt:p3'])
  const asked = await timewarp(['oops'], { answers: given, io: { key: async () => 'y' } })
  expect([written(asked), rescues(asked)]).toEqual([[], ['prompt:p3']])
})

test('on a terminal a key of its own decides about git', async () => {
  const given = answers({ keeps: KEEPS, hits: [hitAt('29', 'prompt:p2', { refs: [BRANCH] })] })
  const keys = await Promise.all(['yy', 'yn', 'ny'].map((pressed) => pressing(pressed, given)))
  expect(keys.map((ran) => [written(ran).length, rescues(ran)])).toEqual([
    [1, ['prompt:p2 tried', 'prompt:p2']],
    [1, []],
    [0, []],
  ])
})

test('what git refuses afterwards does not hide that the files are back', async () => {
  const given = answers({ keeps: KEEPS, hits: [hitAt('29', 'prompt:p2', { refs: [BRANCH] })] })
  const refusing: Answers = {
    ...given,
    git_rescue: (asked) => {
      if (asked.input.of && !asked.input.dry_run) throw new Fault('GIT_LOCKED', { path: '/ws/.git/index.lock' })
      return (given.git_rescue as (it: typeof asked) => object)(asked)
    },
  }
  const ran = await timewarp(['oops', '--yes', '--git'], { answers: refusing })
  expect([ran.code, ran.out, ran.err]).toEqual([
    4,
    expect.stringContaining('Took it back.\nSnapshot: s_new\nUndo with: timewarp undo'),
    expect.stringContaining('its lock /ws/.git/index.lock is there'),
  ])
  const json = await timewarp(['oops', '--yes', '--git', '--json'], { answers: refusing })
  expect([json.code, JSON.parse(json.out)]).toEqual([
    4,
    expect.objectContaining({ new_snapshot_id: 's_new', error: expect.objectContaining({ code: 'GIT_LOCKED' }) }),
  ])
})

test('without a file to take back, oops still says what git lost', async () => {
  const given: Answers = {
    ...answers({ keeps: [keepAt('29', { git_dir_gone: true, gone: '/ws/.git' })] }),
    reverse_op: () => {
      throw new Fault('NOTHING_TO_REVERT', { why: 'all is back' })
    },
  }
  expect((await timewarp(['oops'], { answers: given })).screen).toMatchInlineSnapshot(`
    "No file is to be taken back.
    Git was hit, too:
        /ws/.git is gone
    Bring git back with: timewarp oops --git --yes (the state kept at 2026-02-28 15:29:00 UTC, g_29)
    [exit 3]"
  `)
  const { code, err } = await timewarp(['oops'], {
    answers: { ...given, git_rescue: answers().git_rescue ?? {} },
  })
  expect([code, err]).toEqual([3, expect.stringContaining('nothing to take back')])
})
