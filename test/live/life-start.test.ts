import { spawn } from 'node:child_process'
import * as fs from 'node:fs'
import * as net from 'node:net'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { identity, isRunning } from '../../src/host/processes/process.ts'
import { beginStore, isRoot, NOBODY } from '../kit/workspace.ts'
import { gone, kill, type Live, newLive, REPOSITORY, until } from './kit.ts'

/** Where a daemon comes from, what it finds, and who comes after it. */

const LAUNCHER = join(REPOSITORY, 'bin/timewarp')

/** A shell in a process group of its own. */
function inShell(live: Live, script: string) {
  const child = spawn('sh', ['-c', script, LAUNCHER], { cwd: live.root, env: live.environment(), detached: true })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

test('it outlives the shell that it was started from', async () => {
  const live = newLive()
  const shell = inShell(live, '"$0" snapshot')
  await new Promise((done) => shell.once('exit', done))
  const { pid } = await live.served()
  expect(await live.health()).toMatchObject({ pid })
})

test.for(['SIGHUP', 'SIGINT'] as const)('it outlives %s to the group that it was started from', async (signal) => {
  const live = newLive()
  const shell = inShell(live, '"$0" snapshot; sleep 60')
  const { pid } = await live.served()
  process.kill(-(shell.pid as number), signal)
  await new Promise((done) => shell.once('exit', done))
  expect(await live.health()).toMatchObject({ pid })
})

test('SIGHUP to itself does not end it', async () => {
  const live = newLive()
  await live.serve()
  const { pid } = live.card
  kill(pid, 'SIGHUP')
  // A daemon that is about to end says so before it answers again.
  for (const _ of [1, 2]) expect(await live.health()).toMatchObject({ ok: true, pid })
  expect(live.log.map(({ message }) => message)).not.toContain('stopping')
})

test('what a killed daemon left behind hinders neither commands nor the next daemon', async () => {
  const live = newLive()
  beginStore(live.home)
  // Nobody asks for its exit code: it is dead, but its number is still taken, as in containers.
  const parent = inShell(live, `"${process.execPath}" "${REPOSITORY}/dist/daemon.cjs" "${live.home}" & exec sleep 60`)
  const { pid } = await live.served()
  kill(pid, 'SIGKILL')
  await gone(pid)
  expect([fs.existsSync(live.socket), live.card.pid, isRunning(parent.pid as number)]).toEqual([true, pid, true])
  expect((await live.tw(['daemon', 'status', '--json'])).json).toEqual({ home: live.home, running: false })
  expect((await live.tw(['daemon', 'stop', '--json'])).json).toMatchObject({ stopped: false })
  expect(await live.tw(['snapshot', '--json'])).toMatchObject({ exit: 0, stderr: '', json: { created: true } })
  const next = await live.served(pid)
  expect(live.card.pid).toBe(next.pid)
  expect((await live.tw(['status', '--json'])).exit).toBe(0)
  expect(await live.health()).toMatchObject({ pid: next.pid, calls: 1 })
})

test('rubbish in the place of socket and card is no obstacle, and a number that now is another process’s is not killed', async () => {
  const live = newLive()
  await live.alone(['snapshot'])
  fs.writeFileSync(live.socket, 'rubbish')
  fs.writeFileSync(join(live.home, 'daemon.json'), 'rubbish')
  expect((await live.tw(['status'])).exit).toBe(0)
  await live.served()
  await live.tw(['daemon', 'stop'])
  const other = spawn('sleep', ['60'])
  onTestFinished(() => void other.kill('SIGKILL'))
  const process = { ...identity(), pid: other.pid, started: '1' }
  fs.writeFileSync(join(live.home, 'daemon.json'), JSON.stringify({ process, pid: other.pid }))
  expect((await live.tw(['daemon', 'stop', '--json'])).json).toEqual({ running: false, stopped: false })
  const elsewhere = { ...identity(), pid: other.pid, host: 'another-machine' }
  fs.writeFileSync(join(live.home, 'daemon.json'), JSON.stringify({ process: elsewhere, pid: other.pid }))
  expect((await live.tw(['daemon', 'stop', '--json'])).json.error).toMatchObject({ code: 'DAEMON_STUCK' })
  expect(isRunning(other.pid as number)).toBe(true)
})

test('one that cannot write down who it is says so and does not stay', async () => {
  const live = newLive()
  await live.alone(['snapshot'])
  fs.mkdirSync(join(live.home, 'daemon.json/in the way'), { recursive: true })
  const answer = await live.tw(['daemon', 'start', '--json'])
  expect([answer.exit, answer.json.error.code]).toEqual([70, 'INTERNAL'])
  expect((await live.tw(['snapshot'])).exit).toBe(0)
  await until('nobody tries any more', () => live.pids().length === 0 || undefined)
})

test('one that nobody can find any more goes away, and takes nothing of its successor with it', async () => {
  const live = newLive({ a: '1' }, { env: { TIMEWARP_TEST_TICK_MS: '300' } })
  await live.serve()
  const { pid } = live.card
  fs.rmSync(live.socket)
  await gone(pid)
  await live.serve()
  const second = live.card.pid
  fs.renameSync(live.home, `${live.home}.away`)
  await live.serve()
  const third = live.card.pid
  await gone(second)
  expect(await live.health()).toMatchObject({ pid: third })
  expect(live.card.pid).toBe(third)
})

test('one whose records were made anew beside it does not go on with the old ones', async () => {
  const live = newLive()
  await live.serve()
  const { pid } = live.card
  const first = (await live.tw(['snapshot', '--json'])).json.snapshot_id
  for (const suffix of ['', '-wal', '-shm']) fs.rmSync(join(live.home, `timewarp.db${suffix}`), { force: true })
  expect((await live.alone(['fsck', '--rebuild', '--json'])).json).toMatchObject({ rebuilt: true })
  expect((await live.call('status')).json.error).toMatchObject({ code: 'DAEMON_LOST' })
  live.workspace.write({ b: '2' })
  const second = (await live.tw(['snapshot', '--json'])).json.snapshot_id
  const { snapshots } = (await live.alone(['log', '--json'])).json
  expect(snapshots.map(({ snapshot_id }: { snapshot_id: string }) => snapshot_id)).toEqual([second, first])
  await gone(pid)
  expect(await live.served(pid)).toMatchObject({ ok: true })
})

test('a home that is removed is not made again', async () => {
  const live = newLive({ a: '1' }, { env: { TIMEWARP_TEST_TICK_MS: '300' } })
  await live.serve()
  const { pid } = live.card
  await live.tw(['snapshot'])
  expect((await live.tw(['uninstall', '--store', '--yes', '--json'])).exit).toBe(0)
  await gone(pid)
  expect(fs.existsSync(live.home)).toBe(false)
})

const LONG = `${'h'.repeat(60)}/${'i'.repeat(60)}`

function newLong(): { live: Live; runtime: string } {
  const live = newLive({ a: '1' }, { home: LONG })
  const runtime = join(live.workspace.temp, 'run')
  fs.mkdirSync(runtime, { mode: 0o700 })
  beginStore(live.home)
  return { live, runtime }
}

test('a home with a long name has its socket in the runtime folder', async () => {
  const { live, runtime } = newLong()
  const env = { XDG_RUNTIME_DIR: runtime }
  expect((await live.tw(['snapshot'], { env })).exit).toBe(0)
  const { pid } = await live.served()
  expect(dirname(live.card.socket)).toBe(runtime)
  expect(fs.statSync(live.card.socket).mode & 0o777).toBe(0o600)
  expect((await live.tw(['status'], { env })).exit).toBe(0)
  expect((await live.tw(['daemon', 'status', '--json'], { env })).json).toMatchObject({ pid, calls: 1 })
  expect((await live.tw(['daemon', 'stop'], { env })).stdout).toBe('Stopped.\n')
  expect(fs.readdirSync(runtime)).toEqual([])
})

test('without a runtime folder it is in a private one in /tmp', async () => {
  const { live } = newLong()
  const env = { XDG_RUNTIME_DIR: '' }
  const folder = `/tmp/timewarp-${process.getuid?.()}`
  expect((await live.tw(['daemon', 'start', '--json'], { env })).json.socket).toMatch(`${folder}/timewarp-`)
  expect(fs.statSync(folder).mode & 0o777).toBe(0o700)
  expect((await live.tw(['snapshot'], { env })).exit).toBe(0)
  expect(await live.health()).toMatchObject({ calls: 1 })
})

/** Somebody else waits where the daemon would be; returns how many came to him. */
async function lurk(path: string): Promise<() => number> {
  let came = 0
  const server = net.createServer((socket) => {
    came++
    socket.destroy()
  })
  await new Promise<void>((done) => server.listen(path, done))
  onTestFinished(() => void server.close())
  return () => came
}

test.for([
  ['that others may write to', (dir: string) => fs.chmodSync(dir, 0o777)],
  ['of somebody else', (dir: string) => fs.chownSync(dir, NOBODY, NOBODY)],
  [
    'behind somebody else’s link',
    (dir: string) => {
      fs.renameSync(dir, `${dir}.real`)
      fs.symlinkSync(`${dir}.real`, dir)
      fs.lchownSync(dir, NOBODY, NOBODY)
    },
  ],
] as const)('a runtime folder %s is refused by daemon and commands', async ([what, spoil], { skip }) => {
  if (what !== 'that others may write to' && !isRoot) skip('only root may give files away')
  const { live, runtime } = newLong()
  const env = { XDG_RUNTIME_DIR: runtime }
  await live.tw(['daemon', 'start'], { env })
  const { socket } = live.card
  await live.tw(['daemon', 'stop'], { env })
  spoil(runtime)
  const came = await lurk(socket)
  const refused = (await live.tw(['daemon', 'start', '--json'], { env })).json
  expect(refused.error).toMatchObject({ code: 'HOME_BAD', data: { path: runtime } })
  expect((await live.tw(['snapshot', '--json'], { env })).json).toMatchObject({ created: true })
  await until('nobody tries any more', () => live.pids().length === 0 || undefined)
  expect(came()).toBe(0)
})

/** The programs as somebody else would have them installed. */
function installCopy(live: Live): string {
  const copy = join(live.workspace.temp, 'copy')
  for (const dir of ['bin', 'dist'])
    fs.cpSync(join(REPOSITORY, dir), join(copy, dir), { recursive: true, preserveTimestamps: true })
  fs.symlinkSync(fs.realpathSync(join(REPOSITORY, 'node_modules')), join(copy, 'node_modules'))
  live.programs = copy
  return join(copy, 'dist/main.cjs')
}

test('when the program was replaced, the next command is answered, and the one after by a new daemon', async () => {
  const live = newLive()
  const main = installCopy(live)
  await live.tw(['snapshot'])
  const { pid } = await live.served()
  fs.utimesSync(main, new Date(), new Date())
  live.workspace.write({ b: '2' })
  expect(await live.tw(['snapshot', '--json'])).toMatchObject({ exit: 0, json: { created: true, files: 2 } })
  await gone(pid)
  const next = await live.served(pid)
  expect((await live.tw(['snapshot', '--json'])).json).toMatchObject({ created: false, files: 2 })
  expect(await live.health()).toMatchObject({ pid: next.pid, calls: 1 })
  expect(live.log.filter(({ message }) => message === 'stopped')).toMatchObject([
    { pid, why: 'a newer program called' },
  ])
})

test('when the program was replaced and nobody calls, it goes away by itself', async () => {
  const live = newLive({ a: '1' }, { env: { TIMEWARP_TEST_TICK_MS: '300' } })
  const main = installCopy(live)
  await live.serve()
  const { pid } = live.card
  fs.utimesSync(main, new Date(), new Date())
  await gone(pid)
  expect(live.log.at(-1)).toMatchObject({ message: 'stopped', why: 'the program was replaced' })
})

const command = (live: Live, build: string) =>
  live.ask('/v1/command', {
    body: {
      argv: ['status'],
      cwd: live.root,
      env: {},
      out_is_terminal: false,
      err_is_terminal: false,
      columns: 80,
      build,
    },
  })

test('a program of a higher version makes it go away; an older one, or another of the same, is declined', async () => {
  const live = newLive()
  await live.serve()
  const { pid, version } = live.card
  for (const build of ['0.0.1 1-1', `${version} 1-1`, 'nonsense'])
    expect(await command(live, build)).toMatchObject({ status: 421, json: { error: { code: 'COMMAND_DECLINED' } } })
  expect(await live.health()).toMatchObject({ pid })
  const [major] = version.split('.')
  expect((await command(live, `${Number(major) + 1}.0.0 1-1`)).status).toBe(426)
  await gone(pid)
})
