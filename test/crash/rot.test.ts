import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { setPointHook } from '../../src/host/points.ts'
import { flipBit, objectsDir, packs, spots } from '../kit/damage.ts'
import { eachWorld } from '../kit/each-world.ts'
import { callOnce, inHouse, seeded, snapshotState, stateOf, write } from '../kit/world.ts'

/**
 * The disk has lost bytes of the newest state, which the workspace still has. Whatever overwrites or removes those files
 * stores them again first.
 */

const world = eachWorld({ retention: { auto: false } })

const noise = (seed: number, length: number): Buffer => {
  const random = seeded(seed)
  return Buffer.from(Array.from({ length }, () => Math.floor(random() * 256)))
}

/** Small files, a link, one with a block of its own, one in chunks; everything that the second state brought is damaged. */
async function rot(): Promise<{ first: string; second: string }> {
  for (const path of ['small', 'deep/er/small', 'chunked', 'own']) write(world.ws, path, 'first')
  const { snapshot_id: first } = await callOnce(world, 'snapshot')
  const before = new Set(packs(world))
  for (const path of ['small', 'deep/er/small', 'deep/new']) write(world.ws, path, `second ${path}`)
  write(world.ws, 'own', noise(1, 200_000))
  write(world.ws, 'chunked', noise(2, 5_000_000))
  symlinkSync('somewhere', join(world.ws, 'link'))
  const { snapshot_id: second } = await callOnce(world, 'snapshot')
  const payloads = spots(world, seeded(3)).filter(({ pack, where }) => where === 'payload' && !before.has(pack))
  expect(payloads.length).toBeGreaterThan(5)
  for (const { pack, at } of payloads) flipBit(join(objectsDir(world), pack), at, 3)
  return { first, second }
}

test('a restore can be undone', async () => {
  const { first } = await rot()
  const before = stateOf(world.ws)
  const { skipped, backup_id } = await callOnce(world, 'restore', { snapshot_id: first })
  expect(skipped).toEqual([])
  await inHouse(world, async (app) => expect(snapshotState(app, backup_id)).toEqual(before))
  await callOnce(world, 'undo')
  expect(stateOf(world.ws)).toEqual(before)
})

test('a restore of one path stores that path again', async () => {
  const { first } = await rot()
  const before = stateOf(world.ws)
  await callOnce(world, 'restore', { snapshot_id: first, paths: ['deep/er/small'] })
  const { 'deep/er/small': small } = before
  await callOnce(world, 'undo')
  expect(stateOf(world.ws)).toMatchObject({ 'deep/er/small': small })
})

test('an edit can be undone', async () => {
  await rot()
  const before = stateOf(world.ws)
  const edits = [
    { op: 'delete', path: 'deep' },
    { op: 'whole', path: 'own', content: 'edited' },
    { op: 'delete', path: 'chunked' },
    { op: 'delete', path: 'small' },
  ]
  await callOnce(world, 'apply_edits', { edits })
  await callOnce(world, 'undo')
  expect(stateOf(world.ws)).toEqual(before)
})

test('a journey comes home', async () => {
  const { first } = await rot()
  const before = stateOf(world.ws)
  await callOnce(world, 'timewarp_travel', { snapshot_id: first })
  expect(await callOnce(world, 'timewarp_return')).toMatchObject({ verified: true })
  expect(stateOf(world.ws)).toEqual(before)
})

test('what can be neither read back nor stored again is left alone and named', async () => {
  const { first } = await rot()
  let recorded = 0
  setPointHook((name) => {
    if (name === 'capture:recorded' && recorded++ === 0) write(world.ws, 'deep/er/small', 'changed in this moment')
  })
  const { skipped, restored } = await callOnce(world, 'restore', { snapshot_id: first })
  setPointHook(undefined)
  expect(skipped).toEqual([{ path: 'deep/er/small', reason: expect.stringContaining('could not be read back') }])
  expect(restored).toEqual(['chunked', 'own', 'small'])
  expect(stateOf(world.ws)['deep/er/small']).toContain('file')
  rmSync(join(world.ws, 'deep'), { recursive: true })
})
