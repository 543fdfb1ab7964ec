import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { callOnce, faultOf, inHouse, makeWorld, removeWorld, stateOf, type World, write } from '../kit/world.ts'

/** A store in which nothing can be written: a folder stands where SQLite wants to make a file beside the records. */

let world: World
let first: string

beforeEach(async () => {
  world = makeWorld()
  write(world.ws, 'a.txt', 'first\n')
  write(world.ws, 'dir/b.txt', 'b\n')
  await inHouse(world, async (house, call) => {
    first = (await call('snapshot')).snapshot_id
    write(world.ws, 'a.txt', 'second\n')
    await call('snapshot', { label: 'second' })
    await house.settle()
    // As it is found after a crash: much of it is still in the log.
    for (const suffix of ['', '-wal'])
      copyFileSync(join(world.home, `timewarp.db${suffix}`), join(world.dir, `db${suffix}`))
  })
  for (const suffix of ['', '-wal'])
    copyFileSync(join(world.dir, `db${suffix}`), join(world.home, `timewarp.db${suffix}`))
  rmSync(join(world.home, 'timewarp.db-shm'), { force: true })
  mkdirSync(join(world.home, 'timewarp.db-shm'))
})
afterEach(() => removeWorld(world))

const copies = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('timewarp-read-'))

test('everything that was captured can be read, and written elsewhere', async () => {
  const before = copies()
  expect((await callOnce(world, 'get_edit_history')).snapshots).toHaveLength(2)
  expect((await callOnce(world, 'show', { snapshot_id: first })).snapshot_id).toBe(first)
  expect((await callOnce(world, 'cat', { snapshot_id: first, path: 'a.txt' })).content).toBe('first\n')
  expect((await callOnce(world, 'diff', { from: first })).diff).toContain('+second')
  expect((await callOnce(world, 'file_history', { path: 'a.txt' })).versions).toHaveLength(2)
  expect((await callOnce(world, 'status')).snapshots).toBe(2)
  expect((await callOnce(world, 'stats')).workspaces).toHaveLength(1)
  expect((await callOnce(world, 'fsck')).ok).toBe(true)
  await callOnce(world, 'materialise', { snapshot_id: first, dir: join(world.dir, 'out') })
  expect(readFileSync(join(world.dir, 'out/a.txt'), 'utf8')).toBe('first\n')
  expect((await callOnce(world, 'mirror', { dir: join(world.dir, 'mirror') })).copied_packs).toBeGreaterThan(0)
  expect(copies()).toEqual(before)
})

test('what would change something is refused before it does', async () => {
  writeFileSync(join(world.ws, 'a.txt'), 'third\n')
  const [state, packs] = [stateOf(world.ws), readdirSync(join(world.home, 'objects'))]
  for (const [tool, input] of [
    ['snapshot', {}],
    ['restore', { snapshot_id: first }],
    ['undo', {}],
    ['create_directory', { path: 'new.txt' }],
    ['pin', { snapshot_id: first }],
    ['label', { snapshot_id: first, label: 'x' }],
    ['gc', {}],
    ['prune', {}],
  ] as const) {
    const fault = await faultOf(() => callOnce(world, tool, input))
    expect([tool, fault.code]).toEqual([tool, 'NO_PERMISSION'])
  }
  expect(stateOf(world.ws)).toEqual(state)
  expect(readdirSync(join(world.home, 'objects'))).toEqual(packs)
  rmSync(join(world.home, 'timewarp.db-shm'), { recursive: true })
  expect((await callOnce(world, 'snapshot')).created).toBe(true)
  expect(existsSync(join(world.ws, 'new.txt'))).toBe(false)
})
