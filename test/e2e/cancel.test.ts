import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { App } from '../../src/app/app.ts'
import { callTool } from '../../src/tools/call.ts'
import { faultOf, inHouse, litter, makeWorld, removeWorld, stateOf, type World, write } from '../kit/world.ts'

/** More than a thread does alone. */
const FILES = 320

function newWorld(): World {
  const world = makeWorld()
  onTestFinished(() => removeWorld(world))
  fill(world, 'then')
  return world
}

function fill({ ws }: World, word: string): void {
  for (let i = 0; i < FILES; i++) write(ws, `d${i % 7}/f${i}`, `${word} ${i}`)
}

/** Calls a tool and asks it to stop as soon as it tells of this progress. */
async function stopAt(app: App, { ws }: World, at: string, tool: string, input: object): Promise<unknown> {
  const stop = new AbortController()
  const progress = (message: string): void => void (message === at && stop.abort())
  return callTool({ app, cwd: ws, progress, signal: stop.signal }, tool, input)
}

const CANCELLED = { code: 'CANCELLED' }

test.for(['restore', 'undo', 'timewarp_travel'])(
  '%s that is stopped in the middle is taken back as a whole',
  async (tool) => {
    const world = newWorld()
    await inHouse(world, async (app, call) => {
      const { snapshot_id } = await call('snapshot')
      fill(world, 'now')
      await call('snapshot')
      const before = stateOf(world.ws)
      const input = tool === 'undo' ? {} : { snapshot_id }
      expect(await faultOf(() => stopAt(app, world, 'Restoring', tool, input))).toMatchObject({
        ...CANCELLED,
        data: { taken_back: true },
      })
      expect(stateOf(world.ws)).toEqual(before)
      expect([app.records.journals.isEmpty, litter(world.ws)]).toEqual([true, []])
      expect((await call('status')).mode).toBe('present')
      await call(tool, input)
      expect(Object.values(stateOf(world.ws)).length).toBe(FILES + 7)
      expect(stateOf(world.ws)).not.toEqual(before)
    })
  },
)

test('a restore of the latest snapshot that is stopped says how it is repeated', async () => {
  const world = newWorld()
  await inHouse(world, async (app, call) => {
    const { snapshot_id } = await call('snapshot')
    fill(world, 'now')
    const fault = await faultOf(() => stopAt(app, world, 'Restoring', 'restore', { snapshot_id: 'latest' }))
    expect(fault.code).toBe('CANCELLED')
    expect(fault.hint).toBe(`Try again with: timewarp restore ${snapshot_id}`)
    const paths = ['d1', 'd2', 'd3', 'd4', 'd5', 'd6', 'd0']
    const partly = await faultOf(() => stopAt(app, world, 'Restoring', 'restore', { snapshot_id, paths }))
    expect(partly.hint).toBe(`Try again with: timewarp restore ${snapshot_id} and the same paths`)
    expect((await call('restore', { snapshot_id })).restored).toHaveLength(FILES)
  })
})

test('a journey home that is stopped leaves the workspace in the past, and can be made again', async () => {
  const world = newWorld()
  await inHouse(world, async (app, call) => {
    const { snapshot_id } = await call('snapshot')
    fill(world, 'now')
    const present = stateOf(world.ws)
    await call('timewarp_travel', { snapshot_id })
    const past = stateOf(world.ws)
    expect(await faultOf(() => stopAt(app, world, 'Restoring', 'timewarp_return', {}))).toMatchObject(CANCELLED)
    expect(stateOf(world.ws)).toEqual(past)
    expect((await call('status')).mode).toBe('past')
    await call('timewarp_return')
    expect(stateOf(world.ws)).toEqual(present)
  })
})

test('a capture that is stopped records nothing, and the next one is whole', async () => {
  const world = newWorld()
  await inHouse(world, async (app, call) => {
    await call('workspace_init', { snapshot: false })
    expect(await faultOf(() => stopAt(app, world, 'Capturing', 'snapshot', {}))).toMatchObject({
      ...CANCELLED,
      data: { taken_back: false },
    })
    expect((await call('get_edit_history')).snapshots).toEqual([])
    expect(await call('snapshot')).toMatchObject({ created: true, files: FILES })
    expect(await call('fsck')).toMatchObject({ ok: true })
  })
})

test.for(['workspace_init', 'snapshot'])(
  '%s that is stopped says that the folder is a workspace already',
  async (tool) => {
    const world = newWorld()
    await inHouse(world, async (app) => {
      const fault = await faultOf(() => stopAt(app, world, 'Capturing', tool, {}))
      expect(fault).toMatchObject({ ...CANCELLED, data: { begun: world.ws } })
      expect(fault.message).toBe(`Stopped before the first snapshot. ${world.ws} is a workspace all the same.`)
      expect(fault.hint).toBe(`Try again with: timewarp -C ${world.ws} snapshot`)
    })
  },
)

test('a materialise that is stopped says that what it wrote is gone, and leaves no folder', async () => {
  const world = newWorld()
  await inHouse(world, async (app, call) => {
    const { snapshot_id } = await call('snapshot')
    const dir = join(world.dir, 'new/deep/out')
    const fault = await faultOf(() => stopAt(app, world, 'Writing', 'materialise', { snapshot_id, dir }))
    expect(fault.message).toBe(`Stopped. What had been written to ${dir} was removed again.`)
    expect(existsSync(join(world.dir, 'new'))).toBe(false)
  })
})
