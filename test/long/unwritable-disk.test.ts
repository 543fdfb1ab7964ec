import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, statfsSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  callOnce,
  faultOf,
  inHouse,
  KEEP_NOTHING,
  makeWorld,
  removeWorld,
  seeded,
  setConfig,
  stateOf,
  type World,
  write,
} from '../kit/world.ts'

/** Real disks that are full to the last byte, or mounted read-only. Needs root, for mounting. */

const MiB = 1024 * 1024
let world: World
let disk: string
let first: string

function mount(...args: string[]): void {
  const { status, stderr } = spawnSync('mount', [...args, disk])
  if (status !== 0) throw new Error(`this test mounts disks and needs root: ${stderr.toString()}`)
}

const noise = (seed: number): Buffer => {
  const random = seeded(seed)
  return Buffer.from(Uint32Array.from({ length: MiB / 4 }, () => random() * 2 ** 32).buffer)
}

function fill(): void {
  const fd = openSync(join(disk, 'filler'), 'a')
  try {
    for (let size = MiB; size > 0; size = size > 1 ? Math.floor(size / 4) : 0)
      try {
        for (;;) writeSync(fd, Buffer.alloc(size, 1))
      } catch {
        // Smaller pieces may still fit.
      }
  } finally {
    closeSync(fd)
  }
  expect(statfsSync(disk).bavail).toBe(0)
}

beforeEach(async () => {
  const made = makeWorld()
  disk = join(made.dir, 'disk')
  mkdirSync(disk)
  mount('-t', 'tmpfs', '-o', 'size=24m', 'tmpfs')
  world = { ...made, home: join(disk, 'home') }
  setConfig(world, KEEP_NOTHING)
  write(world.ws, 'a.txt', 'first\n')
  for (let i = 0; i < 6; i++) {
    writeFileSync(join(world.ws, 'noise'), noise(i))
    const { snapshot_id } = await callOnce(world, 'snapshot')
    if (i === 0) first = snapshot_id
  }
  write(world.ws, 'a.txt', 'second\n')
  await callOnce(world, 'snapshot')
})
afterEach(() => {
  spawnSync('umount', ['-l', disk])
  removeWorld(world)
})

async function expectReadable(): Promise<void> {
  expect((await callOnce(world, 'get_edit_history')).snapshots).toHaveLength(7)
  expect((await callOnce(world, 'cat', { snapshot_id: first, path: 'a.txt' })).content).toBe('first\n')
  expect((await callOnce(world, 'diff', { from: first })).diff).toContain('+second')
  expect((await callOnce(world, 'file_history', { path: 'a.txt' })).versions).toHaveLength(2)
  await callOnce(world, 'status')
  expect((await callOnce(world, 'fsck')).ok).toBe(true)
  const out = join(world.dir, 'out')
  await callOnce(world, 'materialise', { snapshot_id: first, dir: out })
  expect(readFileSync(join(out, 'noise')).equals(noise(0))).toBe(true)
  rmSync(out, { recursive: true })
  expect((await callOnce(world, 'mirror', { dir: join(world.dir, 'mirror') })).copied_packs).toBeGreaterThan(6)
}

async function expectRefused(code: string): Promise<void> {
  const state = stateOf(world.ws)
  for (const [tool, input] of [
    ['snapshot', { label: 'x' }],
    ['restore', { snapshot_id: first }],
    ['pin', { snapshot_id: first }],
  ] as const) {
    const fault = await faultOf(() => callOnce(world, tool, input))
    expect([tool, fault.code]).toEqual([tool, code])
    expect(fault.hint).toContain('materialise')
  }
  expect(stateOf(world.ws)).toEqual(state)
}

test('a full disk can be read, and gc makes room on it', async () => {
  fill()
  await expectReadable()
  await expectRefused('NO_SPACE')
  const pruned = await callOnce(world, 'prune')
  expect(pruned.removed.length).toBeGreaterThan(3)
  expect(pruned.freed_bytes).toBeGreaterThan(3 * MiB)
  expect((await callOnce(world, 'fsck')).ok).toBe(true)
  expect((await callOnce(world, 'snapshot', { label: 'room again' })).created).toBe(true)
})

test('a disk that is read-only can be read', async () => {
  mount('-o', 'remount,ro')
  await expectReadable()
  await expectRefused('READ_ONLY')
  mount('-o', 'remount,rw')
  await inHouse(world, async (_, call) => expect((await call('snapshot', { label: 'again' })).created).toBe(true))
})
