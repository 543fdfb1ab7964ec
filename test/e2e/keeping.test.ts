import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Fault } from '../../src/base/fault.ts'
import { newWorkspace, type Workspace } from '../kit/workspace.ts'

const packBytes = ({ home }: Workspace): number =>
  fs.readdirSync(join(home, 'objects')).reduce((sum, name) => sum + fs.statSync(join(home, 'objects', name)).size, 0)

const noise = (bytes: number): Buffer => randomBytes(bytes)

async function fiveSnapshots(workspace: Workspace): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < 5; i++) {
    workspace.write({ 'big.bin': noise(300_000), [`n${i}`]: String(i) })
    ids.push(await workspace.snapshot())
  }
  return ids
}

test('prune keeps what the policy says, with a reason for each, and really frees space', async () => {
  const workspace = newWorkspace()
  const ids = await fiveSnapshots(workspace)
  await workspace.call('pin', { snapshot_id: ids[1] as string })
  await workspace.call('config', { key: 'retention.max_snapshots', value: '2' })
  const before = packBytes(workspace)
  const plan = await workspace.call('prune', { dry_run: true })
  expect(packBytes(workspace)).toBe(before)
  const done = await workspace.call('prune')
  expect({ kept: done.kept, removed: done.removed }).toEqual({ kept: plan.kept, removed: plan.removed })
  expect(done.kept).toEqual([
    { snapshot_id: ids[1], reason: 'pinned' },
    { snapshot_id: ids[4], reason: 'newest of the workspace' },
  ])
  expect(done.freed_bytes).toBeGreaterThan(800_000)
  expect(packBytes(workspace)).toBeLessThan(before - 800_000)
  expect(await workspace.call('fsck')).toMatchObject({ ok: true })
  await expect(workspace.call('show', { snapshot_id: ids[0] as string })).rejects.toMatchObject({
    code: 'SNAPSHOT_NOT_FOUND',
  })
})

test('a limit on bytes takes the oldest first', async () => {
  const workspace = newWorkspace()
  const ids = await fiveSnapshots(workspace)
  await workspace.call('config', { key: 'retention.max_bytes', value: '700000' })
  expect((await workspace.call('prune')).kept.map(({ snapshot_id }) => snapshot_id)).toEqual(ids.slice(3))
})

test('a capture prunes after it has answered, and not again within the hour', async () => {
  const workspace = newWorkspace({ '.timewarp/config.json': '{"retention":{"max_snapshots":1}}' })
  workspace.trust()
  const count = async (): Promise<number> => (await workspace.call('get_edit_history')).pagination.total
  await fiveSnapshots(workspace)
  expect(await count()).toBe(5)
  await workspace.close()
  expect(await count()).toBe(1)
  await fiveSnapshots(workspace)
  await workspace.close()
  expect(await count()).toBe(6)
})

test('an append to a large file stores its tail', async () => {
  const workspace = newWorkspace({ 'large.bin': noise(24 * 1024 * 1024) })
  await workspace.snapshot()
  fs.appendFileSync(workspace.at('large.bin'), noise(1000))
  const { stored_bytes } = await workspace.call('snapshot')
  expect(stored_bytes).toBeLessThan(4.2 * 1024 * 1024)
})

test('contents that two workspaces share are stored once, and stats tells by workspace', async () => {
  const workspace = newWorkspace({ 'a.bin': noise(500_000) })
  await workspace.snapshot()
  const other = join(workspace.temp, 'other')
  fs.mkdirSync(other)
  fs.copyFileSync(workspace.at('a.bin'), join(other, 'a.bin'))
  const { stored_bytes } = await workspace.call('snapshot', { workspace: other })
  expect(stored_bytes).toBeLessThan(5000)
  const stats = await workspace.call('stats')
  expect(stats.workspaces.map(({ root, files, snapshots }) => [root, files, snapshots])).toEqual([
    [workspace.root, 1, 1],
    [other, 1, 1],
  ])
  expect(stats.dedup_ratio).toBeGreaterThan(1.8)
})

test('uninstall removes its folder from the workspace, and the store only if asked', async () => {
  const workspace = newWorkspace({ a: 'a' })
  await workspace.snapshot()
  expect((await workspace.call('uninstall', { dry_run: true })).removed).toEqual([workspace.at('.timewarp')])
  expect(workspace.has('.timewarp')).toBe(true)
  await workspace.call('uninstall')
  expect([workspace.has('.timewarp'), fs.existsSync(workspace.home), workspace.read('a')]).toEqual([false, true, 'a'])
  const asked = await workspace.call('uninstall', { store: true }).catch((fault: unknown) => fault as Fault)
  expect(asked).toMatchObject({ code: 'CONFIRM_NEEDED', data: { would: `Would remove ${workspace.home}` } })
  expect(fs.existsSync(workspace.home)).toBe(true)
  await workspace.call('uninstall', { store: true, yes: true })
  expect([fs.existsSync(workspace.home), workspace.read('a')]).toEqual([false, 'a'])
})
