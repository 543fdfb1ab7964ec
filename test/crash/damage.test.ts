import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type App, openApp } from '../../src/app/app.ts'
import { toHex } from '../../src/host/hash.ts'
import type { SnapshotRecord } from '../../src/records/snapshot-record.ts'
import { recordedPath as rel } from '../../src/schema/path.ts'
import { type Chunk, decodeList } from '../../src/store/chunk-list.ts'
import { findEntry } from '../../src/store/compare-trees.ts'
import { scanPack } from '../../src/store/pack-scan.ts'
import type { ObjectLocation } from '../../src/store/store.ts'
import type { Entry } from '../../src/store/tree.ts'
import { COLLECT_LEASE } from '../../src/timeline/capture/capture.ts'
import { Trees } from '../../src/timeline/capture/trees.ts'
import { flipBit, inDatabase, objectsDir, packSize, packs, spots } from '../kit/damage.ts'
import { run } from '../kit/process.ts'
import { FULL, seed } from '../kit/rounds.ts'
import {
  callOnce,
  faultOf,
  inHouse,
  KEEP_NOTHING,
  makeWorld,
  packBytes,
  removeWorld,
  resetWorld,
  type State,
  saveWorld,
  seeded,
  setConfig,
  snapshotState,
  stateOf,
  type World,
  write,
} from '../kit/world.ts'

if (FULL) vi.setConfig({ testTimeout: 7_200_000 })

const noise = (seed: number, length: number): Buffer => {
  const random = seeded(seed)
  return Buffer.from(Array.from({ length }, () => Math.floor(random() * 256)))
}

/** Three snapshots: small files that share blocks, large ones with blocks of their own, one in chunks. */
async function furnish(world: World): Promise<{ ids: string[]; states: State[] }> {
  setConfig(world, KEEP_NOTHING)
  for (let i = 0; i < 40; i++) write(world.ws, `src/${i % 5}/file-${i}.ts`, `export const n = ${i}\n`.repeat(20))
  write(world.ws, 'medium-1.bin', noise(1, 200_000))
  write(world.ws, 'medium-2.bin', noise(2, 200_000))
  write(world.ws, 'chunked.bin', noise(3, 4_500_000))
  const ids: string[] = []
  const states: State[] = []
  const snap = async (input: object): Promise<void> => {
    ids.push((await callOnce(world, 'snapshot', input)).snapshot_id)
    states.push(stateOf(world.ws))
  }
  await snap({ label: 'first', pin: true })
  write(world.ws, 'src/0/file-0.ts', 'second version\n')
  write(world.ws, 'medium-1.bin', noise(4, 200_000))
  await snap({ label: 'second' })
  rmSync(join(world.ws, 'src/1'), { recursive: true })
  write(world.ws, 'extra/deep/note.md', '# note\n')
  await snap({})
  return { ids, states }
}

const world = makeWorld()
const mirror = join(world.dir, 'mirror')
let ids: string[] = []
let states: State[] = []
beforeAll(async () => {
  ;({ ids, states } = await furnish(world))
  await callOnce(world, 'mirror', { dir: mirror })
  saveWorld(world)
})
beforeEach(() => resetWorld(world))
afterAll(() => removeWorld(world))

const [FIRST, SECOND, THIRD] = [0, 1, 2]
const id = (n: number): string => ids[n] as string
const at = (pack: string): string => join(objectsDir(world), pack)

/** Every file is as some snapshot or the workspace had it: nothing wrong was written. */
function expectNoWrongBytes(now: State, what = ''): void {
  const known = new Set(
    states.flatMap((state) => Object.entries(state).map(([path, line]) => `${path} ${content(line)}`)),
  )
  const wrong = Object.entries(now).filter(([path, line]) => !known.has(`${path} ${content(line)}`))
  expect(wrong, what).toEqual([])
}
const content = (line: string): string => line.slice(line.lastIndexOf(' '))

interface Told {
  readonly ok: boolean
  readonly problems: {
    code: string
    object: string | null
    pack: string | null
    snapshots: string[]
    paths: string[]
  }[]
}

describe('a flipped bit in a pack', () => {
  const random = seeded(seed(4711))

  test('is found wherever it is, and never given out', async () => {
    const out = join(world.dir, 'out')
    for (const { pack, where, at: position } of spots(world, random).filter((_, i) => FULL || i % 4 === 0)) {
      const bit = Math.floor(random() * 8)
      const spot = `bit ${bit} of byte ${position} (${where}) of ${pack}`
      flipBit(at(pack), position, bit)
      const told = (await callOnce(world, 'fsck').catch((error: unknown) => ({ problems: [], error }))) as Told
      expect(told, spot).not.toHaveProperty('error')
      expect(told.ok, spot).toBe(false)
      expect(
        told.problems.some((problem) => problem.pack === pack),
        spot,
      ).toBe(true)
      await callOnce(world, 'materialise', { snapshot_id: id(FIRST), dir: out }).catch(() => {})
      expectNoWrongBytes(existsSync(out) ? stateOf(out) : {}, spot)
      rmSync(out, { recursive: true, force: true })
      flipBit(at(pack), position, bit)
    }
  })

  test('is never restored', async () => {
    for (const { pack, at: position, where } of spots(world, random).filter((_, i) => FULL || i % 6 === 0)) {
      resetWorld(world)
      flipBit(at(pack), position, Math.floor(random() * 8))
      rmSync(join(world.ws, 'src'), { recursive: true })
      await callOnce(world, 'restore', { snapshot_id: id(FIRST) }).catch(() => {})
      expectNoWrongBytes(stateOf(world.ws), `byte ${position} (${where}) of ${pack}`)
    }
  })

  test('is told with the object, the snapshots and the paths that need it, and exit code 20', async () => {
    const object = breakAt('medium-2.bin', FIRST)
    const told = (await callOnce(world, 'fsck')) as Told
    const problem = told.problems.find((one) => one.object === object)
    expect(problem).toMatchObject({ code: 'OBJECT_DAMAGED', snapshots: ids, paths: ['medium-2.bin'] })
    const { Fsck } = await import('../../src/protocol/keeping.ts')
    expect(Fsck.exit?.(told as never)).toBe(20)
  })

  test('makes a restore skip the file, bring back the rest, and name its backup', async () => {
    breakAt('medium-1.bin', FIRST)
    const fault = await faultOf(() => callOnce(world, 'restore', { snapshot_id: id(FIRST) }))
    expect(fault.code).toBe('RESTORE_DAMAGED')
    expect(fault.kind).toBe('corrupt')
    const { backup_id, paths } = fault.data as { backup_id: string; paths: string[] }
    expect(paths).toEqual(['medium-1.bin'])
    const now = stateOf(world.ws)
    expect(now['medium-1.bin']).toBe(states[THIRD]?.['medium-1.bin'])
    expect({ ...now, 'medium-1.bin': '' }).toEqual({ ...states[FIRST], 'medium-1.bin': '' })
    await callOnce(world, 'restore', { snapshot_id: backup_id })
    expect(stateOf(world.ws)).toEqual(states[THIRD])
  })

  test('in a tree of the target ends the restore with a fault that names the backup', async () => {
    breakAt('', FIRST)
    const fault = await faultOf(() => callOnce(world, 'restore', { snapshot_id: id(FIRST) }))
    expect(fault.kind).toBe('corrupt')
    expect(fault.data).toHaveProperty('backup_id')
    expect(stateOf(world.ws)).toEqual(states[THIRD])
  })

  test('in a tree of the newest snapshot does not keep the next capture from being taken', async () => {
    breakAt('', THIRD)
    write(world.ws, 'later.txt', 'written after the damage')
    const { snapshot_id } = await callOnce(world, 'snapshot')
    await inHouse(world, async (app) => expect(snapshotState(app, snapshot_id)).toEqual(stateOf(world.ws)))
  })

  test('in a block header costs that block alone: what lies behind it can still be restored', async () => {
    const { pack, offset } = firstOfManyBlocks()
    flipBit(at(pack), offset, 3)
    rmSync(join(world.ws, 'src'), { recursive: true })
    await callOnce(world, 'restore', { snapshot_id: id(THIRD) }).catch(() => {})
    const readable = Object.keys(stateOf(world.ws)).length
    const told = (await callOnce(world, 'fsck', { repair: true })) as Told
    await callOnce(world, 'restore', { snapshot_id: id(THIRD) }).catch(() => {})
    expect(Object.keys(stateOf(world.ws)).length, JSON.stringify(told.problems.slice(0, 2))).toBe(readable)
    await inHouse(world, async ({ records }) => {
      for (const one of ids) expect(records.snapshots.get(one), `${one} after --repair`).toBeDefined()
    })
  })

  test('that fsck repairs never makes a snapshot vanish while it says that all is well', async () => {
    const random = seeded(seed(99))
    for (const { pack, where, at: position } of spots(world, random).filter(
      (spot, i) => spot.where !== 'payload' && (FULL || i % 3 === 0),
    )) {
      resetWorld(world)
      flipBit(at(pack), position, Math.floor(random() * 8))
      await callOnce(world, 'fsck', { repair: true }).catch(() => {})
      await inHouse(world, async ({ records }) => {
        const left = ids.filter((one) => records.snapshots.get(one))
        expect(left, `after a repair of byte ${position} (${where}) of ${pack}`).toEqual(ids)
      })
    }
  })
})

describe('fsck --repair', () => {
  test('stores a damaged content again from the workspace', async () => {
    const object = breakAt('medium-2.bin', FIRST)
    const told = await callOnce(world, 'fsck', { repair: true })
    expect(told.problems.find((one: { object: string }) => one.object === object)).toMatchObject({ repaired: true })
    await expectAllReadable()
  })

  test('stores a damaged chunk of a large file again from the workspace', async () => {
    const chunk = breakChunkAt('chunked.bin', FIRST)
    const told = await callOnce(world, 'fsck', { repair: true })
    expect(told.problems.find((one: { object: string }) => one.object === chunk)).toMatchObject({ repaired: true })
    await expectAllReadable()
  })

  test('repairs from a mirror what the workspace no longer has', async () => {
    breakAt('medium-1.bin', FIRST)
    breakAt('src', SECOND)
    expect((await callOnce(world, 'fsck', { repair: true })).ok).toBe(false)
    await callOnce(world, 'fsck', { repair: true, from: mirror })
    await expectAllReadable()
  })

  test('repairs any single flipped bit with the help of a mirror', async () => {
    const random = seeded(seed(5))
    for (const { pack, where, at: position } of spots(world, random).filter((_, i) => FULL || i % 8 === 0)) {
      resetWorld(world)
      flipBit(at(pack), position, Math.floor(random() * 8))
      await callOnce(world, 'fsck', { repair: true, from: mirror })
      await expectAllReadable(`after a repair of byte ${position} (${where}) of ${pack}`)
    }
  })

  test('leaves a store that fsck then calls sound', async () => {
    breakAt('medium-2.bin', FIRST)
    await callOnce(world, 'fsck', { repair: true })
    expect((await callOnce(world, 'fsck')).problems).toEqual([])
  })
})

describe('a pack', () => {
  test('that is deleted is named, and comes back from a mirror', async () => {
    for (const pack of packs(world)) {
      resetWorld(world)
      rmSync(at(pack))
      const told = (await callOnce(world, 'fsck')) as Told
      expect(told.problems.filter((one) => one.pack === pack).map(({ code }) => code)).toContain('PACK_MISSING')
      await callOnce(world, 'fsck', { repair: true, from: mirror })
      await expectAllReadable(`without ${pack}`)
    }
  })

  test('that is cut short is named, and comes back from a mirror', async () => {
    for (const pack of packs(world)) {
      resetWorld(world)
      truncateSync(at(pack), Math.floor(packSize(world, pack) * 0.6))
      const told = (await callOnce(world, 'fsck')) as Told
      expect(told.ok, `cut: ${pack}`).toBe(false)
      await callOnce(world, 'fsck', { repair: true, from: mirror })
      await expectAllReadable(`cut: ${pack}`)
    }
  })

  test('that is cut short never replaces the sound copy in a mirror', async () => {
    const copy = join(world.dir, 'second-mirror')
    await callOnce(world, 'mirror', { dir: copy })
    const pack = largestPack()
    truncateSync(at(pack), Math.floor(packSize(world, pack) * 0.6))
    await callOnce(world, 'mirror', { dir: copy }).catch(() => {})
    expect(readFileSync(join(copy, 'objects', pack)).length).toBeGreaterThan(packSize(world, pack))
    rmSync(copy, { recursive: true })
  })

  test('with a broken block header is not mirrored as verified', async () => {
    const copy = join(world.dir, 'third-mirror')
    const { pack, offset } = firstOfManyBlocks()
    flipBit(at(pack), offset, 0)
    const fault = await faultOf(() => callOnce(world, 'mirror', { dir: copy })).finally(() =>
      rmSync(copy, { recursive: true, force: true }),
    )
    expect(fault.kind).toBe('corrupt')
  })
})

describe('a wrong row in the index', () => {
  const COLUMNS: [table: string, column: string, change: string][] = [
    ['young', 'block', 'block + 1'],
    ['young', 'start', 'start + 1'],
    ['young', 'size', 'size + 1'],
    ['young', 'kind', '1 - kind'],
    ['blocks', 'offset', 'offset + 1'],
    ['blocks', 'head', 'head + 1'],
    ['blocks', 'stored', 'stored - 1'],
    ['blocks', 'raw', 'raw / 2'],
    ['blocks', 'codec', '1 - codec'],
    ['blocks', 'pack', 'pack + 1'],
    ['packs', 'name', "name || 'x'"],
  ]
  test.each(COLUMNS)('of %s.%s is found by fsck, never restored, and repaired', async (table, column, change) => {
    const hash = inOpenHouse((app) => hashOf(app, 'src/2/file-2.ts', FIRST))
    const block = 'SELECT block FROM objects WHERE hash = ?'
    const where = {
      young: 'hash = ?',
      blocks: `id = (${block})`,
      packs: `id = (SELECT pack FROM blocks WHERE id = (${block}))`,
    }
    inDatabase(world, (db) => {
      const sql = `UPDATE ${table} SET ${column} = ${change} WHERE ${where[table as keyof typeof where]}`
      expect(db.prepare(sql).run(hash).changes).toBe(1)
    })
    const told = (await callOnce(world, 'fsck')) as Told
    expect(told.ok).toBe(false)
    rmSync(join(world.ws, 'src'), { recursive: true })
    await callOnce(world, 'restore', { snapshot_id: id(FIRST) }).catch(() => {})
    expectNoWrongBytes(stateOf(world.ws))
    await callOnce(world, 'fsck', { repair: true })
    await expectAllReadable()
  })

  test('of a snapshot is found by fsck and repaired', async () => {
    inDatabase(world, (db) => db.exec(`UPDATE snapshots SET tree = zeroblob(32) WHERE id = '${id(SECOND)}'`))
    const told = (await callOnce(world, 'fsck')) as Told
    expect(told.problems.map(({ code }) => code)).toContain('RECORD_WRONG')
    await callOnce(world, 'fsck', { repair: true })
    await expectAllReadable()
  })

  test('that is missing is found by fsck and repaired', async () => {
    inDatabase(world, (db) =>
      db.exec('DELETE FROM young WHERE hash IN (SELECT hash FROM objects WHERE kind = 0 LIMIT 3)'),
    )
    const told = (await callOnce(world, 'fsck')) as Told
    expect(told.problems.map(({ code }) => code)).toEqual(Array(3).fill('OBJECT_MISSING'))
    await callOnce(world, 'fsck', { repair: true })
    await expectAllReadable()
  })
})

describe('timewarp.db', () => {
  const COMMANDS: [string, object][] = [
    ['snapshot', {}],
    ['status', {}],
    ['get_edit_history', {}],
    ['restore', { snapshot_id: 'latest' }],
    ['prune', {}],
    ['gc', {}],
    ['fsck', {}],
    ['stats', {}],
  ]
  const db = (): string => join(world.home, 'timewarp.db')
  const BROKEN: Record<string, () => void> = {
    deleted: () => rmSync(db()),
    'deleted with its log': () => {
      for (const suffix of ['', '-wal', '-shm']) rmSync(db() + suffix, { force: true })
    },
    'overwritten with garbage': () => writeFileSync(db(), noise(8, 60_000)),
    'cut short': () => truncateSync(db(), 5000),
    empty: () => truncateSync(db(), 0),
  }

  async function prepareNotes(): Promise<string> {
    await callOnce(world, 'label', { snapshot_id: id(SECOND), label: 'renamed' })
    await callOnce(world, 'label', { snapshot_id: id(FIRST), label: '' })
    await callOnce(world, 'pin', { snapshot_id: id(SECOND) })
    await callOnce(world, 'pin', { snapshot_id: id(THIRD) })
    await callOnce(world, 'unpin', { snapshot_id: id(THIRD) })
    write(world.ws, 'gone.txt', 'goes with its snapshot')
    const { snapshot_id: removed } = await callOnce(world, 'snapshot')
    rmSync(join(world.ws, 'gone.txt'))
    write(world.ws, 'last.txt', 'last')
    ids[3] = (await callOnce(world, 'snapshot', { pin: true })).snapshot_id
    const { removed: pruned } = await callOnce(world, 'prune', { gc: false })
    expect(pruned).toContain(removed)
    return removed
  }
  afterEach(() => void ids.splice(3))

  test.each(Object.entries(BROKEN))('%s: every command says so and how to repair it', async (_, destroy) => {
    destroy()
    for (const [tool, input] of COMMANDS) {
      const fault = await faultOf(() => callOnce(world, tool, input))
      expect([tool, fault.code, fault.kind]).toEqual([tool, 'RECORDS_DAMAGED', 'corrupt'])
      expect(fault.hint).toContain('timewarp fsck --rebuild')
    }
  })

  test.each(Object.entries(BROKEN))(
    '%s: fsck --rebuild brings every snapshot, label and pin back, and nothing removed',
    async (_, destroy) => {
      const removed = await prepareNotes()
      const before = await notesOf()
      const records = await history()
      destroy()
      const told = await callOnce(world, 'fsck', { rebuild: true })
      expect(told).toMatchObject({ ok: true, rebuilt: true, problems: [] })
      expect(await notesOf()).toEqual(before)
      expect(before.map(([one]) => one)).not.toContain(removed)
      expect(await history()).toEqual(records)
      await inHouse(world, async (app) => {
        expect(snapshotState(app, id(FIRST))).toEqual(states[FIRST])
        expect(snapshotState(app, id(SECOND))).toEqual(states[SECOND])
      })
      await callOnce(world, 'restore', { snapshot_id: id(FIRST) })
      expect(stateOf(world.ws)).toEqual(states[FIRST])
    },
  )

  const notesOf = (): Promise<[string, string | null, boolean][]> =>
    inHouse(world, async ({ records }) => records.snapshots.all().map((s) => [s.id, s.label, s.pinned]))
  const history = async (): Promise<unknown> => (await callOnce(world, 'get_edit_history', { limit: 50 })).snapshots

  test('made again from damaged packs does not let the next capture rely on what is not there', async () => {
    await callOnce(world, 'snapshot') // the scan cache knows every file now
    breakAt('medium-2.bin', FIRST)
    await callOnce(world, 'fsck', { rebuild: true })
    write(world.ws, 'later.txt', 'written after the rebuild')
    const { snapshot_id } = await callOnce(world, 'snapshot')
    await inHouse(world, async (app) => expect(snapshotState(app, snapshot_id)).toEqual(stateOf(world.ws)))
  })
})

describe('a mirror', () => {
  test('brings everything back into an empty home', async () => {
    await callOnce(world, 'label', { snapshot_id: id(SECOND), label: 'renamed' })
    await callOnce(world, 'mirror', { dir: mirror })
    rmSync(world.home, { recursive: true })
    rmSync(join(world.ws, 'src'), { recursive: true })
    const back = await callOnce(world, 'mirror', { dir: mirror, back: true })
    expect(back.snapshots).toBe(3)
    await expectAllReadable()
    await inHouse(world, async ({ records }) => {
      expect(records.snapshots.all().map(({ label, pinned }) => [label, pinned])).toEqual([
        ['first', true],
        ['renamed', false],
        [null, false],
      ])
    })
    for (const n of [FIRST, SECOND, THIRD]) {
      await callOnce(world, 'restore', { snapshot_id: id(n) })
      expect(stateOf(world.ws)).toEqual(states[n])
    }
  })

  test('of a store in which snapshots were removed does not bring them back', async () => {
    const copy = join(world.dir, 'fifth-mirror')
    const { removed } = await callOnce(world, 'prune', { gc: false })
    expect(removed).toEqual([id(SECOND)])
    await callOnce(world, 'mirror', { dir: copy })
    rmSync(world.home, { recursive: true })
    await callOnce(world, 'mirror', { dir: copy, back: true })
    await inHouse(world, async ({ records }) =>
      expect(records.snapshots.all().map((one) => one.id)).toEqual([id(FIRST), id(THIRD)]),
    )
    rmSync(copy, { recursive: true })
  })
})

describe('forget', () => {
  const SECRET = 'hunter2-swordfish'

  test('purges the bytes from every pack, and nothing else', async () => {
    const known = await captureSecret('config/.env', `TOKEN=${SECRET}\n`)
    const receipt = await callOnce(world, 'forget', { pattern: 'config/.env', yes: true })
    expect(receipt).toMatchObject({ paths: ['config/.env'], objects_purged: 1, still_held: [] })
    await expectPurged(known)
  })

  test('purges a small secret that stands in one block with many other files', async () => {
    const small = makeWorld()
    try {
      for (let i = 0; i < 100; i++) write(small.ws, `beside/${i}.txt`, `beside the secret: ${i}`)
      write(small.ws, '.env', SECRET)
      await callOnce(small, 'snapshot')
      await callOnce(small, 'forget', { pattern: '.env', yes: true })
      expect(packBytes(small.home).includes(SECRET)).toBe(false)
    } finally {
      removeWorld(small)
    }
  })

  test('purges a large file in chunks', async () => {
    const known = await captureSecret('dump.sql', Buffer.concat([noise(11, 4_400_000), Buffer.from(SECRET.repeat(50))]))
    await callOnce(world, 'forget', { pattern: '*.sql', yes: true })
    await expectPurged(known)
  })

  test('is not undone by a rebuild', async () => {
    await captureSecret('config/.env', `TOKEN=${SECRET}\n`)
    await callOnce(world, 'forget', { pattern: 'config/.env', yes: true })
    await callOnce(world, 'fsck', { rebuild: true })
    await inHouse(world, async (app) => {
      for (const { id: one } of app.records.snapshots.all())
        expect(Object.keys(snapshotState(app, one))).not.toContain('config/.env')
    })
    expect(packBytes(world.home).includes(SECRET)).toBe(false)
  })

  test('that another process keeps from purging says so instead of claiming it is done', async () => {
    await captureSecret('config/.env', `TOKEN=${SECRET}\n`)
    const answer = await inHouse(world, async (app, call) => {
      const lease = app.records.leases.tryTake(COLLECT_LEASE, 'gc')
      try {
        return await call('forget', { pattern: 'config/.env', yes: true }).catch((fault: unknown) => ({ fault }))
      } finally {
        if (lease.taken) app.records.leases.release(COLLECT_LEASE, lease.fence)
      }
    })
    if (!('fault' in answer)) expect(packBytes(world.home).includes(SECRET)).toBe(false)
  })

  async function captureSecret(path: string, bytes: string | Uint8Array): Promise<Map<string, State>> {
    const known = new Map<string, State>()
    const snap = async (): Promise<void> => {
      const { snapshot_id } = await callOnce(world, 'snapshot')
      const { [path]: _, ...rest } = stateOf(world.ws)
      known.set(snapshot_id, rest)
    }
    write(world.ws, path, bytes)
    for (let i = 0; i < 60; i++) write(world.ws, `beside/${i}.txt`, `beside the secret: ${i}`)
    await snap()
    write(world.ws, 'src/0/file-0.ts', 'changed once more\n')
    await snap()
    rmSync(join(world.ws, path))
    await snap()
    expect(packBytes(world.home).includes(SECRET)).toBe(true)
    return known
  }

  async function expectPurged(known: ReadonlyMap<string, State>): Promise<void> {
    expect(packBytes(world.home).includes(SECRET)).toBe(false)
    expect((await callOnce(world, 'fsck')).problems).toEqual([])
    await inHouse(world, async (app) => {
      for (const [one, state] of known) expect(snapshotState(app, one)).toEqual(state)
    })
  }
})

describe('the scan cache', () => {
  const BROKEN: Record<string, (file: string) => void> = {
    deleted: (file) => rmSync(file),
    'overwritten with garbage': (file) => writeFileSync(file, noise(9, 3000)),
    empty: (file) => truncateSync(file, 0),
    'cut short': (file) => truncateSync(file, 100),
    'flipped in its middle': (file) => flipBit(file, Math.floor(readFileSync(file).length / 2), 2),
    'of an older moment': (file) => copyFileSync(`${file}.old`, file),
  }
  test.each(Object.entries(BROKEN))('%s changes nothing', async (_, destroy) => {
    const file = (): string => {
      const cache = join(world.home, 'cache')
      return join(cache, readdirSync(cache).find((name) => name.endsWith('.scan')) as string)
    }
    await callOnce(world, 'snapshot')
    copyFileSync(file(), `${file()}.old`)
    write(world.ws, 'src/0/file-0.ts', 'third version\n')
    await callOnce(world, 'snapshot')
    destroy(file())
    expect((await callOnce(world, 'snapshot')).created).toBe(false)
    destroy(file())
    write(world.ws, 'src/2/new.ts', 'new')
    const taken = await callOnce(world, 'snapshot')
    expect(taken).toMatchObject({ created: true, added: 1, modified: 0, deleted: 0 })
    await inHouse(world, async (app) => expect(snapshotState(app, taken.snapshot_id)).toEqual(stateOf(world.ws)))
  })
})

describe('a restore that died and cannot be finished', () => {
  test('because its target is damaged does not keep later commands from working', async () => {
    const { killed } = await run(world, [['restore', { snapshot_id: id(FIRST) }]], 'restore:written:1')
    expect(killed).toBe(true)
    breakAt('medium-1.bin', FIRST)
    await callOnce(world, 'snapshot').catch(() => {})
    write(world.ws, 'later.txt', 'life goes on')
    const { snapshot_id } = await callOnce(world, 'snapshot')
    await inHouse(world, async (app) => expect(snapshotState(app, snapshot_id)).toEqual(stateOf(world.ws)))
  })
})

/** The hash of what a snapshot has at a path. */
function hashOf(app: App, path: string, snapshot: number): Uint8Array {
  const { tree } = app.records.snapshots.get(id(snapshot)) as SnapshotRecord
  return path === '' ? tree : (findEntry(new Trees(app.store.reader).read, tree, rel(path)) as Entry).hash
}

/** Flips a bit of the stored bytes of an object so that it cannot be read, and returns its name. */
function breakHash(app: App, hash: Uint8Array): string {
  const { pack, offset, head, stored, codec, start, size } = app.store.index.find(hash) as ObjectLocation
  const payload = offset + head
  const middle = codec === 0 ? payload + start + Math.floor(size / 2) : payload
  for (let position = middle; position < payload + stored; position++) {
    flipBit(at(pack), position, 4)
    if (!isReadable(hash)) return toHex(hash)
    flipBit(at(pack), position, 4)
  }
  throw new Error(`no bit of ${toHex(hash)} matters`)
}

const isReadable = (hash: Uint8Array): boolean =>
  inOpenHouse(({ store }) => {
    try {
      store.reader.raw(hash)
      return true
    } catch {
      return false
    }
  })

function inOpenHouse<T>(act: (app: App) => T): T {
  const app = openApp({ home: world.home })
  try {
    return act(app)
  } finally {
    app.close()
  }
}
const breakAt = (path: string, n: number): string => inOpenHouse((app) => breakHash(app, hashOf(app, path, n)))
const breakChunkAt = (path: string, n: number): string =>
  inOpenHouse((app) => breakHash(app, (decodeList(app.store.reader.raw(hashOf(app, path, n)).bytes)[1] as Chunk).hash))

/** Every snapshot can be read. A damaged block that nothing needs any more may lie about. */
async function expectAllReadable(what = ''): Promise<void> {
  const told = (await callOnce(world, 'fsck')) as Told
  expect(
    told.problems.filter(({ object }) => object !== null),
    what,
  ).toEqual([])
  await inHouse(world, async (app) => {
    for (const n of [FIRST, SECOND, THIRD]) expect(snapshotState(app, id(n)), what).toEqual(states[n])
  })
}

const largestPack = (): string => packs(world).reduce((a, b) => (packSize(world, a) >= packSize(world, b) ? a : b))

/** Where the first block of a pack begins that has more blocks behind it. */
function firstOfManyBlocks(): { pack: string; offset: number } {
  const pack = packs(world).find((name) => [...scanPack(objectsDir(world), name)].length > 3) as string
  return { pack, offset: 32 }
}
