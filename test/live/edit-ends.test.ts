import { execFileSync, spawn } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isRunning } from '../../src/host/processes/process.ts'
import { type Live, newLive, REPOSITORY, until } from './kit.ts'

/** Edits of a client that tells no end of them: their files show it. */

const WAYS = ['on', 'off'] as const

/** A client that has begun to work, with a daemon or without. */
async function newClient(files: Record<string, string>, daemon: string) {
  const live = newLive(files)
  const session = { session_id: 's1', cwd: live.root, prompt_id: 'p1', transcript_path: join(live.home, 'none.jsonl') }
  const hook = (hook_event_name: string, more: object = {}) =>
    new Promise<string>((done) => {
      const env = live.environment({ TIMEWARP_DAEMON: daemon })
      const child = spawn(join(REPOSITORY, 'bin/timewarp-hook'), ['claude'], {
        env,
        stdio: ['pipe', 'pipe', 'inherit'],
      })
      let said = ''
      child.stdout.on('data', (bytes: Buffer) => (said += bytes.toString()))
      child.on('close', () => done(said))
      child.stdin.end(JSON.stringify({ ...session, hook_event_name, ...more }))
    })
  await hook('SessionStart', { source: 'startup' })
  await hook('UserPromptSubmit', { prompt: 'go' })
  const begin = (id: string, tool_name: string, tool_input: object) =>
    hook('PreToolUse', { tool_use_id: id, tool_name, tool_input })
  return { live, hook, begin }
}

interface Row {
  readonly affected_files: string[]
  readonly call_id: string | null
  readonly shared: boolean
}

/** Who changed what, the oldest first. */
async function told(live: Live): Promise<(string | null)[][]> {
  const { stdout } = await live.alone(['log', '--json'])
  const rows = (JSON.parse(stdout) as { snapshots: Row[] }).snapshots.toReversed().slice(1)
  return rows.map(({ affected_files, call_id, shared }) => [...affected_files, shared ? 'shared' : call_id])
}

const toldSoon = (live: Live, what: (string | null)[][]) =>
  until(JSON.stringify(what), async () => JSON.stringify(await told(live)) === JSON.stringify(what))

function put(live: Live, path: string, content: string): void {
  const draft = join(live.workspace.temp, 'draft')
  fs.writeFileSync(draft, content)
  fs.mkdirSync(join(live.root, path, '..'), { recursive: true })
  fs.renameSync(draft, join(live.root, path))
}

test.each(WAYS)(
  'an edit is recorded when it is made, and what a person does then is theirs: daemon %s',
  async (daemon) => {
    const { live, hook, begin } = await newClient({ 'a.txt': 'a\nb\n' }, daemon)
    const file_path = join(live.root, 'a.txt')
    await begin('e1', 'Edit', { file_path, old_string: 'a\n', new_string: 'agent\n' })
    put(live, 'a.txt', 'agent\nb\n')
    await toldSoon(live, [['a.txt', 'e1']])
    // At the same file, with nothing told in between.
    put(live, 'a.txt', 'agent\nperson\n')
    await begin('e2', 'Write', { file_path: join(live.root, 'new/deep.txt'), content: 'x'.repeat(200_000) })
    put(live, 'new/deep.txt', 'x'.repeat(200_000))
    const both = [
      ['a.txt', 'e1'],
      ['a.txt', null],
      ['new/deep.txt', 'e2'],
    ]
    await toldSoon(live, both)
    put(live, 'new/deep.txt', 'person\n')
    await hook('Stop')
    expect(await told(live)).toEqual([...both, ['new/deep.txt', null]])
  },
)

const later = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms))

test.each([
  ['a line', { old_string: 'a\n', new_string: 'agent\n' }, 'agent\nb\n'],
  ['a text that is there already', { old_string: 'b', new_string: 'b\n' }, 'a\nb\n\n'],
])('while an edit waits for permission, a person’s change does not end it: %s', async (_, input, made) => {
  const { live, hook, begin } = await newClient({ 'a.txt': 'a\nb\n' }, 'on')
  await begin('e1', 'Edit', { file_path: join(live.root, 'a.txt'), ...input })
  put(live, 'a.txt', 'a\nb\nperson\n')
  await later(300)
  expect(await told(live)).toEqual([])
  // They take it back, and the edit is made of what it was announced for.
  put(live, 'a.txt', 'a\nb\n')
  put(live, 'a.txt', made)
  await toldSoon(live, [['a.txt', 'e1']])
  await hook('Stop')
})

test('after a long wait for permission, the edit and what the person does soon after are told apart', async () => {
  const { live, hook, begin } = await newClient({ 'a.txt': 'a\n' }, 'on')
  await begin('e1', 'Write', { file_path: join(live.root, 'a.txt'), content: 'agent\n' })
  await later(4500)
  put(live, 'a.txt', 'agent\n')
  await later(400)
  put(live, 'a.txt', 'person\n')
  await hook('Stop')
  expect(await told(live)).toEqual([
    ['a.txt', 'e1'],
    ['a.txt', null],
  ])
})

test.each(['killed', 'stopped'])('nobody is told to have made what nobody saw: the daemon is %s', async (how) => {
  const { live, hook, begin } = await newClient({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': '“c”\n' }, 'on')
  const end = async (): Promise<void> => {
    const { pid } = live.card
    process.kill(pid, how === 'killed' ? 'SIGKILL' : 'SIGTERM')
    await until('the daemon is gone', () => !isRunning(pid))
  }
  await begin('e1', 'Write', { file_path: join(live.root, 'a.txt'), content: 'agent\n' })
  await end()
  put(live, 'a.txt', 'agent\n')
  put(live, 'a.txt', 'person\n')
  await begin('e2', 'Edit', { file_path: join(live.root, 'b.txt'), old_string: 'b', new_string: 'agent' })
  await end()
  put(live, 'b.txt', 'agent\n')
  // What comes of quotes that are not the file's own, nobody knows before.
  await begin('e3', 'Edit', { file_path: join(live.root, 'c.txt'), old_string: '"c"', new_string: '"d"' })
  await end()
  put(live, 'c.txt', '“d”, or was it a person?\n')
  await hook('Stop', { background_tasks: [] })
  expect(await told(live)).toEqual([
    ['a.txt', 'shared'],
    ['b.txt', 'e2'],
    ['c.txt', 'shared'],
  ])
})

test('a client that gives the same id to several edits has all of them told', async () => {
  const { live, begin } = await newClient({ 'a.txt': 'a\n' }, 'on')
  for (const [i, content] of ['one', 'two', 'three'].entries()) {
    await begin('call_0', 'Write', { file_path: join(live.root, 'a.txt'), content })
    put(live, 'a.txt', content)
    await toldSoon(
      live,
      Array.from({ length: i + 1 }, () => ['a.txt', 'call_0']),
    )
  }
  // And without a pause.
  for (let i = 0; i < 6; i++) {
    await begin('call_0', 'Write', { file_path: join(live.root, 'b.txt'), content: `${i}` })
    put(live, 'b.txt', `${i}`)
  }
  await toldSoon(live, [
    ...Array.from({ length: 3 }, () => ['a.txt', 'call_0']),
    ...Array.from({ length: 6 }, () => ['b.txt', 'call_0']),
  ])
})

test('an edit is found wherever in the workspace it is, and through links', async () => {
  const { live, hook } = await newClient({ 'a.txt': 'a\n', 'real.txt': 'r\n', 'sub/b.txt': 'b\n' }, 'on')
  const linked = join(live.workspace.temp, 'linked')
  fs.symlinkSync(live.root, linked)
  fs.symlinkSync('real.txt', join(live.root, 'link.txt'))
  await hook('PreCompact')
  const write = (id: string, cwd: string, file_path: string) =>
    hook('PreToolUse', { cwd, tool_use_id: id, tool_name: 'Write', tool_input: { file_path, content: id } })
  await write('above', join(live.root, 'sub'), join(live.root, 'a.txt'))
  put(live, 'a.txt', 'above')
  await until('it is told', async () => (await told(live)).length === 2)
  await write('through', linked, join(linked, 'new.txt'))
  put(live, 'new.txt', 'through')
  await write('link', live.root, join(live.root, 'link.txt'))
  put(live, 'real.txt', 'link')
  await write('dots', live.root, join(live.root, '..data'))
  put(live, '..data', 'dots')
  await hook('Stop')
  expect((await told(live)).slice(1)).toEqual([
    ['a.txt', 'above'],
    ['new.txt', 'through'],
    ['real.txt', 'link'],
    ['..data', 'dots'],
  ])
})

function wordsOf(pid: string): string[] {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  } catch {
    return []
  }
}

test('what a hook leaves behind ends with the edit, also with one that was denied, and with the store', async () => {
  const { live, begin } = await newClient({ 'a.txt': 'a\n' }, 'off')
  const left = (): number =>
    fs
      .readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => wordsOf(pid))
      .filter((words) => words.includes(live.home) && words.includes('--until-edited')).length
  const write = (id: string) => begin(id, 'Write', { file_path: join(live.root, 'a.txt'), content: id })
  await write('e1')
  expect(left()).toBe(1)
  put(live, 'a.txt', 'e1')
  await until('it has ended', () => left() === 0)
  await write('e2')
  const result = { type: 'tool_result', tool_use_id: 'e2', is_error: true, content: 'denied' }
  fs.writeFileSync(join(live.home, 'none.jsonl'), `${JSON.stringify({ message: { content: [result] } })}\n`)
  await until('it has ended', () => left() === 0)
  await write('e4')
  fs.rmSync(live.home, { recursive: true })
  put(live, 'a.txt', 'e4')
  await until('it has ended', () => left() === 0)
  expect(fs.existsSync(live.home)).toBe(false)
})

test('a pipe in the place of a file keeps nobody waiting', async () => {
  const { live, hook, begin } = await newClient({ 'a.txt': 'a\n' }, 'on')
  const pipe = join(live.root, 'pipe')
  execFileSync('mkfifo', [pipe])
  await begin('e1', 'Write', { file_path: pipe, content: '' })
  // It claims to be empty, and has no end.
  await begin('e2', 'Write', { file_path: '/proc/self/mem', content: '' })
  fs.utimesSync(pipe, 1, 1)
  await later(100)
  expect((await live.health()).ok).toBe(true)
  await hook('Stop')
})

test('what a person does after an edit was denied may be theirs', async () => {
  const { live, hook, begin } = await newClient({ 'a.txt': 'a\n' }, 'on')
  await begin('e1', 'Write', { file_path: join(live.root, 'a.txt'), content: 'agent\n' })
  const result = { type: 'tool_result', tool_use_id: 'e1', is_error: true, content: 'denied' }
  fs.writeFileSync(join(live.home, 'none.jsonl'), `${JSON.stringify({ message: { content: [result] } })}\n`)
  put(live, 'a.txt', 'person\n')
  await toldSoon(live, [['a.txt', 'shared']])
  await hook('Stop')
})
