import { crc32 } from 'node:zlib'
import type { Database } from '../host/database.ts'

/**
 * The facts of snapshots as JSON. Each text is stored once, because thousands of consecutive snapshots have the same
 * facts; a snapshot's row has the text's number. Numbers are never reused, so a process may cache them for ever.
 */
export class FactTexts<T> {
  readonly #db: Database
  readonly #known = new Map<number, T>()

  constructor(db: Database) {
    this.#db = db
  }

  /**
   * The value for a snapshot's row. Call it inside the transaction that writes the row: another process may remove
   * unused texts.
   */
  keyOf(facts: T): string {
    const text = JSON.stringify(facts)
    const sum = crc32(text)
    const found = this.#db.get<{ id: number }>('SELECT id FROM fact_texts WHERE sum = ? AND text = ?', sum, text)
    return String(found?.id ?? this.#db.insert('INSERT INTO fact_texts (sum, text) VALUES (?, ?)', sum, text))
  }

  /**
   * The facts of a row's value: a number, or in older rows the facts themselves. Undefined when they were removed
   * meanwhile.
   */
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
