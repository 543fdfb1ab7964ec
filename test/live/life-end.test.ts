import * as fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openApp } from '../../src/app/app.ts'
import { openLog } from '../../src/daemon/life/log.ts'
import { isOnBattery } from '../../src/daemon/life/system-load.ts'
import { isRunning } from '../../src/host/processes/process.ts'
import { leaseName } from '../../src/timeline/capture/capture.ts'
import { answerOf, newWorkspace } from '../kit/workspace.ts'
import { gone, kill, type Live, newLive, pause, until } from './kit.ts'

/** How a daemon ends, and what it leaves behind. */

const events = (live: Live): string[] => live.log.map(({ message }) => message)

/** Keeps every capture of the workspace waiting until it is let go. */
async function holdUp(live: Live): Promise<() => void> {
  const { workspace_id } = (await live.alone(['init', '--json'])).json
  const app = openApp({ home: live.home })
  const lease = app.records.leases.tryTake(leaseName(workspace_id), 'a test')
  if (!lease.taken) throw new Error('somebody else has it')
  return () => {
    app.records.leases.release(leaseName(workspace_id), lease.fence)
    app.close()
  }
}

test.for(['SIGTERM', 'SIGINT'] as const)(
  'at %s the calls under way are finished and answered first',
  async (signal) => {
    const live = newLive()
    const letGo = await holdUp(live)
    await live.serve()
    const { pid } = live.card
    live.workspace.write({ b: '2' })
    const command = answerOf(live.start(['snapshot', '-m', 'a command', '--json']))
    const call = live.call('snapshot', { label: 'a call' })
    await until('it is at work', async () => ((await live.health())?.calls === 2 ? true : undefined))
    kill(pid, signal)
    await until('it is about to end', () => events(live).includes('stopping') || undefined)
    await pause(1300)
    expect([isRunning(pid), fs.existsSync(live.socket)]).toEqual([true, false])
    letGo()
    expect(await command).toMatchObject({ exit: 0, stderr: '', json: { created: true, files: 2 } })
    expect(await call).toMatchObject({ status: 200, json: { created: true } })
    await gone(pid)
    expect([fs.existsSync(live.socket), live.card]).toEqual([false, undefined])
    expect(live.log).toMatchObject([
      { pid, message: 'started' },
      { pid, message: 'stopping', why: signal },
      { pid, message: 'stopped', why: signal },
    ])
    const labels = (await live.alone(['log', '--json'])).json.snapshots.map(({ label }: { label: string }) => label)
    expect(labels).toEqual(expect.arrayContaining(['a command', 'a call']))
  },
)

test('while one is about to end, commands do without, and the next daemon waits for it', async () => {
  const live = newLive()
  const letGo = await holdUp(live)
  await live.serve()
  const { pid } = live.card
  const call = live.call('snapshot', { label: 'a call' })
  await until('it is at work', async () => ((await live.health())?.calls === 1 ? true : undefined))
  const stopping = live.tw(['daemon', 'stop', '--json'])
  await until('it is about to end', () => events(live).includes('stopping') || undefined)
  expect((await live.tw(['status', '--json'])).exit).toBe(0)
  expect((await live.tw(['daemon', 'status', '--json'])).json).toMatchObject({ running: true, answers: false, pid })
  letGo()
  expect((await call).status).toBe(200)
  expect((await stopping).json).toMatchObject({ stopped: true })
  expect(await live.served(pid)).toMatchObject({ ok: true })
})

test('readers of events and clients that hang do not keep it', async () => {
  const live = newLive()
  await live.serve()
  const { pid } = live.card
  const reading = live.ask('/v1/events').catch((error: Error) => error)
  await pause(100)
  expect((await live.tw(['daemon', 'stop'])).stdout).toBe('Stopped.\n')
  await gone(pid)
  await reading
})

test('what it was asked before it ended is there, and the next begins where it ended', async () => {
  const live = newLive()
  await live.serve()
  const first = (await live.tw(['snapshot', '--json'])).json.snapshot_id
  await live.tw(['daemon', 'restart'])
  expect((await live.tw(['snapshot', '--json'])).json).toMatchObject({ created: false, snapshot_id: first })
  expect((await live.alone(['fsck', '--json'])).json).toMatchObject({ ok: true })
})

test('a port that somebody has is replaced by another', async () => {
  const [first, second] = [newLive(), newLive()]
  await first.serve()
  const port = Number(new URL(first.card.url).port)
  await second.alone(['config', 'http.port', String(port), '--home'])
  await second.serve()
  expect(events(second)).toEqual(['the port cannot be used', 'started'])
  expect(second.card.url).not.toBe(first.card.url)
  expect((await second.ask('/v1/health', { port: Number(new URL(second.card.url).port) })).status).toBe(401)
})

test('the log is renamed when it is full, and the oldest is dropped', () => {
  const { temp } = newWorkspace()
  const path = join(temp, 'logs/daemon.log')
  const log = openLog(path, 300)
  for (let i = 0; i < 40; i++) log(`message ${i}`, { text: 'ä' })
  expect(fs.readdirSync(join(temp, 'logs')).sort()).toEqual(
    ['', '.1', '.2', '.3'].map((suffix) => `daemon.log${suffix}`),
  )
  const lines = ['.3', '.2', '.1', ''].flatMap((suffix) =>
    fs
      .readFileSync(path + suffix, 'utf8')
      .trimEnd()
      .split('\n'),
  )
  const numbers = lines.map((line) => Number(JSON.parse(line).message.split(' ')[1]))
  expect(numbers).toEqual(Array.from(numbers, (_, i) => 40 - numbers.length + i))
  for (const name of fs.readdirSync(join(temp, 'logs'))) {
    const { size, mode } = fs.statSync(join(temp, 'logs', name))
    expect([size <= 300, mode & 0o777]).toEqual([true, 0o600])
  }
})

test('a log that cannot be written takes nothing down', () => {
  const { temp } = newWorkspace()
  openLog(join(temp, 'no/such/folder/daemon.log'))('a message')
  fs.writeFileSync(join(temp, 'file'), '')
  openLog(join(temp, 'file/daemon.log'))('a message')
  expect(fs.existsSync(join(temp, 'no'))).toBe(false)
})

test('a battery is noticed beside a charger that has no status', () => {
  const { temp } = newWorkspace()
  const supply = (name: string, file: string, text: string): void => {
    fs.mkdirSync(join(temp, 'supplies', name), { recursive: true })
    fs.writeFileSync(join(temp, 'supplies', name, file), text)
  }
  expect(isOnBattery(join(temp, 'supplies'))).toBe(false)
  supply('AC', 'online', '0\n')
  supply('BAT0', 'status', 'Discharging\n')
  expect(isOnBattery(join(temp, 'supplies'))).toBe(true)
  supply('BAT0', 'status', 'Charging\n')
  expect(isOnBattery(join(temp, 'supplies'))).toBe(false)
})
