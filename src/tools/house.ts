import { join } from 'node:path'
import { Fault } from '../base/fault.ts'
import { type Clock, realClock } from '../host/clock.ts'
import { Database } from '../host/database.ts'
import { guarded, translateError } from '../host/faults.ts'
import { errorCode, lstat, makeDirs, rename } from '../host/fs.ts'
import { Records } from '../records/records.ts'
import type { WorkspaceRecord } from '../records/workspaces.ts'
import { makeId } from '../schema/ids.ts'
import { ObjectStore } from '../store/object-store.ts'
import { packNames } from '../store/pack-scan.ts'
import type { Live } from '../timeline/live.ts'
import { withdrawLost } from '../timeline/withdraw.ts'
import { openWorkspace, type Workspace } from '../timeline/workspace.ts'
import { WorkspaceCache } from '../timeline/workspace-cache.ts'

export interface HouseOptions {
  /** The store's folder. */
  readonly home: string
  readonly daemon: boolean
  readonly clock?: Clock
  /** Who watches workspaces: the daemon, in its own house. */
  readonly live?: Live | undefined
}

/** What is to be done after the answer is given. Must not throw for reasons of its own. */
export type Chore = () => Promise<void>

/** The rooms wired together. Opening is cheap; nothing is touched before a tool asks for it. */
export class House {
  readonly home: string
  readonly clock: Clock
  readonly live: Live | undefined
  #open: { db: Database; records: Records; store: ObjectStore } | undefined
  readonly #chores = new Map<string, Chore>()
  readonly #cache: WorkspaceCache

  constructor(options: HouseOptions) {
    this.home = options.home
    this.clock = options.clock ?? realClock
    this.live = options.live
    this.#cache = new WorkspaceCache(options.home)
  }

  get records(): Records {
    return this.#rooms().records
  }

  get store(): ObjectStore {
    return this.#rooms().store
  }

  /** A workspace with its settings and rules. Where the house stays open, they are read again only when they changed. */
  workspace(record: WorkspaceRecord): Workspace {
    // In the past the present's rules stay in force: whatever has to come home must not get out of sight.
    const rules = this.records.travels.rulesOf(record.id)
    if (rules !== undefined) return openWorkspace(record, this.home, JSON.parse(rules) as Workspace['rules'])
    return this.live ? this.#cache.open(record) : openWorkspace(record, this.home)
  }

  /** A new id: `s_…`, `w_…`. */
  newId(prefix: string): string {
    return makeId(prefix, this.clock.now(), () => this.clock.random())
  }

  /** Puts something off until the answer is given; the same name replaces what waits under it. */
  later(name: string, chore: Chore): void {
    // The daemon has a schedule of its own.
    if (!this.live) this.#chores.set(name, chore)
  }

  /** After the answer is given: makes it durable, then housekeeping. */
  async settle(): Promise<void> {
    if (this.#open === undefined) return
    this.store.sync()
    for (const [name, chore] of this.#chores) {
      this.#chores.delete(name)
      await chore()
    }
  }

  /**
   * Opens the records although they are missing or damaged, so that they can be made again.
   * What cannot be opened is moved aside, never deleted.
   */
  openForRebuild(): void {
    if (this.#open) return
    setAsideDamaged(this.home, this.clock.now())
    this.#open = openRooms(this.home, this.clock, () => this.#packName())
  }

  close(): void {
    this.#open?.store.close()
    this.#open?.db.close()
    this.#open = undefined
  }

  #rooms() {
    if (this.#open === undefined) {
      refuseLostRecords(this.home, lstat(join(this.home, 'timewarp.db')) === undefined)
      this.#open = openRooms(
        this.home,
        this.clock,
        () => this.#packName(),
        (db) => refuseLostRecords(this.home, !hasTables(db)),
      )
      if (this.live) {
        this.#open.store.settleIn()
        this.#open.db.checkpointSeldom()
      }
    }
    return this.#open
  }

  #packName(): string {
    return this.newId('p').replaceAll('_', '')
  }
}

function openRooms(home: string, clock: Clock, newName: () => string, look: (db: Database) => void = () => {}) {
  makeHome(home)
  const db = new Database(join(home, 'timewarp.db'))
  look(db)
  const store = guarded(home, () => new ObjectStore(join(home, 'objects'), db, newName))
  const records = new Records(db, () => clock.now())
  withdrawLost(store, records)
  return { db, store, records }
}

function makeHome(home: string): void {
  try {
    makeDirs(home, 0o700)
    makeDirs(join(home, 'cache'), 0o700)
  } catch (error) {
    const code = errorCode(error)
    if (code === 'EEXIST' || code === 'ENOTDIR')
      throw new Fault('HOME_BAD', { path: home, problem: 'it is not a folder' })
    throw translateError(error, home)
  }
}

/** Packs without records would be taken for leftovers and swept away: somebody has to say what is to be done. */
function refuseLostRecords(home: string, isEmpty: boolean): void {
  const objects = join(home, 'objects')
  if (!isEmpty || !lstat(objects)?.isDirectory() || packNames(objects).length === 0) return
  const problem = 'it is missing or empty, but there are packs'
  throw new Fault('RECORDS_DAMAGED', { path: join(home, 'timewarp.db'), problem })
}

const hasTables = (db: Database): boolean => db.get("SELECT 1 FROM sqlite_master WHERE name = 'versions'") !== undefined

function setAsideDamaged(home: string, now: number): void {
  const path = join(home, 'timewarp.db')
  if (lstat(path) === undefined || opens(path)) return
  for (const suffix of ['', '-wal', '-shm'])
    if (lstat(path + suffix)) rename(path + suffix, `${path}${suffix}.damaged-${now}`)
}

function opens(path: string): boolean {
  try {
    const db = new Database(path)
    try {
      return (
        db.get<{ ok: string }>('PRAGMA quick_check(1)') !== undefined &&
        db.get('SELECT count(*) FROM sqlite_master') !== undefined
      )
    } finally {
      db.close()
    }
  } catch (error) {
    if (error instanceof Fault && error.code === 'RECORDS_DAMAGED') return false
    throw error
  }
}

export const openHouse = (options: HouseOptions): House => new House(options)
