import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { newWorkspace } from '../kit/workspace.ts'

/** What was synced in this process since, by path. */
function watchSyncs(): Set<string> {
  const synced = new Set<string>()
  const { fsync, fsyncSync } = fs
  const note = (fd: number): void => void synced.add(fs.readlinkSync(`/proc/self/fd/${fd}`))
  fs.fsync = Object.assign((fd: number, done: fs.NoParamCallback) => {
    note(fd)
    fsync(fd, done)
  }, fsync)
  fs.fsyncSync = (fd) => {
    note(fd)
    fsyncSync(fd)
  }
  syncBuiltinESMExports()
  onTestFinished(() => {
    Object.assign(fs, { fsync, fsyncSync })
    syncBuiltinESMExports()
  })
  return synced
}

test.runIf(process.platform === 'linux').for(['materialise', 'travel'])(
  'what %s wrote, and the way to it, is synced before it answers',
  async (tool) => {
    const workspace = newWorkspace({ a: 'a', 'dir/b': 'b' })
    const snapshot_id = await workspace.snapshot()
    const dir = join(workspace.temp, 'new/copy')
    const synced = watchSyncs()
    if (tool === 'materialise') await workspace.call('materialise', { snapshot_id, dir })
    else await workspace.call('timewarp_travel', { snapshot_id, into: dir })
    const wanted = ['a', 'dir/b', 'dir', '', '..', '../..'].map((path) => join(dir, path).replace(/\/$/, ''))
    expect([...synced]).toEqual(expect.arrayContaining(wanted))
  },
)
