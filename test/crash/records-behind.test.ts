import { appendFileSync, copyFileSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PACK_HEADER } from '../../src/store/pack-format.ts'
import { packNames } from '../../src/store/pack-scan.ts'
import { eachWorld, recordsGoBack } from '../kit/each-world.ts'
import { run } from '../kit/process.ts'
import {
  callOnce,
  faultOf,
  inHouse,
  KEEP_NOTHING,
  saveWorld,
  setConfig,
  snapshotState,
  stateOf,
  write,
} from '../kit/world.ts'

/** Packs that hold what the records have lost. */

const world = eachWorld()

async function lose(): Promise<{ snapshot_id: string; state: ReturnType<typeof stateOf> }> {
  write(world.ws, 'a', 'one\n')
  await callOnce(world, 'snapshot')
  saveWorld(world)
  write(world.ws, 'a', 'two\n')
  const { snapshot_id } = await callOnce(world, 'snapshot')
  recordsGoBack(world)
  return { snapshot_id, state: stateOf(world.ws) }
}

const behind = (ids: readonly string[]) => ({ ok: false, problems: [{ code: 'RECORDS_BEHIND', snapshots: ids }] })

test('fsck says so, and a rebuild brings the snapshots back', async () => {
  const { snapshot_id, state } = await lose()
  expect(await callOnce(world, 'fsck')).toMatchObject(behind([snapshot_id]))
  expect(await callOnce(world, 'fsck', { rebuild: true })).toMatchObject({ ok: true, problems: [] })
  await inHouse(world, async (app) => expect(snapshotState(app, snapshot_id)).toEqual(state))
})

test('neither later captures nor a collection take them away', async () => {
  const { snapshot_id, state } = await lose()
  write(world.ws, 'a', 'three\n')
  await callOnce(world, 'snapshot')
  await callOnce(world, 'gc')
  expect(await callOnce(world, 'fsck')).toMatchObject(behind([snapshot_id]))
  await callOnce(world, 'fsck', { rebuild: true })
  await inHouse(world, async (app) => expect(snapshotState(app, snapshot_id)).toEqual(state))
})

/** As `lose`, with the lost blocks behind others of the same pack that have rows; what the lost snapshot needs is elsewhere. */
async function loseAtTheEnd(): Promise<{ snapshot_id: string; state: ReturnType<typeof stateOf> }> {
  setConfig(world, KEEP_NOTHING)
  const objects = join(world.home, 'objects')
  write(world.ws, 'needed', 'by the lost one alone\n')
  await callOnce(world, 'snapshot')
  const { snapshot_id, state } = await lose()
  const saved = new Set(packNames(join(world.dir, 'saved', 'home', 'objects')))
  const [lost = '', kept = ''] = [false, true].map((is) => packNames(objects).find((name) => saved.has(name) === is))
  appendFileSync(join(objects, kept), readFileSync(join(objects, lost)).subarray(PACK_HEADER))
  rmSync(join(objects, lost))
  return { snapshot_id, state }
}

test.each([{}, { merge_only: true }])('they stay at the end of a pack that has rows: gc %j', async (input) => {
  const { snapshot_id, state } = await loseAtTheEnd()
  rmSync(join(world.ws, 'needed'))
  await inHouse(world, async (app, call) => {
    for (let i = 0; i < 70; i++) {
      write(world.ws, 'a', `later ${i}\n`)
      await call('snapshot')
      await app.settle()
    }
  })
  await callOnce(world, 'prune')
  expect((await callOnce(world, 'gc', input)).warnings.join()).toContain('fsck --rebuild')
  expect(await callOnce(world, 'fsck')).toMatchObject(behind([snapshot_id]))
  expect(await faultOf(() => callOnce(world, 'forget', { pattern: 'a' }))).toMatchObject({
    code: 'RECORDS_BEHIND',
  })
  await callOnce(world, 'fsck', { rebuild: true })
  await inHouse(world, async (app) => expect(snapshotState(app, snapshot_id)).toEqual(state))
  expect(await callOnce(world, 'gc')).toMatchObject({ warnings: [] })
})

test('what retention removed is not missed, whatever is left of its pack', async () => {
  setConfig(world, KEEP_NOTHING)
  write(world.ws, 'a', 'one\n')
  await callOnce(world, 'snapshot')
  const first = packNames(join(world.home, 'objects'))
  write(world.ws, 'a', 'two\n')
  await callOnce(world, 'snapshot')
  const old = packNames(join(world.home, 'objects')).find((name) => !first.includes(name)) as string
  copyFileSync(join(world.home, 'objects', old), join(world.dir, old))
  for (const content of ['three', 'four', 'five']) {
    write(world.ws, 'a', content)
    await callOnce(world, 'snapshot')
  }
  await callOnce(world, 'prune')
  await callOnce(world, 'gc')
  expect(packNames(join(world.home, 'objects'))).not.toContain(old)
  copyFileSync(join(world.dir, old), join(world.home, 'objects', old))
  expect(await callOnce(world, 'fsck')).toMatchObject({ ok: true, problems: [] })
  await callOnce(world, 'gc')
  expect(packNames(join(world.home, 'objects'))).not.toContain(old)
})

test.each(['capture:recorded:1', 'pack:block:2', 'store:published:1'])(
  'a capture that died at %s is not missed',
  async (dieAt) => {
    write(world.ws, 'a', 'one\n')
    await callOnce(world, 'snapshot')
    write(world.ws, 'a', 'two\n')
    await run(world, [['snapshot', {}]], dieAt)
    expect(await callOnce(world, 'fsck')).toMatchObject({ ok: true, problems: [] })
  },
)
