import * as fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { daemonFilesOf } from '../../src/client/daemon-files.ts'
import { announce, arrive, callOff } from '../../src/client/starting.ts'
import { beginStore, ended, newWorkspace } from '../kit/workspace.ts'
import { firstLine, newLive } from './kit.ts'

/** A daemon that is on its way when it is asked to stop, and one whose store is not there. */

test('one that has only just been started is stopped, too', async () => {
  const live = newLive()
  beginStore(live.home)
  for (const delay of [0, 40, 80, 120]) {
    const child = live.daemon()
    await new Promise((done) => setTimeout(done, delay))
    expect((await live.tw(['daemon', 'stop'])).exit).toBe(0)
    await ended(child)
  }
  expect([await live.health(), live.pids()]).toEqual([undefined, []])
  expect((await live.tw(['daemon', 'start', '--json'])).json).toMatchObject({ started: true, running: true })
})

test('who was started before a stop turns back, and who is past that point is found', () => {
  const { home } = newWorkspace()
  beginStore(home)
  const place = daemonFilesOf(home, {})
  expect(announce(place)).toBe(true)
  expect(callOff(place)).toMatchObject([{ pid: process.pid }])
  arrive(place)
  expect(callOff(place)).toEqual([])
  expect(announce(place)).toBe(false)
})

test.for(['start', 'stop', 'restart', 'status'])('daemon %s makes nothing in an empty mount point', async (action) => {
  const live = newLive()
  fs.mkdirSync(live.home)
  await live.tw(['daemon', action])
  expect(fs.readdirSync(live.home)).toEqual([])
})

test('one whose store is not there says so', async () => {
  const live = newLive()
  fs.mkdirSync(live.home)
  const error = JSON.parse(await firstLine(live.daemon())).error
  expect(error).toMatchObject({ code: 'STORE_MISSING', data: { home: live.home } })
  expect(error.hint).toContain('mounted')
  expect(fs.existsSync(join(live.home, 'logs'))).toBe(false)
})
