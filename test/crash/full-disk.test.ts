import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Fault } from '../../src/base/fault.ts'
import { KINDS } from '../../src/base/fault.ts'
import { setPointHook } from '../../src/host/points.ts'
import { run } from '../kit/process.ts'
import {
  callOnce,
  faultOf,
  inHouse,
  KEEP_NOTHING,
  litter,
  makeWorld,
  removeWorld,
  type State,
  seeded,
  setConfig,
  snapshotState,
  stateOf,
  type World,
  write,
} from '../kit/world.ts'

/** Disks of a few megabytes that really are full. Where nobody may mount one, these tests are skipped and say so. */

const MiB = 1024 * 1024
const world = (): World => current as World
const disk = (): string => join(world().dir, 'disk')
let current: World | undefined

function mountDisk(bytes: number): void {
  mkdirSync(disk())
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', disk()])
  if (status !== 0) throw new Error(`mount failed: ${stderr.toString()}`)
}

const mayMount = (() => {
  const { dir } = makeWorld()
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=65536', 'tmpfs', dir])
  if (status === 0) spawnSync('umount', [dir])
  rmSync(dir, { recursive: true })
  return status === 0
})()
if (!mayMount) console.warn('Mounting is not permitted here: the tests with full disks are skipped.')

const noise = (seed: number, length: number): Buffer => {
  const random = seeded(seed)
  return Buffer.from(Uint32Array.from({ length: Math.ceil(length / 4) }, () => random() * 2 ** 32).buffer, 0, length)
}

/** Leaves so many bytes free on the small disk. */
function fill(leave: number): void {
  const fd = openSync(join(disk(), 'ballast.log'), 'a')
  try {
    for (;;) {
      const { bavail, bsize } = statfsSync(disk())
      const ctx = bavail * bsize - leave
      if (ctx <= 0) return
      writeSync(fd, Buffer.alloc(Math.min(ctx, MiB)))
    }
  } catch {
    // It is full.
  } finally {
    closeSync(fd)
  }
}
const empty = (): void => rmSync(join(disk(), 'ballast.log'), { force: true })

describe.runIf(mayMount)('a full disk', () => {
  beforeEach(() => {
    current = makeWorld()
    mountDisk(12 * MiB)
  })
  afterEach(() => {
    setPointHook(undefined)
    spawnSync('umount', ['-l', disk()])
    removeWorld(world())
  })

  describe('under the store', () => {
    const known = new Map<string, State>()
    beforeEach(async () => {
      known.clear()
      current = { ...world(), home: join(disk(), 'home') }
      setConfig(world(), KEEP_NOTHING)
      for (let i = 0; i < 30; i++) write(world().ws, `small/${i}.txt`, `small ${i}\n`)
      write(world().ws, 'half.bin', noise(1, MiB / 2))
      await snap()
    })

    const snap = async (): Promise<void> => {
      const { snapshot_id } = await callOnce(world(), 'snapshot')
      known.set(snapshot_id, stateOf(world().ws))
    }

    const expectNothingLost = async (): Promise<void> => {
      expect((await callOnce(world(), 'fsck')).problems).toEqual([])
      await inHouse(world(), async (app) => {
        for (const [id, state] of known) expect(snapshotState(app, id)).toEqual(state)
      })
    }

    test('makes a capture that does not fit end with NO_SPACE and exit code 4, and loses nothing', async () => {
      fill(8 * MiB)
      for (let i = 0; i < 10; i++) write(world().ws, `large/${i}.bin`, noise(i, 2 * MiB))
      const fault = await faultOf(() => callOnce(world(), 'snapshot'))
      expectNoSpace(fault)
      const { ws, home } = world()
      const main = join(import.meta.dirname, '../../src/bin/client.ts')
      const cli = spawnSync(process.execPath, [main, '-C', ws, '--home', home, '--json', 'snapshot'], {
        env: { ...process.env, TIMEWARP_HOME: home },
      })
      expect(cli.status, cli.stderr.toString()).toBe(4)
      expect(cli.stdout.toString() + cli.stderr.toString()).toContain('NO_SPACE')
      empty()
      await expectNothingLost()
      rmSync(join(ws, 'large'), { recursive: true })
      await callOnce(world(), 'gc')
      write(ws, 'small/after.txt', 'fits again')
      await snap()
      await expectNothingLost()
    })

    test('to the last byte does not keep a path from being forgotten', async () => {
      fill(0)
      const done = await callOnce(world(), 'forget', { pattern: 'half.bin', yes: true })
      expect(done).toMatchObject({ paths: ['half.bin'], objects_purged: 1, dry_run: false })
      expect((await callOnce(world(), 'fsck')).problems).toEqual([])
    })

    test('has its reserve made while there are a few megabytes left', async () => {
      const reserve = join(world().home, 'reserve')
      rmSync(reserve, { force: true })
      fill(3 * MiB)
      await callOnce(world(), 'status')
      expect(existsSync(reserve)).toBe(true)
    })

    test('is free again after a capture that did not fit', async () => {
      const { bavail: before } = statfsSync(disk())
      for (let i = 0; i < 10; i++) write(world().ws, `large/${i}.bin`, noise(i, 2 * MiB))
      await callOnce(world(), 'snapshot').catch(expectNoSpace)
      const { bavail: after } = statfsSync(disk())
      expect(after).toBeGreaterThan(before / 2)
    })

    test('at any moment of a capture is a clear fault or an answer that holds', async () => {
      let [refused, answered] = [0, 0]
      for (let i = 0; i < 24; i++) {
        write(world().ws, 'half.bin', noise(100 + i, 300_000))
        write(world().ws, `small/${i}.txt`, `version ${i}`)
        fill(i * 24 * 1024)
        try {
          await snap()
          answered++
        } catch (error) {
          expectNoSpace(error as Fault)
          refused++
        }
        empty()
        if (i % 4 === 3) await callOnce(world(), 'gc')
        if (i % 6 === 5) await expectNothingLost()
      }
      expect([refused > 3, answered > 3]).toEqual([true, true])
      await expectNothingLost()
    })

    test('at any moment of prune and gc loses nothing that is kept', async () => {
      for (let i = 0; i < 10; i++) {
        write(world().ws, 'half.bin', noise(200 + i, 300_000))
        known.clear()
        await snap()
        fill(i * 40 * 1024)
        for (const tool of ['prune', 'gc']) {
          const { answers, err } = await run(world(), [[tool, {}]])
          expect(err).toBe('')
          for (const { fault } of answers) if (fault) expect(fault.code).toBe('NO_SPACE')
        }
        empty()
        await expectNothingLost()
      }
      const { packs_after } = await callOnce(world(), 'gc')
      expect(packs_after).toBeLessThan(20)
    })

    test('does not leave this process holding the lease of a gc that failed', async () => {
      setPointHook((name) => {
        if (name === 'gc:swept') fill(0)
      })
      write(world().ws, 'half.bin', noise(300, 300_000))
      known.clear()
      await snap()
      await callOnce(world(), 'prune').catch(expectNoSpace)
      setPointHook(undefined)
      empty()
      await callOnce(world(), 'gc')
      await expectNothingLost()
    })

    test('after the files were restored ends the restore with a fault that names the backup', async () => {
      const [first] = [...known.keys()]
      write(world().ws, 'small/0.txt', 'changed')
      const before = stateOf(world().ws)
      setPointHook((name) => {
        if (name === 'restore:applied') fill(0)
      })
      const fault = await faultOf(() => callOnce(world(), 'restore', { snapshot_id: first }))
      setPointHook(undefined)
      empty()
      expect(fault.kind).toBe('conflict')
      expect(fault.data).toHaveProperty('backup_id')
      await callOnce(world(), 'restore', { snapshot_id: (fault.data as { backup_id: string }).backup_id })
      expect(stateOf(world().ws)).toEqual(before)
      await expectNothingLost()
    })
  })

  test('under the workspace ends a restore with a fault, and the files are as they were before it', async () => {
    current = { ...world(), ws: join(disk(), 'ws') }
    mkdirSync(world().ws)
    for (let i = 0; i < 8; i++) write(world().ws, `data/${i}.bin`, noise(i, MiB / 2))
    const first = stateOf(world().ws)
    const { snapshot_id } = await callOnce(world(), 'snapshot')
    rmSync(join(world().ws, 'data'), { recursive: true })
    write(world().ws, 'other.txt', 'other')
    const second = stateOf(world().ws)
    fill(2 * MiB)
    const fault = await faultOf(() => callOnce(world(), 'restore', { snapshot_id }))
    expect(fault).toMatchObject({ code: 'RESTORE_FAILED', data: { is_back: true } })
    expect(fault.hint).toContain('free some space')
    expect(litter(world().ws)).toEqual([])
    expect(stateOf(world().ws)).toEqual(second)
    empty()
    await callOnce(world(), 'restore', { snapshot_id })
    expect(stateOf(world().ws)).toEqual(first)
    expect((await callOnce(world(), 'fsck')).problems).toEqual([])
  })

  test('under a folder of the workspace leaves no temporary file there when the restore is killed', async () => {
    const [first, second] = [world(), disk()]
    spawnSync('umount', [second])
    mkdirSync(join(first.ws, 'mounted'))
    spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1048576', 'tmpfs', join(first.ws, 'mounted')])
    try {
      for (const name of ['a', 'b', 'c']) write(first.ws, `mounted/${name}`, `first ${name}`)
      const { snapshot_id } = await callOnce(first, 'snapshot')
      const target = stateOf(first.ws)
      write(first.ws, 'mounted/a', 'second a')
      rmSync(join(first.ws, 'mounted/b'))
      write(first.ws, 'mounted/d', 'second d')
      for (const point of ['restore:written:1', 'restore:written:2', 'restore:aside:1']) {
        const { killed } = await run(first, [['restore', { snapshot_id }]], point)
        expect([point, killed]).toEqual([point, true])
        await callOnce(first, 'snapshot')
        expect(stateOf(first.ws)).toEqual(target)
        expect(litter(first.ws)).toEqual([])
        write(first.ws, 'mounted/a', 'second a')
        rmSync(join(first.ws, 'mounted/b'))
        write(first.ws, 'mounted/d', 'second d')
      }
    } finally {
      spawnSync('umount', ['-l', join(first.ws, 'mounted')])
    }
  })
})

function expectNoSpace(fault: Fault): void {
  expect(fault.message).toMatch(/no space left/)
  expect([fault.code, KINDS[fault.kind].exit]).toEqual(['NO_SPACE', 4])
  expect(fault.hint).toContain('Nothing that was answered is lost')
}
