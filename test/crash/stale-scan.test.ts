import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { eachWorld, recordsGoBack } from '../kit/each-world.ts'
import { callOnce, copyAll, inHouse, saveWorld, snapshotState, stateOf, write } from '../kit/world.ts'

/**
 * The records go back in time and the scan cache does not: the machine died before the log was synced, the log was
 * lost, or an older copy of the records was put in their place.
 */

const world = eachWorld()

const PRECIOUS = 'the only copy\n'

function sql(statement: string): void {
  const db = new DatabaseSync(join(world.home, 'timewarp.db'))
  db.exec(statement)
  db.close()
}

/** Everything but the scan cache goes back; no file of the workspace is touched, so that its signature stays. */
function storeGoesBack(boot: 'same' | 'other'): void {
  recordsGoBack(world)
  rmSync(join(world.home, 'objects'), { recursive: true })
  copyAll(join(world.dir, 'saved', 'home', 'objects'), world.home)
  if (boot === 'other') sql("UPDATE packs SET synced = 0, boot = 'another'")
}

async function capturedThenLost(boot: 'same' | 'other'): Promise<string> {
  write(world.ws, 'f', 'one\n')
  write(world.ws, 'sub/g', 'other\n')
  const { snapshot_id } = await callOnce(world, 'snapshot')
  saveWorld(world)
  write(world.ws, 'f', PRECIOUS)
  write(world.ws, 'sub/h', 'new\n')
  await callOnce(world, 'snapshot')
  storeGoesBack(boot)
  return snapshot_id
}

describe.each(['same', 'other'] as const)('in the %s boot, after the records went back', (boot) => {
  test('the next snapshot holds every byte', async () => {
    await capturedThenLost(boot)
    const next = await callOnce(world, 'snapshot')
    expect(next).toMatchObject({ created: true, modified: 1, added: 1 })
    await inHouse(world, async (app) => expect(snapshotState(app, next.snapshot_id)).toEqual(stateOf(world.ws)))
    expect(await callOnce(world, 'fsck')).toMatchObject({ ok: true, problems: [] })
  })

  test('restore takes a whole backup, and undo brings the work back', async () => {
    const first = await capturedThenLost(boot)
    await callOnce(world, 'restore', { snapshot_id: first })
    expect(readFileSync(join(world.ws, 'f'), 'utf8')).toBe('one\n')
    await callOnce(world, 'undo')
    expect(readFileSync(join(world.ws, 'f'), 'utf8')).toBe(PRECIOUS)
    expect(await callOnce(world, 'fsck')).toMatchObject({ ok: true, problems: [] })
  })
})

test('records that rise to the epoch of the lost ones are not taken for them', async () => {
  write(world.ws, 'f', 'one\n')
  await callOnce(world, 'snapshot')
  saveWorld(world)
  const raise = () => inHouse(world, async (app) => app.store.index.raiseEpoch())
  await raise()
  write(world.ws, 'f', PRECIOUS)
  const lost = await callOnce(world, 'snapshot')
  write(world.ws, 'g', 'more\n')
  await callOnce(world, 'snapshot')
  expect(lost.created).toBe(true)
  storeGoesBack('same')
  await raise()
  const next = await callOnce(world, 'snapshot')
  await inHouse(world, async (app) => expect(snapshotState(app, next.snapshot_id)).toEqual(stateOf(world.ws)))
})

test('a tree whose row is taken away to be written again makes every scan look its contents up', async () => {
  write(world.ws, 'sub/f', 'one\n')
  await callOnce(world, 'snapshot')
  await inHouse(world, async (app) => {
    const before = app.store.index.epoch()
    const batch = app.store.begin()
    const { hash } = app.store.index.db.get<{ hash: Uint8Array }>('SELECT hash FROM objects WHERE kind = 2') ?? {}
    batch.putAnew(hash as Uint8Array, 2, app.store.reader.get(hash as Uint8Array))
    batch.end()
    expect(app.store.index.epoch()).not.toBe(before)
  })
  write(world.ws, 'g', 'two\n')
  const next = await callOnce(world, 'snapshot')
  await inHouse(world, async (app) => expect(snapshotState(app, next.snapshot_id)).toEqual(stateOf(world.ws)))
})
