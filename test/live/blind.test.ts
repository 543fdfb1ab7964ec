import * as fs from 'node:fs'
import { expect, test, vi } from 'vitest'
import { FolderWatch } from '../../src/daemon/watch/folder-watch.ts'
import type { Blindness } from '../../src/daemon/watch/watch.ts'
import type { StartWatch } from '../../src/daemon/watch/watch-manager.ts'
import { newWarm, type Warm } from './warm.ts'

/** A watch that says nothing of some folders, as the system does for writes through mapped memory. */
const deafTo =
  (folders: readonly string[]): StartWatch =>
  (root, listener, events) =>
    new FolderWatch(
      root,
      {
        changed: (folder, name, moved) => {
          if (!folders.includes(folder)) listener.changed(folder, name, moved)
        },
        rootTouched: () => listener.rootTouched(),
        lost: () => listener.lost(),
      },
      events,
    )

const expectEqual = async (warm: Warm): Promise<void> => expect((await warm.warm()).tree).toBe((await warm.cold()).tree)

const idOf = (warm: Warm): string => (warm.sight as unknown as { workspace_id: string }).workspace_id

test('what changed without being told is found by a look at everything, and looked at from then on', async () => {
  const warm = newWarm({ 'mapped/a': '1', 'told/b': '2' }, deafTo(['mapped']))
  await warm.warm()
  warm.workspace.write({ 'mapped/a': 'x', 'told/b': 'y' })
  expect((await warm.warm()).tree).not.toBe((await warm.cold()).tree)
  expect(await warm.daemon.audit(idOf(warm))).toEqual(['mapped'])
  expect(warm.sight.drifting).toEqual(['mapped'])
  await expectEqual(warm)
  for (const text of ['2', '3']) {
    warm.workspace.write({ 'mapped/a': text })
    await expectEqual(warm)
  }
  expect(await warm.daemon.audit(idOf(warm))).toEqual([])
})

/** A watch that says nothing of some paths. */
const deafToFile =
  (path: string): StartWatch =>
  (root, listener, events) =>
    new FolderWatch(
      root,
      {
        changed: (folder, name, moved) => {
          if (`${folder}/${name}` !== path) listener.changed(folder, name, moved)
        },
        rootTouched: () => listener.rootTouched(),
        lost: () => listener.lost(),
      },
      events,
    )

test('a change without an event is found beside others in its folder, while captures go on', async () => {
  const warm = newWarm({ 'src/mapped': '1', 'src/b': '2' }, deafToFile('src/mapped'))
  await warm.warm()
  warm.workspace.write({ 'src/mapped': 'x', 'src/b': 'y' })
  const audit = warm.daemon.audit(idOf(warm))
  warm.workspace.write({ 'src/c': 'z' })
  await warm.warm()
  expect(await audit).toEqual(['src'])
  await expectEqual(warm)
})

test('a change without an event that another process has captured is not taken back, and found by an audit', async () => {
  const warm = newWarm({ 'src/mapped': '1', b: '2' }, deafToFile('src/mapped'))
  await warm.warm()
  warm.workspace.write({ 'src/mapped': 'x' })
  const { tree } = await warm.workspace.call('snapshot', {})
  expect(await warm.warm()).toMatchObject({ created: false, tree })
  warm.workspace.write({ b: '3' })
  expect(await warm.warm()).toMatchObject({ created: true, modified: 1 })
  await expectEqual(warm)
  warm.workspace.write({ 'src/mapped': 'y' })
  await warm.workspace.call('snapshot', {})
  expect(await warm.daemon.audit(idOf(warm))).toEqual(['src'])
  await expectEqual(warm)
})

test('what is told is no drift', async () => {
  const warm = newWarm({ 'a/b/c': '1' })
  await warm.warm()
  warm.workspace.write({ 'a/b/c': '2', 'new/d': '3' })
  fs.renameSync(warm.workspace.at('a/b'), warm.workspace.at('a/e'))
  expect(await warm.daemon.audit(idOf(warm))).toEqual([])
  await expectEqual(warm)
  expect(await warm.daemon.audit(idOf(warm))).toEqual([])
})

test('before a restore, what it may overwrite is looked at whatever was told', async () => {
  const deaf: string[] = []
  const warm = newWarm({ 'mapped/a': 'first' }, deafTo(deaf))
  const { snapshot_id } = await warm.warm()
  warm.workspace.write({ 'mapped/a': 'second' })
  await warm.warm()
  deaf.push('mapped')
  warm.workspace.write({ 'mapped/a': 'third' })
  const restore = async (id: string): Promise<string> => {
    const { output } = await warm.daemon.call('restore', { workspace: warm.workspace.root, snapshot_id: id })
    return (output as { backup_id: string }).backup_id
  }
  const backup = await restore(snapshot_id)
  expect(warm.workspace.read('mapped/a')).toBe('first')
  await restore(backup)
  expect(warm.workspace.read('mapped/a')).toBe('third')
})

test.each<[Blindness, string]>([
  ['limit', 'allows no more watches'],
  ['refused', 'refuses'],
])('when it cannot be watched (%s) it is scanned, says so, and recovers', async (blindness, words) => {
  let isBlind = true
  const warm = newWarm({ 'a/b': '1' }, (root, listener, events) => {
    const watch = new FolderWatch(root, listener, events)
    return Object.assign(watch, isBlind ? { add: () => blindness } : {})
  })
  await expectEqual(warm)
  expect(warm.sight).toMatchObject({ sight: 'blind', reason: expect.stringContaining(words) })
  warm.workspace.write({ 'a/b': '2', 'c/d': '3' })
  await expectEqual(warm)
  isBlind = false
  const later = Date.now() + 120_000
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => later)
  await warm.warm()
  clock.mockRestore()
  expect(warm.sight).toMatchObject({ sight: 'warm', reason: null })
  warm.workspace.write({ 'a/b': '4' })
  await expectEqual(warm)
})
