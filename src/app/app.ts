import { join } from 'node:path'
import { Fault } from '../base/fault.ts'
import { type Clock, realClock } from '../host/clock.ts'
import { Database } from '../host/database.ts'
import { guarded, isUnwritable } from '../host/faults.ts'
import { copyDatabase, type DatabaseCopy } from '../host/files/copy-database.ts'
import { lstat, rename } from '../host/files/fs.ts'
import { keepReserve, spendReserve } from '../host/files/reserve.ts'
import { isWritable } from '../host/files/writable.ts'
import { Records } from '../records/records.ts'
import type { WorkspaceRecord } from '../records/workspaces.ts'
import { makeId } from '../schema/ids.ts'
import { ObjectStore } from '../store/object-store.ts'
import { packNames } from '../store/pack-scan.ts'
import { withdrawLost } from '../timeline/integrity/withdraw.ts'
import type { LiveView } from '../timeline/scan/live-view.ts'
import { openWorkspace, type Workspace } from '../timeline/workspace/workspace.ts'
import { WorkspaceCache } from '../timeline/workspace/workspace-cache.ts'
import { makeHome, makePrivateDatabase } from './home-folder.ts'

export interface AppOptions {
  /** The store's folder. */
  readonly home: string
  readonly clock?: Clock
  /** Set in the daemon only: its live view of the workspaces that it watches. */
  readonly live?: LiveView | undefined
}

/**
 * How long the daemon waits before a background task, so that the task does not delay a capture that follows closely.
 */
const SOON_MS = 200

/** Work to be done after the answer is given. Must not throw for reasons of its own. */
export type BackgroundTask = () => Promise<void>

/** The open store and its records. Opening is cheap: nothing on disk is touched before a tool needs it. */
export class App {
  readonly home: string
  readonly clock: Clock
  readonly live: LiveView | undefined
  #open: Rooms | undefined
  #mayBegin = false
  readonly #chores = new Map<string, BackgroundTask>()
  readonly #soon = new Map<string, NodeJS.Timeout>()
  readonly #cache: WorkspaceCache

  constructor(options: AppOptions) {
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

  /** A workspace with its settings and rules. In the daemon they are cached and read again only when they changed. */
  workspace(record: WorkspaceRecord): Workspace {
    // During a journey the present's rules stay in force: otherwise the return could miss files that must be restored.
    const rules = this.records.travels.rulesOf(record.id)
    if (rules !== undefined) return openWorkspace(record, this.home, JSON.parse(rules) as Workspace['rules'])
    return this.live ? this.#cache.open(record) : openWorkspace(record, this.home)
  }

  /** A new id: `s_…`, `w_…`. */
  newId(prefix: string): string {
    return makeId(prefix, this.clock.now(), () => this.clock.random())
  }

  /** Puts a task off until the answer is given. A task of the same name replaces the one that waits. */
  later(name: string, chore: BackgroundTask): void {
    // The daemon has its own schedule.
    if (!this.live) this.#chores.set(name, chore)
  }

  /** As `later`, but the daemon runs the task, too: in the background, shortly after the answer. */
  soon(name: string, chore: BackgroundTask): void {
    if (!this.live) this.later(name, chore)
    else if (!this.#soon.has(name)) {
      const begin = (): void => {
        this.#soon.delete(name)
        void chore()
      }
      this.#soon.set(name, setTimeout(begin, SOON_MS))
    }
  }

  /** Runs after the answer is given: makes what was written durable, then runs the waiting tasks. */
  async settle(): Promise<void> {
    if (this.#open === undefined || this.isReadOnly) return
    this.store.sync()
    keepReserve(this.home)
    for (const [name, chore] of this.#chores) {
      this.#chores.delete(name)
      await chore()
    }
  }

  /**
   * Opens the records although they are missing or damaged, so that they can be rebuilt. Files that cannot be opened
   * are moved aside, never deleted.
   */
  openForRebuild(): void {
    if (this.#open) return
    if (!isStore(this.home)) throw new Fault('STORE_MISSING', { home: this.home })
    setAsideDamaged(this.home, this.clock.now())
    this.#open = openRooms(this.home, this.clock, () => this.#packName())
  }

  close(): void {
    for (const timer of this.#soon.values()) clearTimeout(timer)
    this.#soon.clear()
    this.#open?.store.close()
    this.#open?.db.close()
    this.#open?.copy?.remove()
    this.#open = undefined
  }

  /**
   * Called before space is freed: gives up the reserve, so that there is space on a full disk for the writes on the
   * way.
   */
  makeRoom(): void {
    spendReserve(this.home)
    // A store that was opened for reading only may be writable now.
    if (this.#open?.db.isReadOnly) this.close()
  }

  /** Whether there is a store to open. Packs without records count as a store, one that has to be repaired. */
  get exists(): boolean {
    return this.#open !== undefined || isStore(this.home)
  }

  /**
   * Allows the store to be created if there is none. Only a tool that records something for the first time calls this.
   */
  begin(): void {
    this.#mayBegin = true
  }

  /** Whether nothing can be recorded, because the disk is full or read-only. What is recorded can still be read. */
  get isReadOnly(): boolean {
    return this.#rooms().db.isReadOnly
  }

  /** Why nothing can be recorded; undefined when it can. A disk may have become read-only under an open store. */
  get refusal(): Fault | undefined {
    const { refusal } = this.#rooms().db
    return refusal ?? (isWritable(this.home) ? undefined : new Fault('READ_ONLY', { path: this.home }))
  }

  #rooms() {
    if (this.#open === undefined) {
      if (!this.#mayBegin && !isStore(this.home)) throw new Fault('STORE_MISSING', { home: this.home })
      refuseLostRecords(this.home, lstat(join(this.home, 'timewarp.db')) === undefined)
      this.#open = this.#openRooms()
      if (this.live) {
        this.#open.store.settleIn()
        this.#open.db.checkpointSeldom()
      }
    }
    return this.#open
  }

  #openRooms(): Rooms {
    const look = (db: Database): void => refuseLostRecords(this.home, !hasTables(db))
    const newName = (): string => this.#packName()
    try {
      return openRooms(this.home, this.clock, newName, look)
    } catch (error) {
      const rooms = isUnwritable(error) && !this.live ? openToRead(this.home, this.clock, newName, error) : undefined
      if (rooms === undefined) throw error
      return rooms
    }
  }

  #packName(): string {
    return this.newId('p').replaceAll('_', '')
  }
}

interface Rooms {
  readonly db: Database
  readonly store: ObjectStore
  readonly records: Records
  /** The copy that the records are read from, because the database itself cannot be written to. */
  readonly copy?: DatabaseCopy
}

/**
 * Opens the store for reading only, from a copy of the records. Undefined when there are no records to copy, or no
 * space for the copy.
 */
function openToRead(home: string, clock: Clock, newName: () => string, why: Fault): Rooms | undefined {
  const copy = lstat(join(home, 'objects'))?.isDirectory() ? copyDatabase(join(home, 'timewarp.db')) : undefined
  if (copy === undefined) return undefined
  let db: Database | undefined
  try {
    db = new Database(copy.path)
    const store = new ObjectStore(join(home, 'objects'), db, newName)
    const records = new Records(db, () => clock.now())
    db.refuseChanges(why)
    return { db, store, records, copy }
  } catch {
    // The caller reports the fault that kept the store from being opened; this one adds nothing.
    db?.close()
    copy.remove()
    return undefined
  }
}

function openRooms(home: string, clock: Clock, newName: () => string, look: (db: Database) => void = () => {}): Rooms {
  const database = join(home, 'timewarp.db')
  makeHome(home)
  makePrivateDatabase(database)
  const db = new Database(database)
  try {
    look(db)
    const store = guarded(home, () => new ObjectStore(join(home, 'objects'), db, newName))
    const records = new Records(db, () => clock.now())
    withdrawLost(store, records)
    return { db, store, records }
  } catch (error) {
    db.close()
    throw error
  }
}

const isStore = (home: string): boolean =>
  lstat(join(home, 'timewarp.db')) !== undefined || lstat(join(home, 'objects')) !== undefined

/** Packs without records would look like leftovers and be deleted, so the user has to decide what is to be done. */
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

export const openApp = (options: AppOptions): App => new App(options)
