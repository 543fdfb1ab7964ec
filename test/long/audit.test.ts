import { expect, test } from 'vitest'
import { FolderWatch } from '../../src/daemon/watch/folder-watch.ts'
import { newWarm } from '../live/warm.ts'

test('a change without an event is captured and reported within a minute of activity', async () => {
  const warm = newWarm({ 'mapped/a': '1', 'busy/b': '0' }, (root, listener, events) => {
    const changed: typeof listener.changed = (folder, name, moved) => {
      if (folder !== 'mapped') listener.changed(folder, name, moved)
    }
    const quiet = { changed, rootTouched: () => listener.rootTouched(), lost: () => listener.lost() }
    return new FolderWatch(root, quiet, events)
  })
  const reported: string[] = []
  warm.daemon.subscribe((event) => void reported.push(JSON.stringify(event)))
  await warm.warm()
  warm.daemon.begin({ everyMs: 1000, isReachable: () => true, onEnd: () => {} })
  warm.workspace.write({ 'mapped/a': '2' })
  const read = async (): Promise<string> => {
    const input = { workspace: warm.workspace.root, snapshot_id: 'latest', path: 'mapped/a' }
    const { output } = await warm.daemon.call('cat', input).catch(() => ({ output: {} }))
    return JSON.stringify(output)
  }
  const before = await read()
  const began = Date.now()
  for (let i = 1; (await read()) === before; i++) {
    expect(Date.now() - began).toBeLessThan(60_000)
    warm.workspace.write({ 'busy/b': `${i}` })
    await new Promise((done) => setTimeout(done, 1000))
  }
  expect(warm.sight.drifting).toEqual(['mapped'])
  expect(reported.join('\n')).toContain('drift')
  expect(warm.said.join('\n')).toContain('never told')
})
