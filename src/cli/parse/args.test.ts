import { expect, test } from 'vitest'
import { CATALOGUE } from '../../protocol/catalogue.ts'
import { inputOf, SAMPLES, timewarp } from '../testing.ts'
import { grammarOf } from './grammar.ts'

test('words fill the fields that the verb names, and flags the others', async () => {
  expect(await inputOf('restore', 's_1', 'a.ts', 'docs', '--dry-run')).toEqual({
    snapshot_id: 's_1',
    paths: ['a.ts', 'docs'],
    dry_run: true,
  })
  expect(await inputOf('diff', 'A', 'B', '--format', 'git', '--', '-odd', 'src')).toEqual({
    from: 'A',
    to: 'B',
    format: 'git',
    paths: ['-odd', 'src'],
  })
})

test('a value may look like a flag and may be joined with = or to a letter', async () => {
  expect(await inputOf('snapshot', '-m', '--weird')).toEqual({ label: '--weird' })
  expect(await inputOf('snapshot', '--label', '--json')).toEqual({ label: '--json' })
  expect(await inputOf('snapshot', '--label=a=b')).toEqual({ label: 'a=b' })
  expect(await inputOf('snapshot', '--label=')).toEqual({ label: '' })
  expect(await inputOf('snapshot', '-mx')).toEqual({ label: 'x' })
  expect(await inputOf('log', '-n5')).toEqual({ limit: 5 })
})

test('a boolean is switched on, off, or by its value', async () => {
  expect(await inputOf('snapshot', '--pin')).toEqual({ pin: true })
  expect(await inputOf('snapshot', '--no-pin')).toEqual({ pin: false })
  expect(await inputOf('snapshot', '--pin=false')).toEqual({ pin: false })
  expect(await inputOf('snapshot', '--no-pin=false')).toEqual({ pin: true })
  expect(await inputOf('init', '--no-snapshot')).toEqual({ snapshot: false })
  expect(await inputOf('snapshot', '--pin=maybe')).toBe('Error: --pin takes true or false, not "maybe".')
})

test('a flag that repeats collects, any other is overridden by the last one', async () => {
  expect(await inputOf('log', '--tool-filter', 'Edit', '--tool-filter', 'Bash')).toEqual({
    tool_filter: ['Edit', 'Bash'],
  })
  expect(await inputOf('restore', 'ID', '--path', 'a', '--paths', 'b')).toEqual({
    snapshot_id: 'ID',
    paths: ['a', 'b'],
  })
  expect(await inputOf('log', '-n', '1', '--limit', '2')).toEqual({ limit: 2 })
})

test('a field can be given by flag instead of by word; the words then fill the others', async () => {
  expect(await inputOf('label', '--snapshot-id', 'ID', 'a name')).toEqual({ snapshot_id: 'ID', label: 'a name' })
})

test('what stands behind -- is taken as words where the verb has no tail', async () => {
  expect(await inputOf('cat', 'ID', '--', '--json')).toEqual({ snapshot_id: 'ID', path: '--json' })
})

test('an unknown flag is named, with the one that was probably meant', async () => {
  expect(await inputOf('restore', 'ID', '--dryrun')).toBe('Error: There is no flag --dryrun; did you mean --dry-run?')
  expect(await inputOf('restore', 'ID', '--dry-rnu')).toBe('Error: There is no flag --dry-rnu; did you mean --dry-run?')
  expect((await timewarp(['oops', '--gti'])).err).toContain('did you mean --git?')
  expect(await inputOf('restore', 'ID', '--quickly')).toBe('Error: There is no flag --quickly here.')
  expect(await inputOf('log', '-x')).toBe('Error: There is no flag -x here.')
  expect(await inputOf('--dry-run', 'restore', 'ID')).toBe('Error: There is no flag --dry-run here.')
})

test('the workspace is chosen with -C and with no other flag', async () => {
  expect(await inputOf('status', '--workspace', '/x')).toBe('Error: There is no flag --workspace here.')
  expect(await inputOf('status', '--session-id', 'abc')).toEqual({ session_id: 'abc' })
})

test('a missing, superfluous or unfit word or value is named', async () => {
  expect(await inputOf('show')).toBe('Error: ID is missing: timewarp show ID [FLAGS]')
  expect(await inputOf('label', 'ID')).toBe('Error: LABEL is missing: timewarp label ID LABEL [FLAGS]')
  expect(await inputOf('show', 'A', 'B')).toBe('Error: "B" is one word too many: timewarp show ID [FLAGS]')
  expect(await inputOf('snapshot', '-m')).toBe('Error: -m needs a value.')
  expect(await inputOf('log', '--limit', 'many')).toBe('Error: --limit wants a whole number, not "many".')
  expect(await inputOf('log', '--limit=')).toBe('Error: --limit wants a whole number, not "".')
  expect(await inputOf('log', '--limit', '1.5')).toBe('Error: --limit wants a whole number, not "1.5".')
  expect(await inputOf('diff', 'A', '--format', 'gti')).toBe(
    'Error: --format cannot be "gti", only one of: unified, git, context, json',
  )
})

test('such a mistake exits 2, points to the help of the command and calls nothing', async () => {
  const { screen, calls, opened } = await timewarp(['restore', 'ID', '--dryrun'])
  expect(screen).toMatchInlineSnapshot(`
    "------- stderr -------
    Error: There is no flag --dryrun; did you mean --dry-run?
    Hint: See: timewarp restore --help
    [exit 2]"
  `)
  expect([calls, opened]).toEqual([[], []])
})

test('global flags stand before the verb or behind it', async () => {
  for (const argv of [
    ['-C', 'sub', '--home', '/store', '--no-daemon', 'log', '-n', '3'],
    ['log', '-C', 'sub', '--home=/store', '-n', '3', '--no-daemon'],
    ['-Csub', 'log', '--no-daemon', '-n3', '--home', '/store'],
  ]) {
    const { calls, opened } = await timewarp(argv, { answers: SAMPLES })
    expect(calls[0]).toMatchObject({ input: { workspace: '/place/here/sub', limit: 3 }, cwd: '/place/here' })
    expect(opened).toEqual([{ home: '/store', daemon: false }])
  }
})

test('-C takes a folder from where the caller stands, or the id of a workspace', async () => {
  expect(await inputOf('-C', '/abs', 'log')).toEqual({ workspace: '/abs' })
  expect(await inputOf('-C', '../x', 'log')).toEqual({ workspace: '/place/x' })
  expect(await inputOf('-C', 'w_20260228_150000_000001', 'log')).toEqual({ workspace: 'w_20260228_150000_000001' })
  expect(await inputOf('-C', '', 'log')).toBe('Error: -C needs a folder.')
  expect(await inputOf('log')).toEqual({})
})

test('a flag of the verb goes before a global one of the same name', async () => {
  const { calls, opened } = await timewarp(['--home', '/store', 'config', 'daemon', 'false', '--home'], {
    answers: SAMPLES,
  })
  expect(calls[0]?.input).toEqual({ key: 'daemon', value: 'false', home: true })
  expect(opened[0]?.home).toBe('/store')
})

test('the home comes from the flag, else from TIMEWARP_HOME, else it is ~/.timewarp', async () => {
  const homeWith = async (env: Record<string, string>, ...argv: string[]) => {
    const { opened, err } = await timewarp([...argv, 'log'], { io: { env }, answers: SAMPLES })
    return opened[0]?.home ?? err.split('\n')[0]
  }
  expect(await homeWith({ HOME: '/home/ann', TIMEWARP_HOME: '/env' }, '--home', 'flag')).toBe('/place/here/flag')
  expect(await homeWith({ HOME: '/home/ann', TIMEWARP_HOME: 'env' })).toBe('/place/here/env')
  expect(await homeWith({ HOME: '/home/ann', TIMEWARP_HOME: '' })).toBe('/home/ann/.timewarp')
  expect(await homeWith({})).toBe('Error: There is no place for the store: neither TIMEWARP_HOME nor HOME is set.')
})

test('TIMEWARP_DAEMON=off does the work in the process', async () => {
  const daemonWith = async (value: string) =>
    (await timewarp(['log'], { io: { env: { HOME: '/h', TIMEWARP_DAEMON: value } }, answers: SAMPLES })).opened[0]
      ?.daemon
  expect([await daemonWith('off'), await daemonWith('0'), await daemonWith('on'), await daemonWith('')]).toEqual([
    false,
    false,
    true,
    true,
  ])
})

test('a tool answers to its own name and its aliases, with - or _', async () => {
  for (const word of ['init', 'workspace_init', 'workspace-init'])
    expect((await timewarp([word], { answers: SAMPLES })).calls[0]?.tool).toBe('workspace_init')
  expect((await timewarp(['list'], { answers: SAMPLES })).calls[0]?.tool).toBe('get_edit_history')
})

test('every field of every tool can be typed', async () => {
  for (const { verb, load } of CATALOGUE) {
    const spec = await load()
    const grammar = grammarOf(verb, spec)
    expect(grammar.fields.map((field) => field.name)).toEqual(
      // A list of objects or a value of any shape cannot be typed; `timewarp call` takes it.
      Object.keys(spec.input.shape).filter(
        (n) => n !== 'workspace' && n !== 'tool_input' && n !== 'edits' && n !== 'messages',
      ),
    )
    expect(grammar.words.map((field) => field.name)).toEqual(spec.verb?.words ?? [])
    expect(grammar.tail?.name).toEqual(spec.verb?.tail)
    expect(Object.fromEntries([...grammar.short].map(([key, f]) => [key, f.name]))).toEqual(spec.verb?.short ?? {})
  }
})
