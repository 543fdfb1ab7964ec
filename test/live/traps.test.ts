import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fileSystemWithoutEvents, mountWithoutEventsBelow } from '../../src/daemon/watch/file-systems-without-events.ts'
import { newWarm, type Warm } from './warm.ts'

/** What a watch does not tell, or tells wrongly, must not be missed. */

async function expectEqual(warm: Warm): Promise<void> {
  expect((await warm.warm()).tree).toBe((await warm.cold()).tree)
}

/** In a process of its own, while the loop of this one stands still. */
const inShell = (script: string, ...words: string[]): void => {
  const { status, stderr } = spawnSync('sh', ['-c', script, 'sh', ...words], { encoding: 'utf8' })
  expect(status, stderr).toBe(0)
}

test('more events than the system keeps: everything is looked at', async () => {
  const warm = newWarm({ 'src/a': '1' })
  await warm.warm()
  const kept = Number(fs.readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8'))
  inShell(
    'cd "$1/src" && i=0; while [ $i -lt 20 ]; do mkdir d$i; (cd d$i && touch $(seq 100)); i=$((i+1)); done',
    warm.workspace.root,
  )
  // Every new file is more than one event.
  inShell('cd "$1/src" && seq "$2" | xargs touch && seq 1 3 "$2" | xargs rm', warm.workspace.root, `${kept / 2}`)
  await expectEqual(warm)
  expect(warm.said.join('\n')).toContain('events were lost')
  warm.workspace.write({ 'src/d7/7': 'changed' })
  await expectEqual(warm)
  expect(warm.sight.sight).toBe('warm')
}, 60_000)

test('a file that is written to through a name outside the workspace', async () => {
  const warm = newWarm({ 'src/a': 'one', 'src/b': '2' })
  fs.linkSync(warm.workspace.at('src/a'), join(warm.workspace.temp, 'outside'))
  await warm.warm()
  for (const text of ['two', 'thr']) {
    fs.writeFileSync(join(warm.workspace.temp, 'outside'), text)
    await expectEqual(warm)
  }
})

test('a second name made later, of which only its own folder is told', async () => {
  const warm = newWarm({ 'src/a': 'one', 'lib/b': '2' })
  await warm.warm()
  fs.linkSync(warm.workspace.at('src/a'), warm.workspace.at('lib/c'))
  await expectEqual(warm)
  fs.appendFileSync(warm.workspace.at('lib/c'), 'x')
  await expectEqual(warm)
})

test('a folder that was moved goes on telling under its new name', async () => {
  const warm = newWarm({ 'old/deep/a': '1', 'other/b': '2' })
  await warm.warm()
  fs.renameSync(warm.workspace.at('old'), warm.workspace.at('other/new'))
  await expectEqual(warm)
  for (const text of ['x', 'y']) {
    fs.appendFileSync(warm.workspace.at('other/new/deep/a'), text)
    await expectEqual(warm)
  }
  warm.workspace.write({ 'old/deep/a': 'another' })
  await expectEqual(warm)
  fs.appendFileSync(warm.workspace.at('old/deep/a'), 'z')
  await expectEqual(warm)
})

test('a folder that is replaced by another of the same name', async () => {
  const warm = newWarm({ 'src/in/a': '1', 'src/in/b/c': '2' })
  await warm.warm()
  fs.rmSync(warm.workspace.at('src/in'), { recursive: true })
  warm.workspace.write({ 'src/in/a': '9', 'src/in/b/d': '3' })
  await expectEqual(warm)
  fs.appendFileSync(warm.workspace.at('src/in/b/d'), 'x')
  await expectEqual(warm)
})

test('folders that are filled while their watch is being made', async () => {
  const warm = newWarm({ a: '1' })
  await warm.warm()
  for (let round = 0; round < 10; round++) {
    warm.workspace.write({ [`r${round}/1/2/3/f`]: 'x', [`r${round}/1/g`]: 'y' })
    const capture = warm.warm()
    for (let i = 0; i < 20; i++) {
      warm.workspace.write({ [`r${round}/1/2/n${i}/f`]: `${i}` })
      await new Promise((resolve) => setImmediate(resolve))
    }
    await capture
  }
  await expectEqual(warm)
})

test('a root that is moved away, and another in its place', async () => {
  const warm = newWarm({ a: '1', 'b/c': '2' })
  await warm.warm()
  fs.renameSync(warm.workspace.root, `${warm.workspace.root}-away`)
  await expect(warm.warm()).rejects.toMatchObject({ code: 'ROOT_MISSING' })
  warm.workspace.write({ 'b/c': 'other', d: '3' })
  await expectEqual(warm)
  fs.appendFileSync(warm.workspace.at('b/c'), 'x')
  await expectEqual(warm)
  fs.rmSync(warm.workspace.root, { recursive: true })
  fs.renameSync(`${warm.workspace.root}-away`, warm.workspace.root)
  await expectEqual(warm)
})

test('rules that change are in force at once', async () => {
  const warm = newWarm({ 'src/a': '1', 'src/b.tmp': '2' })
  await warm.warm()
  warm.workspace.write({ '.timewarpignore': '*.tmp\n' })
  await expectEqual(warm)
  const all = (await warm.warm()).files
  for (const home of [warm.workspace.home, join(warm.workspace.temp, 'other')]) warm.workspace.trust(home)
  await expectEqual(warm)
  expect((await warm.warm()).files).toBe(all - 1)
  warm.workspace.write({ '.timewarpignore': '' })
  await expectEqual(warm)
})

test('file systems that send no events are known', () => {
  const line = (at: string, type: string): string => `36 35 98:0 / ${at} rw,noatime master:1 - ${type} source rw`
  expect(mountWithoutEventsBelow('/w', [line('/', 'ext4'), line('/w/net', 'nfs4')].join('\n'))).toBe('nfs4')
  expect(mountWithoutEventsBelow('/w', line('/w/a\\040b', 'fuse.sshfs'))).toBe('fuse.sshfs')
  expect(
    mountWithoutEventsBelow('/w', [line('/w', 'ext4'), line('/wide', 'nfs'), line('/w/t', 'tmpfs')].join('\n')),
  ).toBeUndefined()
  expect(fileSystemWithoutEvents(process.cwd(), '')).toBeUndefined()
})
