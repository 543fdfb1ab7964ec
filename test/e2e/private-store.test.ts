import * as fs from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkRoot } from '../../src/timeline/workspace/workspace.ts'
import { isRoot, NOBODY, newWorkspace, type Workspace } from '../kit/workspace.ts'

/** Nobody but its user gets at the store, whoever made its folder. */

const modeOf = (path: string): number => fs.statSync(path).mode & 0o777
const databases = (workspace: Workspace): string[] =>
  ['timewarp.db', 'timewarp.db-wal', 'timewarp.db-shm'].map((name) => join(workspace.home, name))

describe('the folder of the store', () => {
  test.each([0o755, 0o777, 0o750])('that was there with mode %o is made private', async (mode) => {
    const workspace = newWorkspace({ a: '1' })
    fs.mkdirSync(workspace.home)
    fs.chmodSync(workspace.home, mode)
    await workspace.snapshot()
    expect(modeOf(workspace.home)).toBe(0o700)
    for (const path of databases(workspace)) expect([path, modeOf(path)]).toEqual([path, 0o600])
    fs.chmodSync(workspace.home, mode)
    expect((await workspace.tw(['snapshot'])).exit).toBe(0)
    expect(modeOf(workspace.home)).toBe(0o700)
  })

  test('that is a link is made private where it leads', async () => {
    const workspace = newWorkspace({ a: '1' })
    const real = join(workspace.temp, 'real')
    fs.mkdirSync(real)
    fs.chmodSync(real, 0o755)
    fs.symlinkSync(real, workspace.home)
    await workspace.snapshot()
    expect(modeOf(real)).toBe(0o700)
  })

  test('whose records others could read is closed to them', async () => {
    const workspace = newWorkspace({ a: '1' })
    await workspace.snapshot()
    for (const path of databases(workspace)) fs.chmodSync(path, 0o644)
    expect((await workspace.tw(['snapshot'])).exit).toBe(0)
    for (const path of databases(workspace)) expect([path, modeOf(path)]).toEqual([path, 0o600])
  })

  test('of another user is refused, and nothing is written to it', async () => {
    const workspace = newWorkspace({ a: '1' })
    // Without the rights of root, a folder of root's that all may write to is another user's.
    const home = isRoot ? join(workspace.temp, 'theirs') : '/var/tmp'
    if (isRoot) fs.mkdirSync(home)
    if (isRoot) fs.chownSync(home, NOBODY, NOBODY)
    const { exit, json } = await workspace.tw(['snapshot', '--json'], { env: { TIMEWARP_HOME: home } })
    expect({ exit, code: json.error.code }).toEqual({ exit: 2, code: 'HOME_BAD' })
    expect(json.error.message).toContain('another user')
    for (const name of ['cache', 'objects', 'timewarp.db']) expect(fs.existsSync(join(home, name))).toBe(false)
  })
})

test('what an issue holds, chats among it, is for its user alone, also where a clone brought .timewarp', async () => {
  const workspace = newWorkspace({ a: '1', '.timewarp/README': 'cloned' })
  fs.chmodSync(workspace.at('.timewarp'), 0o755)
  await workspace.call('timewarp_session_start', {})
  expect(modeOf(workspace.at('.timewarp'))).toBe(0o700)
  const { issue_id } = await workspace.call('timewarp_issue_report', {
    task_context: 'The user asked for a release',
    symptom: 'The changelog was forgotten twice',
    success_criteria: 'npm run release exits 1 when CHANGELOG.md has no entry',
  })
  const folder = workspace.at('.timewarp/issues', issue_id)
  expect([modeOf(workspace.at('.timewarp/issues')), modeOf(folder)]).toEqual([0o700, 0o700])
  for (const name of fs.readdirSync(folder)) expect([name, modeOf(join(folder, name))]).toEqual([name, 0o600])
})

describe('a workspace', () => {
  const check = (root: string) => () => checkRoot(root, '/nowhere/store')
  test.each(
    '/ /etc /usr /bin /sbin /lib /lib64 /boot /dev /proc /sys /run /var /home /usr/bin /proc/1 /sys/kernel /dev/disk'.split(
      ' ',
    ),
  )('cannot be %s', (root) => expect(check(root)).toThrow('cannot be a workspace'))
  test.each('/var/tmp/x /home/ann/project /usr/src/app /etc/nginx /tmp/x /srv/app /dev/shm/x /var/www'.split(' '))(
    'can be %s',
    (root) => expect(check(root)).not.toThrow(),
  )
  test('is refused before anything is written', async () => {
    const workspace = newWorkspace({})
    const { exit, json } = await workspace.tw(['-C', '/etc', 'init', '--json'])
    expect({ exit, code: json.error.code }).toEqual({ exit: 4, code: 'WORKSPACE_REFUSED' })
    expect(fs.existsSync('/etc/.timewarp')).toBe(false)
  })
})
