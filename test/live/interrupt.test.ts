import * as fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fill, interrupted, MODES, stoppedRestore, wordOf } from './interrupted.ts'
import { newLive, until } from './kit.ts'

const TREE = { folders: 8, files: 50 }

test.for(MODES)(
  'Ctrl-C stops a restore, and the files are as before or as wanted, never mixed (%s)',
  async ([, daemon]) => {
    await stoppedRestore(daemon, TREE, [0.4, 0.6, 0.8])
  },
)

test.for(MODES)('Ctrl-C stops a first capture, which records nothing (%s)', async ([, daemon]) => {
  const live = newLive({}, { env: { TIMEWARP_DAEMON: daemon } })
  if (daemon === 'on') await live.serve()
  fill(live, TREE, 'then')
  const { exit, stderr } = await interrupted(live, ['init'], [400])
  const { json } = await live.tw(['log', '--json'])
  if (stderr.includes('Stopped.')) expect({ exit, snapshots: json.snapshots }).toEqual({ exit: 130, snapshots: [] })
  await live.tw(['snapshot'])
  expect((await live.tw(['status', '--json'])).json.changed).toMatchObject({ added: 0, modified: 0, deleted: 0 })
})

test('a second Ctrl-C leaves at once and says that the daemon goes on', async () => {
  const live = newLive({})
  fill(live, TREE, 'then')
  await live.serve()
  const id = (await live.tw(['snapshot', '--json'])).json.snapshot_id as string
  let isLeft = false
  for (let round = 0; round < 8 && !isLeft; round++) {
    fill(live, TREE, 'now')
    const { exit, stderr } = await interrupted(live, ['restore', id], [300 + round * 60, 5])
    isLeft = stderr.includes('The daemon goes on with it')
    if (isLeft)
      expect({ exit, stderr }).toMatchObject({ exit: 130, stderr: expect.stringContaining('timewarp status') })
    await until('it has ended', async () => (await live.tw(['status', '--json'])).json.busy === null || undefined)
    expect(wordOf(live, TREE)).toMatch(/^(then|now)$/)
  }
  expect(isLeft).toBe(true)
})

test('what a client that is killed began is finished by the daemon', async () => {
  const live = newLive({})
  fill(live, TREE, 'then')
  await live.serve()
  const id = (await live.tw(['snapshot', '--json'])).json.snapshot_id as string
  fill(live, TREE, 'now')
  const child = live.start(['restore', id])
  await until('the daemon is at it', async () => (await live.tw(['status', '--json'])).json.busy !== null || undefined)
  child.kill('SIGKILL')
  await until('it has ended', async () => (await live.tw(['status', '--json'])).json.busy === null || undefined)
  expect(wordOf(live, TREE)).toMatch(/^(then|now)$/)
})

test('a materialise that is stopped leaves nothing behind', async () => {
  const live = newLive({})
  fill(live, TREE, 'then')
  const id = (await live.tw(['snapshot', '--json'])).json.snapshot_id as string
  const dir = join(live.workspace.temp, 'out')
  for (const ms of [300, 450]) {
    fs.rmSync(dir, { recursive: true, force: true })
    const { stderr } = await interrupted(live, ['materialise', id, dir], [ms])
    if (stderr.includes('Stopped.')) expect(fs.existsSync(dir)).toBe(false)
  }
})
