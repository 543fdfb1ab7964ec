import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { newLive, REPOSITORY } from '../live/kit.ts'

/** Few watches, few descriptors, a workspace that is read-only. Needs root, or user namespaces for the first. */

const TIMEWARP = join(REPOSITORY, 'bin/timewarp')

test.each(['max_inotify_watches', 'max_inotify_instances'])('with %s at 0 the daemon runs and is blind', (limit) => {
  const live = newLive({ a: '1' })
  const script = `echo 0 > /proc/sys/user/${limit} && "$0" init --no-snapshot >/dev/null && "$0" daemon start >/dev/null && "$0" snapshot --json && "$0" status --json && "$0" daemon stop >/dev/null`
  const { status, stdout, stderr } = spawnSync('unshare', ['-Ur', 'sh', '-c', script, TIMEWARP], {
    cwd: live.root,
    env: live.environment(),
  })
  expect(status, `this test makes a user namespace: ${stderr.toString()}`).toBe(0)
  const [snapshot, told] = stdout
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(snapshot).toMatchObject({ created: true })
  expect(told.watch).toMatchObject({ sight: 'blind' })
})

test('with few descriptors a command is done, or refused as a whole and with the reason', async () => {
  const live = newLive({ a: '1', 'd/e/f': '2' })
  await live.alone(['snapshot'])
  for (const limit of [64, 48, 32, 28, 26, 24])
    for (const command of ['snapshot -m x', 'log', 'status', 'cat latest a']) {
      const { stdout } = spawnSync('sh', ['-c', `ulimit -n ${limit}; exec "$0" ${command} --json`, TIMEWARP], {
        cwd: live.root,
        env: live.environment({ TIMEWARP_DAEMON: 'off' }),
      })
      const { error } = JSON.parse(stdout.toString() || '{}') as { error?: { code: string } }
      if (error || limit < 32)
        expect([limit, command, error?.code ?? 'TOO_MANY_FILES']).toEqual([limit, command, 'TOO_MANY_FILES'])
    }
})

test('an edit in a workspace that is read-only is refused, and the next commands work', async () => {
  const live = newLive({})
  const mount = (...args: string[]): void => {
    const { status, stderr } = spawnSync('mount', [...args, live.root])
    if (status !== 0) throw new Error(`this test mounts disks and needs root: ${stderr.toString()}`)
  }
  mount('-t', 'tmpfs', 'tmpfs')
  onTestFinished(() => void spawnSync('umount', ['-l', live.root]))
  mkdirSync(join(live.root, '.timewarp'))
  writeFileSync(join(live.root, 'a'), '1')
  await live.alone(['snapshot'])
  mount('-o', 'remount,ro')
  const edit = await live.alone(['mkdir', 'new', '--json'])
  expect(edit.json.error.message).toContain('read-only')
  for (const command of ['status', 'log', 'snapshot'])
    expect((await live.alone([command, '--json'])).json).not.toHaveProperty('error')
  mount('-o', 'remount,rw')
  expect((await live.alone(['mkdir', 'new', '--json'])).json).not.toHaveProperty('error')
})
