import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { Fault } from '../../src/base/fault.ts'
import { setPointHook } from '../../src/host/points.ts'
import { callOnce, faultOf, inHouse, makeWorld, removeWorld, stateOf, type World, write } from '../kit/world.ts'

/** A store in which nothing can be written: a folder stands where SQLite wants to make a file beside the records. */

let world: World
let first: string

beforeEach(async () => {
  world = makeWorld()
  write(world.ws, 'a.txt', 'first\n')
  write(world.ws, 'dir/b.txt', 'b\n')
  await inHouse(world, async (app, call) => {
    first = (await call('snapshot')).snapshot_id
    write(world.ws, 'a.txt', 'second\n')
    await call('snapshot', { label: 'second' })
    await app.settle()
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

test('status says that nothing is captured, and why', async () => {
  const { warnings } = await callOnce(world, 'status')
  expect(warnings[0]).toMatch(/^nothing is captured: .*timewarp\.db/)
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

test('a setting is refused before its file is written when the store cannot record the trust', async () => {
  const file = join(world.ws, '.timewarp/config.json')
  // A file stands where the folder of the records of trust belongs.
  writeFileSync(join(world.home, 'trust'), '')
  const set = { key: 'max_file_bytes', value: '5' }
  expect((await faultOf(() => callOnce(world, 'config', set))).code).toBe('NO_PERMISSION')
  expect(existsSync(file)).toBe(false)
  rmSync(join(world.home, 'trust'))
  expect((await callOnce(world, 'config', set)).settings).toEqual({ max_file_bytes: 5 })
})

test('a setting that cannot be written leaves the trust in the file as it was', async () => {
  await callOnce(world, 'config', { key: 'max_file_bytes', value: '5' })
  const folder = join(world.home, 'trust')
  const records = (): string[] => readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
  const before = records()
  onTestFinished(() => setPointHook(undefined))
  setPointHook((name) => {
    if (name === 'config:trusted') throw new Fault('READ_ONLY', { path: world.ws })
  })
  const fault = await faultOf(() => callOnce(world, 'config', { key: 'max_file_bytes', value: '6' }))
  setPointHook(undefined)
  expect(fault.code).toBe('READ_ONLY')
  expect(records()).toEqual(before)
  expect((await callOnce(world, 'config', { key: 'max_file_bytes' })).settings).toEqual({ max_file_bytes: 5 })
})
