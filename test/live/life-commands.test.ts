import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { answerOf, beginStore } from '../kit/workspace.ts'
import { firstLine, gone, kill, newLive } from './kit.ts'

/** `timewarp daemon …`, and daemons that nobody asked for. */

test('start, status, logs, restart and stop say what is, to people', async () => {
  const live = newLive()
  beginStore(live.home)
  expect(await live.tw(['daemon', 'status'])).toMatchObject({
    exit: 0,
    stdout: `No daemon runs for ${live.home}. Commands do the work themselves, and start one.\n`,
  })
  expect((await live.tw(['daemon', 'logs'])).stdout).toBe(`There is nothing in ${live.home}/logs/daemon.log\n`)
  expect((await live.tw(['daemon', 'stop'])).stdout).toBe('No daemon runs.\n')
  expect((await live.tw(['daemon', 'start'])).stdout).toMatch(
    /^Started\.\nProcess +\d+, version [\d.]+, since .*\nSocket +.*daemon\.sock\nAddress +http:\/\/127\.0\.0\.1:\d+\n/,
  )
  expect((await live.tw(['daemon', 'start'])).stdout).toMatch(/^It runs already\.\nProcess /)
  await live.tw(['snapshot'])
  expect((await live.tw(['daemon'])).stdout).toContain(`Workspaces:\n  ${live.root}  watched (1 folder)\n`)
  expect((await live.tw(['daemon', 'restart'])).stdout).toMatch(/^Started anew\.\nProcess /)
  const lines = (await live.tw(['daemon', 'logs', '-n', '2'])).stdout.trim().split('\n')
  expect(lines.map((line) => JSON.parse(line).message)).toEqual(['stopped', 'started'])
  expect((await live.tw(['daemon', 'stop'])).stdout).toBe('Stopped.\n')
  expect(live.pids()).toEqual([])
})

test('the same as JSON', async () => {
  const live = newLive()
  beginStore(live.home)
  const { home } = live
  const json = async (...args: string[]) => (await live.tw(['daemon', ...args, '--json'])).json
  expect(await json('status')).toEqual({ home, running: false })
  expect(await json('logs')).toEqual({ log: `${home}/logs/daemon.log`, lines: [] })
  expect(await json('stop')).toEqual({ running: false, stopped: false })
  const first = await json('start')
  const { pid, url } = live.card
  expect(first).toMatchObject({ home, started: true, running: true, answers: true, pid, url, workspaces: [] })
  expect(await json('start')).toMatchObject({ started: false, running: true, pid })
  expect(await json('status')).toMatchObject({ home, running: true, pid, socket: live.socket, url })
  expect(await json('restart')).toMatchObject({ stopped: true, started: true, running: true })
  expect(live.card.pid).not.toBe(pid)
  expect((await json('logs', '-n', '3')).lines.map(({ message }: { message: string }) => message)).toEqual([
    'stopping',
    'stopped',
    'started',
  ])
  expect(await json('stop')).toEqual({ running: false, stopped: true })
})

test('a second daemon of a home says who is the first, and the first goes on', async () => {
  const live = newLive()
  await live.serve()
  const { pid } = live.card
  const second = live.daemon()
  const said = JSON.parse(await firstLine(second))
  expect(said.error).toMatchObject({ code: 'DAEMON_RUNNING', data: { home: live.home } })
  expect(said.error.message).toContain(`process ${pid} on `)
  await answerOf(second)
  expect(second.exitCode).toBe(5)
  expect(await live.health()).toMatchObject({ ok: true, pid })
  expect(live.card.pid).toBe(pid)
})

test('of many that start at once, one becomes the daemon', async () => {
  const live = newLive()
  beginStore(live.home)
  const answers = await Promise.all(Array.from({ length: 4 }, () => live.tw(['daemon', 'start', '--json'])))
  expect(answers.map(({ exit }) => exit)).toEqual([0, 0, 0, 0])
  expect(answers.filter(({ json }) => json.started)).toHaveLength(1)
  expect(new Set(answers.map(({ json }) => json.pid))).toEqual(new Set([live.card.pid]))
})

test('one that does not answer is told of, waited for no longer than reasonable, and can be ended', async () => {
  const live = newLive()
  await live.serve()
  const { pid } = live.card
  kill(pid, 'SIGSTOP')
  const [status, snapshot] = await Promise.all([
    live.tw(['daemon', 'status', '--json']),
    live.tw(['snapshot', '-m', 'once', '--json']),
  ])
  expect(status.json).toEqual({ home: live.home, running: true, answers: false, pid })
  expect(snapshot.json).toMatchObject({ created: true })
  // When it comes to itself again, it does not do what it was asked long ago.
  kill(pid, 'SIGCONT')
  expect(await live.served()).toMatchObject({ pid })
  expect((await live.call('status')).status).toBe(200)
  expect((await live.tw(['log', '--json'])).json.snapshots).toHaveLength(1)
  expect((await live.tw(['daemon', 'stop'])).stdout).toBe('Stopped.\n')
})

test('a command without a daemon answers, and soon one serves that home', async () => {
  const live = newLive()
  const first = await live.tw(['snapshot', '--json'])
  expect(first).toMatchObject({ exit: 0, stderr: '', json: { created: true, files: 1 } })
  const { pid } = await live.served()
  expect(await live.tw(['status', '--json'])).toMatchObject({ exit: 0, json: { root: live.root } })
  expect(await live.health()).toMatchObject({ pid, calls: 1, home: live.home })
})

test.for([
  ['--no-daemon', ['--no-daemon'], {}],
  ['TIMEWARP_DAEMON=off', [], { TIMEWARP_DAEMON: 'off' }],
] as const)('%s starts none, and asks none', async ([, flags, env]) => {
  const live = newLive()
  expect((await live.tw(['snapshot', ...flags], { env })).exit).toBe(0)
  expect([live.pids(), existsSync(live.socket)]).toEqual([[], false])
  await live.serve()
  expect((await live.tw(['snapshot', ...flags], { env })).exit).toBe(0)
  expect(await live.health()).toMatchObject({ calls: 0 })
})

test('settings turn it off: none is started, and one that runs goes away at the next call', async () => {
  const live = newLive()
  await live.serve()
  const { pid } = live.card
  expect((await live.tw(['config', 'daemon', 'false', '--home'])).exit).toBe(0)
  expect(await live.health()).toMatchObject({ pid, calls: 1 })
  expect(await live.tw(['snapshot', '--json'])).toMatchObject({ exit: 0, json: { created: true } })
  await gone(pid)
  expect((await live.tw(['snapshot', '--json'])).json).toMatchObject({ created: false })
  expect(live.pids()).toEqual([])
  expect(live.log.at(-1)).toMatchObject({ message: 'stopped', why: 'the settings turn it off' })
})
