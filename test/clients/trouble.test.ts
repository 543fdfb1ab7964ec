import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { withClient } from './kit.ts'
import type { Conversation, Turn } from './model.ts'
import { newTheatre, type Theatre, TIMEWARP } from './theatre.ts'

/** A guard never stands in its client's way, and what it could not record it tells. */

const HOOK = `${TIMEWARP}-hook`

/** A hook as a client calls it. */
const hook = ({ env, ws }: Theatre, payload: object | string, more: Record<string, string> = {}) =>
  spawnSync(HOOK, ['claude'], {
    cwd: ws,
    env: { ...env, ...more },
    input: typeof payload === 'string' ? payload : JSON.stringify({ session_id: 's1', cwd: ws, ...payload }),
    encoding: 'utf8',
  })

const START = { hook_event_name: 'SessionStart', source: 'startup' }
/** The end of a call is not waited for; this is. */
const STOP = { hook_event_name: 'Stop' }
const bash = (id: string, event = 'PreToolUse') => ({
  hook_event_name: event,
  tool_name: 'Bash',
  tool_input: { command: 'make all' },
  tool_use_id: id,
})

const write = (theatre: Theatre, name: string): Turn => ({
  tools: [{ name: 'Write', input: { file_path: join(theatre.ws, name), content: `${name}\n` } }],
})

test('garbage: the hook succeeds and says nothing', () => {
  const theatre = newTheatre()
  for (const payload of [
    '',
    '{',
    '[]',
    'null',
    '\u0000\u0001',
    '{"hook_event_name":"PreToolUse"}',
    'x'.repeat(300_000),
  ])
    expect(hook(theatre, payload)).toMatchObject({ status: 0, stdout: '' })
  const wrong = spawnSync(HOOK, ['nobody'], { env: theatre.env, input: '{}', encoding: 'utf8' })
  expect(wrong).toMatchObject({ status: 0, stdout: '' })
})

test('without bash, a shell is enough', () => {
  const theatre = newTheatre({ 'a.txt': 'a\n' })
  const bin = join(theatre.dir, 'bin')
  mkdirSync(bin)
  for (const name of ['dirname', 'readlink', 'sh']) {
    const { stdout } = spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' })
    symlinkSync(stdout.trim(), join(bin, name))
  }
  symlinkSync(process.execPath, join(bin, 'node'))
  expect(hook(theatre, START, { PATH: bin })).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('Timewarp records every change'),
  })
})

test('a dead daemon is noticed by the next hook, which starts another: nothing is lost', () => {
  const theatre = newTheatre({ 'a.txt': 'a\n' })
  // A daemon is started where there is a store.
  theatre.tw('init')
  expect(hook(theatre, START).stdout).toContain('Timewarp records every change')
  const { pid } = JSON.parse(theatre.read(join(theatre.store, 'daemon.json')))
  process.kill(pid, 'SIGKILL')
  expect(hook(theatre, bash('t1'))).toMatchObject({ status: 0 })
  theatre.write('made.txt', 'made\n')
  expect(hook(theatre, bash('t1', 'PostToolUse'))).toMatchObject({ status: 0 })
  hook(theatre, STOP)
  const alive = JSON.parse(theatre.read(join(theatre.store, 'daemon.json')))
  expect(alive.pid).not.toBe(pid)
  const [newest] = theatre.tw('log').snapshots
  expect(newest).toMatchObject({ affected_files: ['made.txt'], session_id: 's1', tool: 'Bash' })
  expect(theatre.tw('status').gaps).toEqual([])
})

test('a door that is shut is gone round, also by a shell that goes by the book', () => {
  const theatre = newTheatre({ 'a.txt': 'a\n' })
  mkdirSync(theatre.store, { recursive: true })
  // As of a daemon that is about to end: it lives, and takes nobody in.
  const start = theatre
    .read(`/proc/${process.pid}/stat`)
    .replace(/.*\) /s, () => '')
    .split(' ')[19]
  const card = { hook: `1 token proof ${process.pid} ${start}` }
  for (const more of [{}, { POSIXLY_CORRECT: '1' }]) {
    writeFileSync(join(theatre.store, 'daemon.json'), `${JSON.stringify(card)}\n`)
    expect(hook(theatre, START, more)).toMatchObject({ status: 0, stdout: expect.stringContaining('Timewarp records') })
    theatre.tw('daemon', 'stop')
  }
})

test('somebody who took the daemon’s port hears nothing that counts', async () => {
  const theatre = newTheatre({ 'a.txt': 'a\n' })
  theatre.tw('init')
  hook(theatre, START)
  let heard = ''
  const denial = '{"hookSpecificOutput":{"permissionDecision":"deny"}}'
  const stranger = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      heard += bytes.toString()
      socket.end(`a-proof-of-nothing ${denial.length} ${denial}`)
    })
  })
  await new Promise<void>((done) => stranger.listen(0, '127.0.0.1', done))
  onTestFinished(() => void stranger.close())
  const address = stranger.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const card = join(theatre.store, 'daemon.json')
  const told = theatre.read(card).replace(/"hook":"\d+/, () => `"hook":"${port}`)
  writeFileSync(card, told)
  // In another process: this one has to serve the stranger.
  const { spawn } = await import('node:child_process')
  const child = spawn(HOOK, ['claude'], { env: theatre.env, stdio: ['pipe', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.on('data', (bytes: Buffer) => (said += bytes.toString()))
  child.stdin.end(JSON.stringify({ session_id: 's1', cwd: theatre.ws, ...bash('t1') }))
  expect(await new Promise((done) => child.on('close', done))).toBe(0)
  expect(heard).toContain('"tool_use_id":"t1"')
  expect(said).toBe('')
  theatre.write('made.txt', 'made\n')
  hook(theatre, bash('t1', 'PostToolUse'))
  hook(theatre, STOP)
  expect(theatre.tw('log').snapshots[0]).toMatchObject({ affected_files: ['made.txt'], tool: 'Bash' })
})

test('what would delete the store is denied, and nothing else', () => {
  const theatre = newTheatre({ 'a.txt': 'a\n' })
  hook(theatre, START)
  const run = (command: string) => hook(theatre, { ...bash('t1'), tool_input: { command } }).stdout
  expect(JSON.parse(run(`rm -rf ${theatre.store}`)).hookSpecificOutput).toMatchObject({ permissionDecision: 'deny' })
  expect(run('rm -rf .')).toBe('')
})

test('a folder that cannot be a workspace is told of once, and left alone', () => {
  const theatre = newTheatre()
  const at = { cwd: '/' }
  expect(hook(theatre, { ...START, ...at }).stdout).toContain('does not guard this session')
  expect(hook(theatre, { ...bash('t1'), ...at })).toMatchObject({ status: 0, stdout: '' })
})

/** A file system of its own, so that it can be full; undefined where the system does not allow it. */
function smallDisk(at: string): boolean {
  mkdirSync(at, { recursive: true })
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=3m,mode=700', 'tmpfs', at]).status !== 0) return false
  onTestFinished(() => void spawnSync('umount', ['-l', at]))
  return true
}

for (const daemon of ['on', 'off'])
  test(`a store that is full, daemon ${daemon}: hooks succeed, and status tells what was not captured and why`, ({
    skip,
  }) => {
    const theatre = newTheatre({ 'a.txt': 'a\n' })
    if (!smallDisk(theatre.store)) return skip('no file system may be mounted here')
    const tell = (payload: object) => hook(theatre, payload, { TIMEWARP_DAEMON: daemon })
    tell(START)
    const ballast = join(theatre.store, 'ballast')
    spawnSync('dd', ['if=/dev/zero', `of=${ballast}`, 'bs=4k'])
    for (const id of ['t1', 't2']) {
      expect(tell(bash(id))).toMatchObject({ status: 0, stdout: '' })
      theatre.write(`made-${id}.txt`, randomBytes(200_000).toString('hex'))
      expect(tell(bash(id, 'PostToolUse'))).toMatchObject({ status: 0, stdout: '' })
    }
    rmSync(ballast)
    expect(tell(STOP)).toMatchObject({ status: 0 })
    const { gaps } = theatre.tw('status')
    expect(gaps.map(({ tool }: { tool: string }) => tool)).toContain('Bash')
    expect(JSON.stringify(gaps)).toContain('no space left')
  })

withClient('claude', () => {
  test('a session goes on while the daemon is killed again and again, and nothing is missing', async () => {
    const theatre = newTheatre({ 'a.txt': 'a\n' })
    theatre.guard('claude')
    const kill = `kill -9 $(sed -E 's/.*"pid":([0-9]+),"version".*/\\1/' ${theatre.store}/daemon.json)`
    const script: Conversation = {
      turns: [
        write(theatre, 'one.txt'),
        { tools: [{ name: 'Bash', input: { command: `${kill}; echo 2 > two.txt`, description: 'x' } }] },
        write(theatre, 'three.txt'),
        { tools: [{ name: 'Bash', input: { command: `${kill}; echo 4 > four.txt`, description: 'x' } }] },
        write(theatre, 'five.txt'),
        { text: 'Done.' },
      ],
    }
    const { first } = await theatre.play([script], theatre.actor('claude', 'go'))
    expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('Done.') })
    const found = (await theatre.timeline()).flatMap(({ cause, affected_files }) =>
      affected_files.map((path: string) => [path, cause.tool ?? null]),
    )
    for (const [path, tool] of [
      ['one.txt', 'Write'],
      ['two.txt', 'Bash'],
      ['three.txt', 'Write'],
      ['four.txt', 'Bash'],
      ['five.txt', 'Write'],
    ])
      expect(found).toContainEqual([path, tool])
  })

  test('a call that was denied has no end, and is not taken for one that still runs', async () => {
    const theatre = newTheatre({
      'denied.sh': 'echo no > no.txt\n',
      'work.sh': 'echo made > made.txt\n',
      '.claude/settings.json': JSON.stringify({ permissions: { deny: ['Bash(sh ./denied.sh)'] } }),
    })
    theatre.guard('claude')
    const run = (command: string): Turn => ({
      // A real model takes longer.
      delay_ms: 500,
      tools: [{ name: 'Bash', input: { command, description: 'x' } }],
    })
    const turns = [run('sh ./denied.sh'), run('sh ./work.sh'), { text: 'Done.' }]
    const { first } = await theatre.play([{ turns }], theatre.actor('claude', 'go'))
    expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('Done.') })
    expect(existsSync(join(theatre.ws, 'no.txt'))).toBe(false)
    const made = (await theatre.timeline()).find(({ affected_files: files }) => files.includes('made.txt'))
    expect(made?.cause).toMatchObject({ tool: 'Bash', tool_input: { command: 'sh ./work.sh' } })
    expect(made?.cause).not.toHaveProperty('shared')
  })
})
