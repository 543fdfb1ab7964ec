import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { expect, test } from 'vitest'
import type { Workspace } from '../kit/workspace.ts'
import { Agent, guarded, story } from './kit.ts'

/** A person and an agent at the same files: whose work is what, and what is taken back. */

const FOUR = { 'src/1': '1\n', 'src/2': '2\n', 'src/3': '3\n', 'src/4': '4\n' }

const removeAll = (workspace: Workspace): void => fs.rmSync(workspace.at('src'), { recursive: true })

const lastCause = async (workspace: Workspace) => (await story(workspace)).at(-1)?.cause

test('oops brings back a person’s own file that the agent deleted with the rest', async () => {
  const { workspace, agent } = await guarded(FOUR)
  workspace.write({ 'src/1': '1\nmine\n' })
  await agent.tell('prompt', { prompt_id: 'p1', prompt: 'Clean up' })
  await agent.shell('rm -rf src', () => removeAll(workspace))
  expect(await lastCause(workspace)).toMatchObject({ certainty: 'certain', prompt_id: 'p1' })
  const { stdout, exit } = await workspace.tw(['oops', '--yes'])
  expect([exit, stdout]).toEqual([0, expect.not.stringContaining('Left alone')])
  expect([workspace.read('src/1'), workspace.read('src/4')]).toEqual(['1\nmine\n', '4\n'])
})

test('so it does after a script deleted it, though nothing names the path', async () => {
  const { workspace, agent } = await guarded(FOUR)
  workspace.write({ 'src/1': '1\nmine\n' })
  await agent.tell('prompt', { prompt_id: 'p1', prompt: 'Clean up' })
  await agent.shell('./clean.sh', () => removeAll(workspace))
  expect(await lastCause(workspace)).toMatchObject({ certainty: 'likely', seen: [{ path: 'src/1' }] })
  await workspace.tw(['oops', '--yes'])
  expect(workspace.read('src/1')).toBe('1\nmine\n')
})

test.each(['git reset -q --hard', 'git checkout -- .', 'git stash', 'git restore .', 'sed -i s/1/2/ src/1'])(
  'a person’s edit that %s overwrote comes back: it was captured before',
  async (command) => {
    const { workspace, agent } = await guarded(FOUR)
    workspace.write({ 'src/1': '1\nmine\n' })
    await agent.tell('prompt', { prompt_id: 'p1', prompt: 'Start over' })
    await agent.shell(command, () => workspace.write({ 'src/1': 'overwritten\n' }))
    expect(await lastCause(workspace)).toMatchObject({ certainty: 'likely' })
    await workspace.tw(['oops', '--yes'])
    expect(workspace.read('src/1')).toBe('1\nmine\n')
  },
)

test('somebody who is seen at it afterwards makes such a change doubtful', async () => {
  const { workspace, agent } = await guarded(FOUR)
  workspace.write({ 'src/1': '1\nmine\n' })
  await agent.shell('sed -i s/1/2/ src/1', () => workspace.write({ 'src/1': '2\nmine\nstill typing\n' }))
  const [, , changed] = await story(workspace)
  workspace.write({ 'src/1': '2\nmine\nstill typing on\n' })
  await agent.tell('turn_end')
  expect((await workspace.call('show', { snapshot_id: changed?.id ?? '' })).doubts).toEqual(['src/1'])
})

test('how long before somebody was there is told by their file', async () => {
  const { workspace, agent } = await guarded(FOUR)
  workspace.write({ 'src/1': '1\nmine\n' })
  const before = Date.now() / 1000 - 20
  fs.utimesSync(workspace.at('src/1'), before, before)
  await agent.shell('./build.sh', () => workspace.write({ 'src/1': 'built\n' }))
  const { snapshots } = await workspace.call('get_edit_history', { limit: 1 })
  expect(snapshots[0]?.reason).toMatch(/^changed while \.\/build\.sh ran; you edited it 2\d s before$/)
})

const personAppends = (workspace: Workspace): void => fs.appendFileSync(workspace.at('a.txt'), 'by a person\n')
const personRemoves = (workspace: Workspace): void => fs.rmSync(workspace.at('a.txt'))
const personRemovesDeep = (workspace: Workspace): void => fs.rmSync(workspace.at('d/m.c'))

test.each([
  ['test -f nope && rm a.txt', personRemoves],
  ['true || echo x > a.txt', personAppends],
  ['sed -i s/zzz/y/ a.txt', personAppends],
  ['cp nosuch a.txt', personAppends],
  ['cp b.txt a.txt', personAppends],
  ['chmod +x a.txt', personAppends],
  ['touch a.txt', personAppends],
  ['rm a.txt', personAppends],
  ['find d -name "*.tmp" -delete', personRemovesDeep],
  ['rm -f d/*.tmp', personRemovesDeep],
])('%s does not surely do what a person did meanwhile', async (command, work) => {
  const { workspace, agent } = await guarded({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'd/m.c': 'm\n' })
  await agent.shell(command, () => work(workspace))
  expect(await lastCause(workspace)).toMatchObject({ certainty: 'likely' })
})

test('a command of which no end is told is not sure to have made what is found', async () => {
  const { workspace, agent } = await guarded()
  await agent.tell('call_start', { call_id: 'c', tool: 'Bash', kind: 'shell', command: 'sed -i s/a/b/ a.txt' })
  personAppends(workspace)
  await agent.tell('turn_end')
  expect(await lastCause(workspace)).toMatchObject({ certainty: 'likely' })
})

test('a command that failed is not sure to have made anything', async () => {
  const { workspace, agent } = await guarded()
  await agent.shell('rm a.txt', () => personRemoves(workspace), { failed: true })
  expect(await lastCause(workspace)).toMatchObject({ certainty: 'likely' })
})

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

test('an edit that leaves something else than it makes is not sure, and shared where somebody was seen', async () => {
  const { workspace, agent } = await guarded()
  const write = (text: string, makes: string) =>
    agent.edit('a.txt', () => workspace.write({ 'a.txt': text }), {}, { makes })
  await write('person\n', hashOf('agent\n'))
  expect(await lastCause(workspace)).toMatchObject({ certainty: 'likely', call_id: 'sess_one-call-1' })
  await write('agent\n', hashOf('agent\n'))
  expect(await lastCause(workspace)).toMatchObject({ certainty: 'certain', known_by: 'content' })
  workspace.write({ 'a.txt': 'by hand\n' })
  await write('person again\n', hashOf('agent\n'))
  expect(await lastCause(workspace)).toMatchObject({ certainty: 'shared' })
  const { snapshots } = await workspace.call('get_edit_history', { limit: 1 })
  expect(snapshots[0]?.reason).toMatch(/^changed during Edit; you edited it/)
})

test('what a command changes through a link of the workspace is its', async () => {
  const { workspace, agent } = await guarded({ 'b.txt': 'b\n', 'd/c.txt': 'c\n' })
  fs.symlinkSync('b.txt', workspace.at('lnk'))
  fs.symlinkSync('d', workspace.at('dl'))
  await workspace.snapshot()
  await agent.tell('prompt', { prompt_id: 'p1', prompt: 'Change them' })
  await agent.shell('echo agent > lnk', () => workspace.write({ 'b.txt': 'agent\n' }))
  expect(await lastCause(workspace)).toMatchObject({ certainty: 'certain', prompt_id: 'p1' })
  await agent.shell('rm dl/c.txt', () => fs.rmSync(workspace.at('d/c.txt')))
  expect(await lastCause(workspace)).toMatchObject({ certainty: 'certain', prompt_id: 'p1' })
  await workspace.tw(['oops', '--yes'])
  expect([workspace.read('b.txt'), workspace.read('d/c.txt')]).toEqual(['b\n', 'c\n'])
})

test('who removes a link removes nothing behind it', async () => {
  const { workspace, agent } = await guarded()
  fs.symlinkSync('b.txt', workspace.at('lnk'))
  await workspace.snapshot()
  await agent.shell('rm lnk', () => {
    fs.rmSync(workspace.at('lnk'))
    fs.rmSync(workspace.at('b.txt'))
  })
  const told = (await story(workspace)).slice(-2)
  expect(told.map(({ files, cause }) => [files, cause.session_id])).toEqual([
    [['b.txt'], undefined],
    [['lnk'], 'sess_one'],
  ])
})

test('nobody is said to have edited the copies that a command made of their file', async () => {
  const { workspace, agent } = await guarded({ 'p.txt': 'p\n' })
  workspace.write({ 'p.txt': 'mine\n' })
  await agent.shell('./spread.sh', () => {
    workspace.write({ 'n/1': 'mine\n', 'n/2': 'mine\n' })
    fs.rmSync(workspace.at('p.txt'))
  })
  const cause = await lastCause(workspace)
  expect(cause).toMatchObject({ certainty: 'likely' })
  expect(cause?.seen?.map(({ path }) => path)).toEqual(['p.txt'])
})

test('of a file that was renamed it is told under which name somebody edited it', async () => {
  const { workspace, agent } = await guarded({ 'p.txt': 'p\n' })
  workspace.write({ 'p.txt': 'mine\n' })
  await agent.shell('./rename.sh', () => fs.renameSync(workspace.at('p.txt'), workspace.at('q.txt')))
  const { snapshots } = await workspace.call('get_edit_history', { limit: 1 })
  expect(snapshots[0]).toMatchObject({ certainty: 'shared', affected_files: ['p.txt', 'q.txt'] })
  const { cause } = await workspace.call('show', { snapshot_id: snapshots[0]?.snapshot_id ?? '' })
  expect(cause.seen).toMatchObject([{ path: 'p.txt' }, { path: 'p.txt', renamed_to: 'q.txt' }])
})

test('prompts of two sessions with the same id are two', async () => {
  const { workspace, agent } = await guarded()
  const other = new Agent(workspace, 'sess_two')
  await other.tell('session_start')
  await agent.tell('prompt', { prompt_id: '1', prompt: 'First' })
  await agent.shell('echo x > a.txt', () => workspace.write({ 'a.txt': 'x\n' }), {}, { prompt_id: '1' })
  await other.tell('prompt', { prompt_id: '1', prompt: 'Second' })
  await other.shell('echo y > b.txt', () => workspace.write({ 'b.txt': 'y\n' }), {}, { prompt_id: '1' })
  const sub = new Agent(workspace, 'sub', 'sess_two')
  await sub.shell('echo z > c.txt', () => workspace.write({ 'c.txt': 'z\n' }), {}, { prompt_id: '1@sess_two' })
  const { stdout } = await workspace.tw(['oops', '--yes'])
  expect(stdout).toContain('Second')
  expect([workspace.read('a.txt'), workspace.read('b.txt')]).toEqual(['x\n', 'b\n'])
  expect(fs.existsSync(workspace.at('c.txt'))).toBe(false)
})

test('what either of two agents made is told with client and prompt, in the log and in blame', async () => {
  const { workspace, agent } = await guarded()
  const other = new Agent(workspace, 'sess_two')
  await other.tell('session_start', { client: 'codex' })
  await agent.tell('prompt', { prompt_id: 'p1', prompt: 'Build it' })
  await other.tell('prompt', { prompt_id: 'p2', prompt: 'Test it', client: 'codex' })
  const mine = { call_id: 'm', tool: 'Bash', kind: 'shell', command: './one.sh' }
  const theirs = { call_id: 't', tool: 'shell', kind: 'shell', command: './two.sh', client: 'codex' }
  await agent.tell('call_start', mine)
  await other.tell('call_start', theirs)
  workspace.write({ 'a.txt': 'somebody\n' })
  await agent.tell('call_end', mine)
  const { stdout: log } = await workspace.tw(['log'])
  expect(log).toContain('Shared: claude: Build it or codex: Test it\n')
  expect(log).toContain('(shared: changed while ./one.sh and ./two.sh ran)')
  const { stdout: blame } = await workspace.tw(['blame', 'a.txt'])
  expect(blame).toContain('claude: Build it or codex: Test it (shared)')
})

test('a line that a guard found before a call is not the guard’s', async () => {
  const { workspace, agent } = await guarded()
  workspace.write({ 'a.txt': 'a\nmine\n' })
  await agent.tell('prompt', { prompt_id: 'p1', prompt: 'Look' })
  const { stdout: blame } = await workspace.tw(['blame', 'a.txt'])
  expect(blame).toMatch(/already there +1 {2}a\n.*outside of any session +2 {2}mine/)
  const { stdout: log } = await workspace.tw(['log'])
  expect(log).toMatch(/ 1 change .* a\.txt$/m)
})

test('what one prompt led to stands together in the log, whoever else was at work meanwhile', async () => {
  const { workspace, agent } = await guarded()
  await agent.tell('prompt', { prompt_id: 'p1', prompt: 'Build it' })
  await agent.shell('./one.sh', () => workspace.write({ 'a.txt': 'one\n' }))
  workspace.write({ 'b.txt': 'person\n' })
  await agent.shell('./two.sh', () => workspace.write({ 'a.txt': 'two\n' }))
  const { stdout } = await workspace.tw(['log'])
  const heads = stdout.split('\n').filter((line) => line !== '' && !line.startsWith(' '))
  expect(heads).toEqual(['sess_one: Build it', 'Outside of any session'])
})
