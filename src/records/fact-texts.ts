import { crc32 } from 'node:zlib'
import type { Database } from '../host/database.ts'

/**
 * The facts of snapshots as JSON, each text once: thousands of snapshots in a row say the same. A snapshot's row has the number.
 * A number is never given again, so what a process knows of one stays true.
 */
export class FactTexts<T> {
  readonly #db: Database
  readonly #known = new Map<number, T>()

  constructor(db: Database) {
    this.#db = db
  }

  /** What to put into a row. Inside the transaction in which the row is written: unused texts are removed by others. */
  keyOf(facts: T): string {
    const text = JSON.stringify(facts)
    const sum = crc32(text)
    const found = this.#db.get<{ id: number }>('SELECT id FROM fact_texts WHERE sum = ? AND text = ?', sum, text)
    return String(found?.id ?? this.#db.insert('INSERT INTO fact_texts (sum, text) VALUES (?, ?)', sum, text))
  }

  /** What a row says: a number, or the facts themselves as older rows have them. Undefined when they were removed meanwhile. */
  of(key: string): T | undefined {
    const value = JSON.parse(key) as T | number
    if (typeof value !== 'number') return value
    const known = this.#known.get(value)
    if (known !== undefined) return known
    const row = this.#db.get<{ text: string }>('SELECT text FROM fact_texts WHERE id = ?', value)
    if (row === undefined) return undefined
    const facts = JSON.parse(row.text) as T
    if (this.#known.size >= KNOWN) this.#known.clear()
    this.#known.set(value, facts)
    return facts
  }

  removeUnused(): void {
    this.#db.run('DELETE FROM fact_texts WHERE id NOT IN (SELECT CAST(facts AS INTEGER) FROM snapshots)')
  }
}

const KNOWN = 1000
