import { breathe } from '../host/clock.ts'
import type { Database } from '../host/database.ts'
import { BloomFilter } from './bloom-filter.ts'

const AT_ONCE = 4000
const NO_HASH = new Uint8Array()

/**
 * An approximate set of the hashes in the index, so that most lookups of absent hashes need no query. This process adds
 * every hash that it inserts; hashes inserted by other processes may be missing.
 */
export class IndexFilter {
  readonly #db: Database
  readonly #tables: readonly string[]
  #sieve: BloomFilter | undefined
  /** The filter that is being filled. */
  #next: BloomFilter | undefined

  constructor(db: Database, tables: readonly string[]) {
    this.#db = db
    this.#tables = tables
  }

  /** Reads all hashes of the index, unless it has done so. This takes a while; it yields the thread in between. */
  async learn(): Promise<void> {
    if (this.#next || (this.#sieve && !this.#sieve.isFull)) return
    const next = new BloomFilter(2 * this.#count())
    this.#next = next
    for (const table of this.#tables)
      for (let some = this.#after(table, NO_HASH); some.length > 0; some = this.#after(table, some.at(-1) ?? NO_HASH)) {
        for (const hash of some) next.add(hash)
        await breathe()
      }
    this.#sieve = next
    this.#next = undefined
  }

  add(hash: Uint8Array): void {
    this.#sieve?.add(hash)
    this.#next?.add(hash)
  }

  /** Those that may be in the index: all that this process knows to be there, and a few that are not. */
  maybe(hashes: readonly Uint8Array[]): readonly Uint8Array[] {
    const sieve = this.#sieve
    return sieve ? hashes.filter((hash) => sieve.passes(hash)) : hashes
  }

  #count(): number {
    const counts = this.#tables.map(
      (table) => this.#db.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)?.n ?? 0,
    )
    return counts.reduce((a, b) => a + b, 0)
  }

  #after(table: string, hash: Uint8Array): Uint8Array[] {
    const sql = `SELECT hash FROM ${table} WHERE hash > ? ORDER BY hash LIMIT ${AT_ONCE}`
    return this.#db.all<{ hash: Uint8Array }>(sql, hash).map((row) => row.hash)
  }
}
