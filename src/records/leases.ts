import { Fault } from '../base/fault.ts'
import { sleep } from '../host/clock.ts'
import type { Database } from '../host/database.ts'
import { giveBack } from '../host/faults.ts'
import { point } from '../host/points.ts'
import { describeProcess, type Identity, identity, isAlive } from '../host/processes/process.ts'

export interface Lease {
  readonly name: string
  readonly holder: string
  readonly purpose: string
  readonly since: number
  /** Rises with every holder: a process with a lower one has been replaced. */
  readonly fence: number
}

/** Leases this process has released. The database may still name it as the holder if the disk was full. */
const given = new Set<string>()

/** Locks that one process at a time may hold. The lease of a dead holder can be taken. */
export class Leases {
  readonly #db: Database
  readonly #now: () => number

  constructor(db: Database, now: () => number) {
    this.#db = db
    this.#now = now
  }

  #key(name: string, fence: number): string {
    return `${this.#db.path}:${name}:${fence}`
  }

  /** The lease, if its holder is alive. */
  holder(name: string): Lease | undefined {
    const lease = this.#db.get<Lease>('SELECT * FROM leases WHERE name = ?', name)
    if (!lease || lease.holder === '' || given.has(this.#key(name, lease.fence))) return undefined
    return isAlive(JSON.parse(lease.holder) as Identity) ? lease : undefined
  }

  /** Takes the lease, or returns the lease of the current holder. */
  tryTake(name: string, purpose: string): { taken: true; fence: number } | { taken: false; by: Lease } {
    return this.#db.write(() => {
      const by = this.holder(name)
      if (by) return { taken: false, by }
      const fence = (this.#db.get<{ fence: number }>('SELECT fence FROM leases WHERE name = ?', name)?.fence ?? 0) + 1
      this.#db.run(
        'INSERT OR REPLACE INTO leases VALUES (?, ?, ?, ?, ?)',
        name,
        JSON.stringify(identity()),
        purpose,
        this.#now(),
        fence,
      )
      return { taken: true, fence }
    })
  }

  release(name: string, fence: number): void {
    given.add(this.#key(name, fence))
    giveBack(() => this.#db.run("UPDATE leases SET holder = '' WHERE name = ? AND fence = ?", name, fence))
  }

  /** Takes the lease as soon as it is free; undefined when it stays held for `ms`. */
  async take(name: string, purpose: string, ms: number): Promise<number | undefined> {
    for (const end = Date.now() + ms; ; await sleep(25)) {
      const answer = this.tryTake(name, purpose)
      if (answer.taken) return answer.fence
      point('lease:waits')
      if (Date.now() > end) return undefined
    }
  }

  /** Runs `act` while holding the lease; throws WORKSPACE_BUSY when another process holds it. */
  async during<T>(name: string, purpose: string, root: string, act: () => Promise<T>): Promise<T> {
    const answer = this.tryTake(name, purpose)
    if (!answer.taken) throw busy(answer.by, root)
    try {
      return await act()
    } finally {
      this.release(name, answer.fence)
    }
  }
}

export const busy = (by: Lease, root: string): Fault =>
  new Fault('WORKSPACE_BUSY', {
    root,
    holder: holderName(by),
    purpose: by.purpose,
    since: new Date(by.since).toISOString(),
  })

export const holderName = (lease: Lease): string => describeProcess(JSON.parse(lease.holder) as Identity)
