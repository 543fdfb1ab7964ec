import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { answerOf } from '../kit/workspace.ts'
import { gone, kill, type Live, newLive } from '../live/kit.ts'
import { type Agent, type Called, overStdio } from './kit.ts'

const ALONE = { env: { TIMEWARP_DAEMON: 'off' } }
const alone = (files?: Record<string, string>): Live => newLive(files, ALONE)

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}
const line = (message: object): string => `${JSON.stringify(message)}\n`
const callOf = (id: number, name: string, input: object): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: input },
})

/** Says something to a server, ends its input, and waits for its end. */
async function say(live: Live, text: string) {
  const child = live.start(['mcp'])
  child.stdin?.end(text)
  const { exit, stdout, stderr } = await answerOf(child)
  const answers = stdout.split('\n').flatMap((one) => (one === '' ? [] : [JSON.parse(one)]))
  return { exit, answers, stderr }
}

test('garbage does no harm, all that was asked is answered, and nothing else is on standard output', async () => {
  const live = alone()
  const { exit, answers, stderr } = await say(
    live,
    `garbage\n\u0000\u0001\n[1,2]\n{"id":5}\n${line(INITIALIZE)}{"jsonrpc":"2.0","method":"notifications/initialized"}\n` +
      `${line(callOf(1, 'snapshot', {}))}${line({ jsonrpc: '2.0', id: 2, method: 'no/such' })}${line(callOf(3, 'status', {}))}`,
  )
  expect(exit).toBe(0)
  expect(answers.map(({ id }) => id).sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 5])
  expect(answers.find(({ id }) => id === 1).result.structuredContent).toMatchObject({ created: true })
  expect(answers.find(({ id }) => id === 2).error.code).toBe(-32601)
  expect(stderr).toContain('What came was no message: garbage')
})

test('a message of ten megabytes comes through, both ways', async () => {
  const live = newLive()
  const agent = await overStdio(live)
  const content = 'ten megabytes of it\n'.repeat(524_288)
  const wrote = await agent.call('apply_whole_file_edit', { path: 'big.txt', content })
  expect(wrote.isError).toBe(false)
  expect(live.workspace.read('big.txt') === content).toBe(true)
  const read = await agent.call('cat', { snapshot_id: 'latest', path: 'big.txt' })
  expect(read.out.content === content).toBe(true)
})

test('tools can be chosen; a choice that means nothing names what there is', async () => {
  const live = alone()
  const agent = await overStdio(live, { args: ['--tools', 'edits,prune'] })
  const names = await agent.toolNames()
  expect(names).toContain('prune')
  expect(names).toContain('apply_edits')
  expect(names).not.toContain('snapshot')
  expect(agent.client.getServerCapabilities()?.resources).toBeUndefined()
  const { exit, stdout, stderr } = await live.tw(['mcp', '--tools', 'timeline,everything'])
  expect([exit, stdout]).toEqual([2, ''])
  expect(stderr).toContain('"everything"')
  expect(stderr).toContain('timeline, edits, travel')
})

test('the workspace is the one named, else the client’s root, else the current folder', async () => {
  const live = alone()
  const other = join(live.workspace.temp, 'other')
  mkdirSync(other)
  writeFileSync(join(other, 'b.txt'), 'b')
  const rootOf = async (agent: Agent) => {
    await agent.call('snapshot')
    return (await agent.call('status')).out?.root
  }
  expect(await rootOf(await overStdio(live))).toBe(live.root)
  expect(await rootOf(await overStdio(live, { args: ['-C', other], roots: [live.root] }))).toBe(other)
  expect(await rootOf(await overStdio(live, { cwd: '/', roots: [other] }))).toBe(other)
  expect(await rootOf(await overStdio(live, { cwd: '/', roots: [other], era: 'modern' }))).toBe(other)
  expect(await rootOf(await overStdio(live, { roots: [other, live.root] }))).toBe(live.root)
  const nowhere = await overStdio(live, { cwd: '/' })
  expect((await nowhere.call('status')).error.code).toBe('WORKSPACE_UNNAMED')
})

test('what a server does belongs to its session; the client’s own name for it counts', async () => {
  const live = alone()
  const [first, second] = [await overStdio(live), await overStdio(live, { env: { CLAUDE_CODE_SESSION_ID: 'theirs' } })]
  const write = (agent: Agent, path: string, more: object = {}) =>
    agent.call('apply_whole_file_edit', { path, content: path, ...more })
  await write(first, 'one')
  await write(first, 'two')
  await write(second, 'three')
  await write(second, 'four', { session_id: 'given' })
  const { snapshots } = (await first.call('get_edit_history')).out
  const sessions = snapshots.filter((s: { tool: string }) => s.tool).map((s: { session_id: string }) => s.session_id)
  expect(sessions).toEqual(['given', 'theirs', sessions[2], sessions[2]])
  expect(sessions[2]).toMatch(/^sess_/)
  // It is in the records, under the client's name.
  const { json } = await live.tw(['sessions', '--json'])
  const recorded = json.sessions.find((s: { session_id: string }) => s.session_id === sessions[2])
  expect(recorded).toMatchObject({ client: 'the-tests', changes: 2 })
})

test('two servers at once lose nothing of each other', async () => {
  const live = newLive()
  const agents = [await overStdio(live), await overStdio(live, { era: 'modern' })]
  const write = async (agent: Agent, path: string): Promise<Called> => {
    const wrote = await agent.call('apply_whole_file_edit', { path, content: path })
    // Who comes while another works, and has waited long enough, is told to come again.
    return wrote.error?.code === 'WORKSPACE_BUSY' ? write(agent, path) : wrote
  }
  const writes = agents.flatMap((agent, i) => [0, 1, 2, 3, 4].map((n) => write(agent, `${i}-${n}.txt`)))
  for (const { isError, text } of await Promise.all(writes)) expect(isError, text).toBe(false)
  const { snapshots } = (await agents[0]!.call('get_edit_history', { limit: 100 })).out
  const paths = snapshots.flatMap((s: { affected_files: string[] }) => s.affected_files)
  for (const i of [0, 1]) for (const n of [0, 1, 2, 3, 4]) expect(paths).toContain(`${i}-${n}.txt`)
})

test('a daemon is used when there is one, and not missed when it dies', async () => {
  const live = newLive()
  await live.serve()
  const agent = await overStdio(live)
  const served = (await live.health()).calls
  expect((await agent.call('snapshot')).isError).toBe(false)
  const { pid, calls } = await live.health()
  expect(calls).toBeGreaterThan(served)
  kill(pid, 'SIGKILL')
  await gone(pid)
  live.workspace.write({ 'a.txt': 'after its death' })
  expect((await agent.call('snapshot')).out).toMatchObject({ created: true })
  // The call has started another one.
  await live.served(pid)
  expect((await agent.call('status')).isError).toBe(false)
})

test('a daemon that dies in the middle of an edit is told of; the next call finds all or nothing', async () => {
  const live = newLive({ 'a.txt': 'one\n' })
  await live.alone(['snapshot'])
  const daemon = await live.serve({ TIMEWARP_TEST_DIE_AT: '*:9' })
  const agent = await overStdio(live)
  const edit = await agent.call('apply_whole_file_edit', { path: 'a.txt', content: 'two\n' })
  await gone(daemon.pid ?? 0)
  expect([edit.isError, edit.error?.code]).toEqual([true, 'DAEMON_LOST'])
  expect((await agent.call('snapshot')).isError).toBe(false)
  expect(['one\n', 'two\n']).toContain(live.workspace.read('a.txt'))
  expect((await live.alone(['fsck', '--json'])).json.ok).toBe(true)
})

test('a server ends when its client does, and when it is asked to', async () => {
  const live = alone()
  for (const end of ['input', 'SIGTERM', 'SIGINT'] as const) {
    const child = live.start(['mcp'])
    const over = answerOf(child)
    child.stdin?.write(line(INITIALIZE))
    await new Promise((done) => child.stdout?.once('data', done))
    if (end === 'input') child.stdin?.end()
    else child.kill(end)
    const { exit, signal } = await over
    expect([end, exit, signal]).toEqual([end, 0, null])
  }
})

test('contents of files with secrets do not reach a model, by any way', async () => {
  const SECRET = 'xyzzy-plugh-4711'
  const live = alone({ '.env': `TOKEN=${SECRET}\n`, 'a.txt': 'plain\n' })
  const agent = await overStdio(live)
  const { snapshot_id } = (await agent.call('snapshot')).out
  live.workspace.write({ '.env': `TOKEN=${SECRET}2\n`, 'a.txt': 'plainer\n' })
  await agent.call('snapshot')
  await agent.call('apply_edit_block', { path: '.env', search_block: '2', replace_block: '3' })
  const answers = await Promise.all([
    agent.call('cat', { snapshot_id, path: '.env' }),
    agent.call('diff', { from: snapshot_id }),
    agent.call('diff', { from: snapshot_id, format: 'context' }),
    agent.call('read_snapshot_diff', { snapshot_id: 'latest' }),
    agent.call('get_edit_history', { include_diffs: true }),
    agent.call('blame', { path: '.env' }),
    agent.call('show', { snapshot_id: 'latest' }),
    agent.call('undo', { dry_run: true }),
    agent.call('restore', { snapshot_id, paths: ['.env'] }),
    agent.call('apply_edit_block', { path: '.env', search_block: 'TOKEN=nearly', replace_block: 'x' }),
    agent.call('apply_edit_block', {
      path: '.env',
      search_block: 'TOKEN=xyzzy-plugh-471',
      replace_block: 'y',
      dry_run: true,
    }),
    agent.read(`timewarp://snapshot/${snapshot_id}/file/.env`),
    agent.read(`timewarp://diff/${snapshot_id}/present`),
  ])
  for (const [i, answer] of answers.entries()) expect(JSON.stringify(answer), `${i}`).not.toContain(SECRET)
  expect(answers[0].out.content).toBe('TOKEN=***REDACTED***\n')
  expect(answers[1].text).toContain('+plainer')
  // The files themselves are whole, and the command line shows them.
  expect(live.workspace.read('.env')).toContain(SECRET)
  expect((await live.tw(['cat', snapshot_id, '.env'])).stdout).toContain(SECRET)
})

test('an agent without hooks notes friction, goes back to it, and comes home', async () => {
  const live = alone({ 'a.txt': 'then\n' })
  const agent = await overStdio(live)
  const confirmed = async (tool: string, input: Record<string, unknown> = {}) => {
    const { error } = await agent.call(tool, input)
    expect([tool, error?.code]).toEqual([tool, 'CONFIRM_NEEDED'])
    const done = await agent.call(tool, { ...input, confirm: error.data.confirm })
    expect(done.isError, done.text).toBe(false)
    return done
  }
  expect((await agent.call('timewarp_session_start', { initial_task_hint: 'try it' })).isError).toBe(false)
  const reported = await agent.call('timewarp_issue_report', {
    task_context: 'Building the project',
    symptom: 'The build was run three times',
    success_criteria: 'npm run build succeeds the first time',
  })
  expect(reported.isError, reported.text).toBe(false)
  live.workspace.write({ 'a.txt': 'now\n' })
  await confirmed('timewarp_travel', { issue_id: reported.out.issue_id })
  expect(live.workspace.read('a.txt')).toBe('then\n')
  expect((await agent.call('status')).out.mode).toBe('past')
  await confirmed('timewarp_return')
  expect(live.workspace.read('a.txt')).toBe('now\n')
})
