import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { Fault } from '../base/fault.ts'
import { CATALOGUE } from '../protocol/catalogue.ts'
import { allTopics } from './output/help.ts'
import { READERS } from './parse/readers.ts'
import { SAMPLES, timewarp } from './testing.ts'

test('tools --json lists the catalogue with schemas and faults', async () => {
  const { tools } = JSON.parse((await timewarp(['tools', '--json'])).out)
  expect(tools.map((tool: { name: string }) => tool.name)).toEqual(CATALOGUE.map((entry) => entry.tool))
  const list = tools.find((tool: { name: string }) => tool.name === 'get_edit_history')
  expect(Object.keys(list)).toEqual([
    'name',
    'verb',
    'summary',
    'effect',
    'asks',
    'asks_when',
    'reaches',
    'idempotent',
    'group',
    'aliases',
    'input_schema',
    'output_schema',
    'faults',
  ])
  expect(list).toMatchObject({ verb: 'log', effect: 'read', aliases: ['list', 'GetEditHistory'] })
  expect(list.input_schema.properties.limit).toMatchObject({ type: 'integer', default: 20, maximum: 100 })
  expect(list.input_schema.required ?? []).toEqual([])
  expect(list.output_schema.required).toEqual(['snapshots', 'prompts', 'pagination'])
  expect(list.faults).toContain('BAD_INPUT')
})

test('tools without --json is a table', async () => {
  expect((await timewarp(['tools'])).out).toMatch(/^workspace_init +write +Make a folder a workspace/)
})

test('call gives a tool its JSON and prints JSON', async () => {
  const { out, calls } = await timewarp(['call', 'pin', '{"snapshot_id":"s_1"}'], { answers: SAMPLES })
  expect(JSON.parse(out)).toEqual(SAMPLES.pin)
  expect(calls[0]).toMatchObject({ tool: 'pin', input: { snapshot_id: 's_1' } })
})

test('call reads standard input for -, and takes nothing for an empty object', async () => {
  const { calls } = await timewarp(['call', 'pin', '-'], { answers: SAMPLES, stdin: '\ufeff{"snapshot_id": "s_2"}\n' })
  expect(calls[0]?.input).toEqual({ snapshot_id: 's_2' })
  expect((await timewarp(['call', 'get_edit_history'], { answers: SAMPLES })).calls[0]?.input).toEqual({})
})

test('call passes the workspace of -C on, unless the input names one', async () => {
  const workspace = async (json: string) => (await timewarp(['-C', '/x', 'call', 'gc', json])).calls[0]?.input
  expect(await workspace('{}')).toEqual({ workspace: '/x' })
  expect(await workspace('{"workspace":"/y"}')).toEqual({ workspace: '/y' })
})

test('call has the exit code of the tool', async () => {
  expect((await timewarp(['call', 'fsck'], { answers: SAMPLES })).code).toBe(20)
})

test('call says where its input is not JSON, as JSON', async () => {
  expect((await timewarp(['call', 'pin', '{"snapshot_id":}'])).screen).toMatchInlineSnapshot(`
    "{"error":{"code":"BAD_INPUT","message":"The input is not JSON at position 15 (line 1 column 16): value expected.","hint":"See: timewarp call --help","data":{"problem":"The input is not JSON at position 15 (line 1 column 16): value expected.","command":"call"}}}
    [exit 2]"
  `)
  const problem = async (text: string) => JSON.parse((await timewarp(['call', 'pin', text])).out).error.message
  expect(await problem('{"a":1')).toMatch(/at position 6 /)
  expect(await problem('')).toMatch(/at position 0 /)
  expect(await problem('{\n  "a": tru,\n}')).toMatch(/at position 9 \(line 2 column 8\)/)
  expect(await problem("{'a': 1}")).toMatch(/at position 1 /)
  expect(await problem('{} x')).toMatch(/at position 3 /)
  expect(await problem('[1]')).toMatchInlineSnapshot(
    `"The input of a tool is a JSON object, such as '{"label":"before"}'."`,
  )
  const { out } = await timewarp(['call', 'pin', '-'], { stdin: Uint8Array.of(0x22, 0xff, 0x22) })
  expect(JSON.parse(out).error.message).toBe('The input is not UTF-8.')
})

test('call without a name, and with a flag that does not exist, fails in JSON', async () => {
  expect(JSON.parse((await timewarp(['call'])).out).error).toMatchObject({
    code: 'BAD_INPUT',
    data: { command: 'call' },
  })
  expect(JSON.parse((await timewarp(['call', '--x'])).out).error.code).toBe('BAD_INPUT')
})

test('a fault of the called tool is JSON with its exit code', async () => {
  const gc = () => {
    throw new Fault('STORE_BUSY', { path: '/s' })
  }
  const { out, err, code } = await timewarp(['call', 'gc'], { answers: { gc } })
  expect([JSON.parse(out).error.code, err, code]).toEqual(['STORE_BUSY', '', 5])
})

test('up starts a workspace and tells what to do next', async () => {
  const { screen, calls } = await timewarp(['up'], { answers: SAMPLES })
  expect(calls[0]).toMatchObject({ tool: 'workspace_init', input: { workspace: '/place/here' } })
  expect(screen).toMatchInlineSnapshot(`
    "Workspace  /place/here
    Snapshot   s_20260228_150000_000002
    Left out   build/ (2 files, 31 B); see timewarp status
    Git        no repository
    Retention  everything is kept until timewarp prune
    Store      /home/ann/.timewarp (not encrypted; nobody else may enter it)
    Daemon     none: commands do the work themselves
    Guarded    nothing yet: a snapshot is taken when you ask for one

    Next:
      timewarp guard install claude                  record every tool call of an agent; also opencode, codex, gemini
      timewarp snapshot -m "before the refactoring"  keep this moment
      timewarp status                                what changed since, and what is not captured
      timewarp log                                   all moments, the newest first
      timewarp diff ID                               what a moment and the present have different
      timewarp restore ID --dry-run                  what going back would do
      timewarp undo                                  take the last step back
      timewarp oops                                  take back what the last prompt did, or what was just lost
    [exit 0]"
  `)
})

test('up takes a folder, from -C if there is one', async () => {
  const folder = async (...argv: string[]) => (await timewarp(argv, { answers: SAMPLES })).calls[0]?.input.workspace
  expect(await folder('up', 'sub')).toBe('/place/here/sub')
  expect(await folder('-C', '/x', 'up')).toBe('/x')
  expect(await folder('-C', '/x', 'up', 'sub')).toBe('/x/sub')
})

test('up --json tells the workspace, the store and what is guarded', async () => {
  expect(JSON.parse((await timewarp(['up', '--json'], { answers: SAMPLES })).out)).toEqual({
    workspace_id: 'w_20260228_150000_000001',
    root: '/place/here',
    home: '/home/ann/.timewarp',
    snapshot_id: 's_20260228_150000_000002',
    left_out: [{ path: 'build', folder: true, bytes: 31, files: 2, complete: true }],
    git: { state: 'none', git_id: null, refs: 0, stashes: 0, bytes: 0, problem: null },
    retention: 'everything is kept until timewarp prune',
    daemon: null,
    guarded: [],
  })
})

test.for(['bash', 'zsh'])('the completion script for %s lists every verb', async (shell) => {
  const { out } = await timewarp(['completion', shell])
  for (const { verb } of CATALOGUE) expect(out).toMatch(new RegExp(`\\b${verb}\\b`))
})

test('the completion script for bash completes the command, also behind -C, and leaves files alone', async () => {
  const { out } = await timewarp(['completion', 'bash'])
  const complete = (...words: string[]) =>
    spawnSync(
      'bash',
      [
        '-c',
        `${out}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _timewarp; echo "\${COMPREPLY[@]}"`,
        '-',
        'timewarp',
        ...words,
      ],
      {
        encoding: 'utf8',
      },
    ).stdout.trim()
  expect(complete('res')).toBe('restore')
  expect(complete('-C', 'dir', '--json', 'un')).toBe('undo unpin uninstall')
  expect(complete('restore', 'un')).toBe('')
  expect(complete('-C', 'un')).toBe('')
})

test('a shell without a script is a usage fault', async () => {
  expect((await timewarp(['completion', 'fish'])).screen).toMatchInlineSnapshot(`
    "------- stderr -------
    Error: SHELL cannot be "fish", only one of: bash, zsh
    Hint: See: timewarp completion --help
    [exit 2]"
  `)
})

test('the client knows every command that reads standard input', async () => {
  const topics = await allTopics()
  const readers = topics.filter(({ about }) => about.verb?.stdin !== undefined).map(({ word }) => word)
  expect(['call', ...readers].sort()).toEqual([...READERS])
})
