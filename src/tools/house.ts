import { join } from 'node:path'
import { type Clock, realClock } from '../host/clock.ts'
import { Database } from '../host/database.ts'
import { guarded } from '../host/faults.ts'
import { makeDirs } from '../host/fs.ts'
import { Records } from '../records/records.ts'
import { makeId } from '../schema/ids.ts'
import { ObjectStore } from '../store/object-store.ts'

export interface HouseOptions {
  /** The store's folder. */
  readonly home: string
  readonly daemon: boolean
  readonly clock?: Clock
}

/** What is to be done after the answer is given. Must not throw for reasons of its own. */
export type Chore = () => Promise<void>

/** The rooms wired together. Opening is cheap; nothing is touched before a tool asks for it. */
export class House {
  readonly home: string
  readonly clock: Clock
  #open: { db: Database; records: Records; store: ObjectStore } | undefined
  readonly #chores = new Map<string, Chore>()

  constructor(options: HouseOptions) {
    this.home = options.home
    this.clock = options.clock ?? realClock
  }

  get records(): Records {
    return this.#rooms().records
  }

  get store(): ObjectStore {
    return this.#rooms().store
  }

  /** A new id: `s_…`, `w_…`. */
  newId(prefix: string): string {
    return makeId(prefix, this.clock.now(), () => this.clock.random())
  }

  /** Puts something off until the answer is given; the same name replaces what waits under it. */
  later(name: string, chore: Chore): void {
    this.#chores.set(name, chore)
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

  close(): void {
    this.#open?.store.close()
    this.#open?.db.close()
    this.#open = undefined
  }

  #rooms() {
    this.#open ??= openRooms(this.home, this.clock, () => this.newId('p').replaceAll('_', ''))
    return this.#open
  }
}

function openRooms(home: string, clock: Clock, newName: () => string) {
  guarded(home, () => {
    makeDirs(home, 0o700)
    makeDirs(join(home, 'cache'), 0o700)
  })
  const db = new Database(join(home, 'timewarp.db'))
  const store = guarded(home, () => new ObjectStore(join(home, 'objects'), db, newName))
  return { db, store, records: new Records(db, () => clock.now()) }
}

export const openHouse = (options: HouseOptions): House => new House(options)
