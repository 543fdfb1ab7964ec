import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { App } from '../../src/app/app.ts'
import { realClock } from '../../src/host/clock.ts'
import { recordedPath as rel } from '../../src/schema/path.ts'
import { callTool } from '../../src/tools/call.ts'
import { Agent, guarded, story } from './kit.ts'

test('a session begins with a snapshot that bears its name', async () => {
  const { workspace, agent } = await guarded()
  const { snapshots } = await workspace.call('get_edit_history', {})
  expect(snapshots).toMatchObject([{ label: 'claude-session-start', source: 'claude-guard' }])
  const again = await agent.tell('session_start')
  expect(again).toMatchObject({ covered: true, session_id: 'sess_one', note: expect.stringContaining('timewarp undo') })
})

test('an edit is attributed by its path; what somebody else changed meanwhile is theirs', async () => {
  const { workspace, agent } = await guarded()
  await agent.tell('prompt', { prompt_id: 'p1', prompt: 'Change a' })
  const { call_id } = await agent.edit('a.txt', () => workspace.write({ 'a.txt': 'agent\n', 'b.txt': 'person\n' }))
  const [first, others, own] = await story(workspace)
  expect(first?.label).toBe('claude-session-start')
  expect(others).toMatchObject({ files: ['b.txt'], cause: { role: 'change' } })
  expect(others?.cause.session_id).toBeUndefined()
  expect(own).toMatchObject({
    files: ['a.txt'],
    source: 'claude-guard',
    cause: { tool: 'Edit', session_id: 'sess_one', call_id, prompt_id: 'p1', tool_input: { file_path: 'a.txt' } },
  })
})

test('the draft of an edit that somebody’s look came upon is the edit’s, and nothing else beside its file is', async () => {
  const { workspace, agent } = await guarded()
  const edit = { call_id: 'e', tool: 'Write', kind: 'edit', paths: ['d/a.txt'] }
  await agent.tell('call_start', edit)
  workspace.write({ 'd/a.txt.tmp.77.c0ffee': 'agent\n', 'd/a.txt.tmpl': 'person\n', 'd/a.txt.tmp.d/x': 'person\n' })
  await workspace.snapshot()
  fs.renameSync(join(workspace.root, 'd/a.txt.tmp.77.c0ffee'), join(workspace.root, 'd/a.txt'))
  await agent.tell('call_end', edit)
  const told = (await story(workspace)).slice(1).map(({ files, cause }) => [files, cause.call_id])
  expect(told).toEqual([
    [['d/a.txt.tmp.d/x', 'd/a.txt.tmpl'], undefined],
    [['d/a.txt.tmp.77.c0ffee'], 'e'],
    [['d/a.txt', 'd/a.txt.tmp.77.c0ffee'], 'e'],
  ])
})

test('who names a path wins over an edit whose draft it may be', async () => {
  const { workspace, agent } = await guarded()
  const other = new Agent(workspace, 'sess_two')
  await other.tell('session_start')
  const edit = { call_id: 'e', tool: 'Write', kind: 'edit', paths: ['a.txt'] }
  const theirs = { call_id: 't', tool: 'Write', kind: 'edit', paths: ['a.txt.tmp'] }
  const shell = { call_id: 's', tool: 'Bash', kind: 'shell', command: 'touch a.txt.tmp.1' }
  await agent.tell('call_start', edit)
  await other.tell('call_start', theirs)
  await other.tell('call_start', shell)
  workspace.write({ 'a.txt.tmp': 'theirs\n', 'a.txt.tmp.1': 'theirs\n' })
  await workspace.snapshot()
  const told = (await story(workspace)).slice(1).map(({ files, cause }) => [files, cause.call_id])
  expect(told).toContainEqual([['a.txt.tmp'], 't'])
  expect(told).toContainEqual([['a.txt.tmp.1'], 's'])
})

test('a draft that any command might have written is the edit’s', async () => {
  const { workspace, agent } = await guarded()
  const other = new Agent(workspace, 'sess_two')
  await other.tell('session_start')
  await agent.tell('call_start', { call_id: 'e', tool: 'Write', kind: 'edit', paths: ['a.txt'] })
  await other.tell('call_start', { call_id: 't', tool: 'Bash', kind: 'shell', command: './build.sh' })
  workspace.write({ 'a.txt.tmp.77.c0ffee': 'agent\n' })
  await workspace.snapshot()
  const [, own] = await story(workspace)
  expect(own).toMatchObject({ files: ['a.txt.tmp.77.c0ffee'], cause: { call_id: 'e' } })
})

test('what changed before a call is somebody else’s', async () => {
  const { workspace, agent } = await guarded()
  workspace.write({ 'b.txt': 'person\n' })
  await agent.edit('a.txt', () => workspace.write({ 'a.txt': 'agent\n' }))
  const [, before, own] = await story(workspace)
  expect(before).toMatchObject({ files: ['b.txt'], label: 'claude-pre-Edit', cause: { role: 'change' } })
  expect(before?.cause.session_id).toBeUndefined()
  expect(own).toMatchObject({ files: ['a.txt'], cause: { session_id: 'sess_one' } })
})

test('a new folder belongs to whoever made the file in it', async () => {
  const { workspace, agent } = await guarded()
  await agent.edit('new/deep/x.txt', () => workspace.write({ 'new/deep/x.txt': 'x\n' }))
  const told = await story(workspace)
  expect(told.slice(1)).toMatchObject([{ cause: { tool: 'Edit', session_id: 'sess_one' } }])
})

test('calls that overlap in one session each get their own file, whoever ends first', async () => {
  const { workspace, agent } = await guarded()
  const [one, two] = [
    { call_id: 'c1', tool: 'Edit', kind: 'edit', paths: ['a.txt'] },
    { call_id: 'c2', tool: 'Edit', kind: 'edit', paths: ['b.txt'] },
  ]
  await agent.tell('call_start', one)
  await agent.tell('call_start', two)
  workspace.write({ 'a.txt': 'one\n', 'b.txt': 'two\n' })
  await agent.tell('call_end', two)
  await agent.tell('call_end', one)
  const told = (await story(workspace)).slice(1).map(({ files, cause }) => [files, cause.call_id])
  expect(told).toEqual([
    [['a.txt'], 'c1'],
    [['b.txt'], 'c2'],
  ])
})

test('commands of two sessions that overlap are marked as shared, with both as candidates', async () => {
  const { workspace, agent } = await guarded()
  const other = new Agent(workspace, 'sess_two')
  await other.tell('session_start')
  const mine = { call_id: 'm', tool: 'Bash', kind: 'shell', command: './one.sh' }
  const theirs = { call_id: 't', tool: 'Bash', kind: 'shell', command: './two.sh' }
  await agent.tell('call_start', mine)
  await other.tell('call_start', theirs)
  workspace.write({ 'a.txt': 'somebody\n' })
  await agent.tell('call_end', mine)
  workspace.write({ 'b.txt': 'the other one\n' })
  await other.tell('call_end', theirs)
  const [, shared, own] = await story(workspace)
  expect(shared).toMatchObject({
    files: ['a.txt'],
    cause: {
      certainty: 'shared',
      shared: [
        { session_id: 'sess_one', call_id: 'm' },
        { session_id: 'sess_two', call_id: 't' },
      ],
    },
  })
  expect(shared?.cause.session_id).toBeUndefined()
  expect(own).toMatchObject({ files: ['b.txt'], cause: { session_id: 'sess_two', call_id: 't' } })
})

test('an edit in one session is not shared with a command of another', async () => {
  const { workspace, agent } = await guarded()
  const other = new Agent(workspace, 'sess_two')
  await other.tell('session_start')
  const theirs = { call_id: 't', tool: 'Bash', kind: 'shell', command: './two.sh' }
  await other.tell('call_start', theirs)
  await agent.edit('a.txt', () => workspace.write({ 'a.txt': 'mine\n' }))
  await other.tell('call_end', theirs)
  expect((await story(workspace)).slice(1)).toMatchObject([
    { files: ['a.txt'], cause: { session_id: 'sess_one', tool: 'Edit' } },
  ])
})

test('a file that a person was at a moment ago is shared with a command that may touch anything', async () => {
  const { workspace, agent } = await guarded()
  workspace.write({ 'b.txt': 'person\n' })
  await agent.shell('./build.sh', () => workspace.write({ 'b.txt': 'who?\n' }))
  const told = await story(workspace)
  expect(told.at(-1)).toMatchObject({
    files: ['b.txt'],
    cause: { shared: [{ session_id: 'sess_one' }, { session_id: null, call_id: null }] },
  })
})

test('a command in the background keeps its interval until it is told to have ended', async () => {
  const { workspace, agent } = await guarded()
  const call = { call_id: 'bg', tool: 'Bash', kind: 'shell', command: './slow.sh' }
  await agent.tell('call_start', call)
  await agent.tell('call_end', { ...call, background: true })
  await agent.edit('a.txt', () => workspace.write({ 'a.txt': 'mine\n', 'b.txt': 'slow\n' }))
  await agent.tell('background_end', { call_id: 'bg' })
  workspace.write({ 'c.txt': 'person\n' })
  await agent.tell('turn_end')
  const told = (await story(workspace)).slice(1)
  expect(told).toMatchObject([
    { files: ['b.txt'], cause: { shared: [{ call_id: 'bg' }, { session_id: null }] } },
    { files: ['a.txt'], cause: { session_id: 'sess_one', tool: 'Edit' } },
    { files: ['c.txt'], cause: { role: 'change' } },
  ])
  expect(told[2]?.cause.session_id).toBeUndefined()
})

test('a call without an end is ended by the next prompt, and gets what it did', async () => {
  const { workspace, agent } = await guarded()
  await agent.tell('call_start', { call_id: 'cut', tool: 'Edit', kind: 'edit', paths: ['a.txt'] })
  workspace.write({ 'a.txt': 'half\n' })
  await agent.tell('prompt', { prompt_id: 'p2', prompt: 'Go on' })
  workspace.write({ 'a.txt': 'person\n' })
  await agent.tell('turn_end')
  const told = (await story(workspace)).slice(1)
  expect(told[0]).toMatchObject({ files: ['a.txt'], cause: { call_id: 'cut', session_id: 'sess_one' } })
  expect(told[1]?.cause.session_id).toBeUndefined()
})

test('whoever else looks while a call is under way finds its work, and says whose it is', async () => {
  const { workspace, agent } = await guarded()
  const call = { call_id: 'c', tool: 'Edit', kind: 'edit', paths: ['a.txt'] }
  await agent.tell('call_start', call)
  workspace.write({ 'a.txt': 'mine\n' })
  await workspace.call('snapshot', {})
  await agent.tell('call_end', call)
  expect((await story(workspace)).slice(1)).toMatchObject([{ files: ['a.txt'], cause: { call_id: 'c' } }])
})

test('a failing call is named as such, also when it changed nothing', async () => {
  const { workspace, agent } = await guarded()
  await agent.shell('./fails.sh', () => {}, { failed: true })
  await agent.edit('a.txt', () => workspace.write({ 'a.txt': 'half\n' }), { failed: true })
  const { snapshots } = await workspace.call('get_edit_history', {})
  expect(snapshots.map(({ label }) => label)).toEqual([
    'claude-error',
    'claude-error',
    'claude-pre-Bash: ./fails.sh',
    'claude-session-start',
  ])
})

test('a call without an id is paired with the newest of its tool', async () => {
  const { workspace, agent } = await guarded()
  const call = { tool: 'replace', kind: 'edit', paths: ['a.txt'] }
  await agent.tell('call_start', call)
  workspace.write({ 'a.txt': 'mine\n' })
  await agent.tell('call_end', call)
  workspace.write({ 'a.txt': 'person\n' })
  await agent.tell('turn_end')
  const [, own, others] = await story(workspace)
  expect(own).toMatchObject({ cause: { tool: 'replace', session_id: 'sess_one' } })
  expect(others?.cause.session_id).toBeUndefined()
})

test('a call that was over some time ago is not given what a person has done since', async () => {
  const { workspace, agent } = await guarded()
  const denied = { call_id: 'd', tool: 'Edit', kind: 'edit', paths: ['a.txt'] }
  await agent.tell('call_start', denied)
  workspace.write({ 'a.txt': 'by hand\n' })
  await agent.tell('calls_done', { call_ids: ['d'], overdue: true })
  const [, told] = await story(workspace)
  expect(told).toMatchObject({ files: ['a.txt'], cause: { shared: [{ call_id: 'd' }, { call_id: null }] } })
  await agent.edit('b.txt', () => workspace.write({ 'b.txt': 'edited\n' }))
  expect((await story(workspace)).at(-1)).toMatchObject({ files: ['b.txt'], cause: { tool: 'Edit' } })
})

test('a call of which nothing was heard for half an hour is lost, though its session goes on', async () => {
  const temp = fs.mkdtempSync(join(tmpdir(), 'timewarp-lost-'))
  onTestFinished(() => fs.rmSync(temp, { recursive: true, force: true }))
  const root = join(temp, 'ws')
  fs.mkdirSync(root)
  let now = Date.now()
  const app = new App({ home: join(temp, 'home'), clock: { ...realClock, now: () => now } })
  onTestFinished(() => app.close())
  const tell = (event: string, more: object = {}) =>
    callTool({ app, cwd: root, progress: () => {} }, 'record_event', {
      workspace: root,
      session_id: 's',
      client: 'shell',
      event,
      kind: 'other',
      ...more,
    })
  await tell('session_start')
  await tell('call_start', { call_id: 'lost' })
  now += 40 * 60_000
  await tell('call_start', { call_id: 'next' })
  const [workspace] = app.records.workspaces.all()
  const open = () => app.records.calls.open(workspace?.id ?? '').map(({ id }) => id)
  expect(open()).toEqual(['next'])
  // Of a session that is heard of, none is.
  now += 20 * 60_000
  await tell('compact')
  now += 20 * 60_000
  await tell('call_start', { call_id: 'third' })
  expect(open()).toEqual(['next', 'third'])
  now += 2 * 60_000
  await tell('session_end')
  expect(app.records.sessions.get(workspace?.id ?? '', 's')?.ended_at).toBe(now)
})

test('reading costs nothing and leaves no trace', async () => {
  const { workspace, agent } = await guarded()
  await agent.tell('call_start', { call_id: 'r', tool: 'Read', kind: 'read' })
  await agent.tell('call_end', { call_id: 'r', tool: 'Read', kind: 'read' })
  expect(await story(workspace)).toHaveLength(1)
})

test('a command gets what it can touch; the rest of its interval is somebody else’s', async () => {
  const { workspace, agent } = await guarded()
  await agent.shell('echo mine > a.txt && rm b.txt', () => {
    workspace.write({ 'a.txt': 'mine\n', 'c.txt': 'person\n' })
    fs.rmSync(workspace.at('b.txt'))
  })
  const told = (await story(workspace)).slice(1)
  expect(told).toMatchObject([
    { files: ['c.txt'], cause: { role: 'change' } },
    { files: ['a.txt', 'b.txt'], cause: { session_id: 'sess_one', tool: 'Bash' } },
  ])
  expect(told[0]?.cause.session_id).toBeUndefined()
})

test('a command that only reads costs nothing and leaves no trace', async () => {
  const { workspace, agent } = await guarded()
  const { covered } = await agent.shell('git log --oneline | head -5 && cat a.txt', () => {})
  expect([covered, (await workspace.call('get_edit_history', {})).snapshots.length]).toEqual([true, 1])
})

test('a command that would delete the store is denied, and nothing else is', async () => {
  const { workspace, agent } = await guarded()
  const call = { call_id: 'd', tool: 'Bash', kind: 'shell' }
  const denied = await agent.tell('call_start', { ...call, command: `rm -rf ${workspace.home}` })
  expect(denied.deny).toContain('store')
  expect((await agent.tell('call_start', { ...call, command: 'rm -rf .' })).deny).toBeNull()
  workspace.write({ '.timewarp/config.json': '{"guard":{"protect_store":false}}' })
  expect((await agent.tell('call_start', { ...call, command: `rm -rf ${workspace.home}` })).deny).toContain('store')
  workspace.trust()
  expect((await agent.tell('call_start', { ...call, command: `rm -rf ${workspace.home}` })).deny).toBeNull()
})

test('an agent is denied to change the files of the store, and to run what removes history', async () => {
  const { workspace, agent } = await guarded()
  const deny = async (call: object): Promise<unknown> =>
    (await agent.tell('call_start', { call_id: 'd', tool: 'Any', ...call })).deny
  for (const path of ['config.json', 'ignore', 'trust/x.json', 'timewarp.db'])
    expect([path, await deny({ kind: 'edit', paths: [join(workspace.home, path)] })]).toEqual([
      path,
      expect.stringContaining('store'),
    ])
  for (const command of ['timewarp forget x', 'timewarp trust --yes', 'rm -rf $TIMEWARP_HOME'])
    expect([command, await deny({ kind: 'shell', command })]).toEqual([command, expect.stringContaining('store')])
  expect(await deny({ kind: 'edit', paths: [workspace.at('a.txt'), join(workspace.home, 'logs/x')] })).toBeNull()
})

test('by the settings an agent that overwrote something is told how to take it back', async () => {
  const { workspace, agent } = await guarded()
  workspace.write({ '.timewarp/config.json': '{"guard":{"mention_undo":true}}' })
  const { note, snapshot_ids } = await agent.shell('echo x > a.txt', () => workspace.write({ 'a.txt': 'x\n' }))
  expect(note).toBe(`1 file changed or deleted; take it back with: timewarp revert ${snapshot_ids.at(-1)}`)
})

test('who was at a file just after a command that may touch anything may have been at it before', async () => {
  const { workspace, agent } = await guarded()
  await agent.shell('./build.sh', () => workspace.write({ 'a.txt': 'built\n', 'b.txt': 'person, still typing\n' }))
  workspace.write({ 'b.txt': 'person\n' })
  await agent.tell('turn_end')
  const [, build] = await story(workspace)
  expect(build).toMatchObject({ files: ['a.txt', 'b.txt'], cause: { session_id: 'sess_one', known_by: 'interval' } })
  expect((await workspace.call('show', { snapshot_id: build?.id ?? '' })).doubts).toEqual(['b.txt'])
  const done = await workspace.call('reverse_op', { snapshot_id: 'session:sess_one' })
  expect([done.affected_files, done.left_shared]).toEqual([['a.txt'], [build?.id]])
  expect(workspace.read('b.txt')).toBe('person\n')
})

test('a doubt reaches back past whatever else an agent did meanwhile', async () => {
  const { workspace, agent } = await guarded()
  await agent.shell('./build.sh', () => workspace.write({ 'b.txt': 'person, still typing\n' }))
  const [, build] = await story(workspace)
  for (let i = 0; i < 65; i++) await agent.edit('a.txt', () => workspace.write({ 'a.txt': `${i}\n` }))
  workspace.write({ 'b.txt': 'person\n' })
  await agent.tell('turn_end')
  expect((await workspace.call('show', { snapshot_id: build?.id ?? '' })).doubts).toEqual(['b.txt'])
})

test('an edit whose end is told late is over when the next call begins, and takes nothing of what comes then', async () => {
  const { workspace, agent } = await guarded()
  const edit = { call_id: 'e', tool: 'Write', kind: 'edit', paths: ['a.txt'] }
  const shell = (call_id: string, command: string) => ({
    call_id,
    tool: 'Bash',
    kind: 'shell',
    command,
    after_edits: true,
  })
  await agent.tell('call_start', edit)
  workspace.write({ 'a.txt': 'edited\n' })
  await agent.tell('call_start', shell('s1', 'sh script'))
  workspace.write({ 'a.txt': 'by the script\n' })
  await agent.tell('call_end', shell('s1', 'sh script'))
  workspace.write({ 'a.txt': 'by a person\n' })
  await agent.tell('call_end', edit)
  await agent.tell('turn_end')
  const told = (await story(workspace)).slice(1).map(({ files, cause }) => [files, cause.call_id, cause.shared])
  expect(told).toEqual([
    [['a.txt'], 'e', undefined],
    [['a.txt'], 's1', undefined],
    [['a.txt'], undefined, undefined],
  ])
})

test('a command that names a file has as good a claim to it as an edit of somebody else’s', async () => {
  const { workspace, agent } = await guarded()
  const other = new Agent(workspace, 'sess_two')
  await other.tell('session_start')
  await agent.tell('call_start', { call_id: 'e', tool: 'Edit', kind: 'edit', paths: ['a.txt'] })
  await other.tell('call_start', { call_id: 's', tool: 'Bash', kind: 'shell', command: 'sed -i s/a/b/ a.txt' })
  await other.tell('call_start', { call_id: 'any', tool: 'Bash', kind: 'shell', command: 'sh script' })
  workspace.write({ 'a.txt': 'b\n' })
  await workspace.snapshot()
  const [last] = (await story(workspace)).slice(-1)
  expect(last?.cause.shared?.map(({ call_id }) => call_id)).toEqual(['e', 's'])
})

test('an edit whose end is told after the turn’s takes nothing of what a person did since', async () => {
  const { workspace, agent } = await guarded()
  const edit = { call_id: 'e', tool: 'Write', kind: 'edit', paths: ['a.txt'] }
  await agent.tell('call_start', edit)
  workspace.write({ 'a.txt': 'edited\n' })
  await agent.tell('turn_end')
  workspace.write({ 'a.txt': 'by a person\n' })
  await agent.tell('call_end', edit)
  await workspace.snapshot()
  const told = (await story(workspace)).slice(1).map(({ files, cause }) => [files, cause.call_id, cause.shared])
  expect(told).toEqual([
    [['a.txt'], 'e', undefined],
    [['a.txt'], undefined, undefined],
  ])
})

/** An edit of which it is known what it makes. */
const making = (call_id: string, content: string) => ({
  call_id,
  tool: 'Write',
  kind: 'edit',
  paths: ['a.txt'],
  makes: createHash('sha256').update(content).digest('hex'),
})

/** Who made each change: calls, and ? for anybody else. */
const makers = async (workspace: Parameters<typeof story>[0]) =>
  (await story(workspace))
    .slice(1)
    .map(({ cause }) => cause.shared?.map(({ call_id }) => call_id ?? '?').join() ?? cause.call_id)

test('what an edit is known to make is its, and what is something else may be another’s, whoever looks', async () => {
  const { workspace, agent } = await guarded()
  await agent.tell('call_start', making('e', 'agent\n'))
  workspace.write({ 'a.txt': 'person\n' })
  await workspace.snapshot()
  workspace.write({ 'a.txt': 'agent\n' })
  await workspace.snapshot()
  workspace.write({ 'a.txt': 'person again\n' })
  await agent.tell('turn_end')
  expect(await makers(workspace)).toEqual(['e,?', 'e', 'e,?'])
})

test('what an edit leaves that was told or seen to end is its, whatever was expected; not if it failed', async () => {
  const { workspace, agent } = await guarded()
  const edit = async (id: string, event: 'call_end' | 'calls_done', more: object = {}): Promise<void> => {
    await agent.tell('call_start', making(id, 'agent\n'))
    workspace.write({ 'a.txt': `made otherwise by ${id}\n` })
    await agent.tell(event, { ...making(id, 'agent\n'), call_ids: [id], ...more })
  }
  await edit('told', 'call_end')
  await edit('seen', 'calls_done')
  await edit('failed', 'call_end', { failed: true })
  await edit('overdue', 'calls_done', { overdue: true })
  expect(await makers(workspace)).toEqual(['told', 'seen', 'failed,?', 'overdue,?'])
})

test('what one of several is known to make is its alone', async () => {
  const { workspace, agent } = await guarded()
  const other = new Agent(workspace, 'sess_two')
  await other.tell('session_start')
  await agent.tell('call_start', making('e', 'agent\n'))
  await other.tell('call_start', { call_id: 's', tool: 'Bash', kind: 'shell', command: 'sed -i s/a/b/ a.txt' })
  workspace.write({ 'a.txt': 'agent\n' })
  await workspace.snapshot()
  workspace.write({ 'a.txt': 'bgent\n' })
  await workspace.snapshot()
  expect(await makers(workspace)).toEqual(['e', 'e,s'])
})

test('of edits whose end is never told, only the last are remembered', () => {
  const home = fs.mkdtempSync(join(tmpdir(), 'timewarp-calls-'))
  onTestFinished(() => fs.rmSync(home, { recursive: true, force: true }))
  const app = new App({ home, clock: realClock })
  onTestFinished(() => app.close())
  app.begin()
  const { calls } = app.records
  const call = {
    workspace: 'w',
    session_id: 's',
    client: 'claude',
    tool: 'Write',
    kind: 'edit',
    paths: [rel('a')],
    named: [],
  } as const
  const more = { prompt_id: null, input: undefined, title: null, makes: null, started_at: 1, half_seen: false }
  for (let i = 1; i <= 150; i++) {
    calls.begin({ ...call, ...more, id: `c${i}` })
    for (const open of calls.open('w')) calls.endEarly(open)
  }
  const isKnown = (i: number): boolean => calls.endedEarly('w', 's', `c${i}`)
  expect([isKnown(150), isKnown(150), isKnown(60), isKnown(40), calls.open('w')]).toEqual([
    true,
    false,
    true,
    false,
    [],
  ])
})
