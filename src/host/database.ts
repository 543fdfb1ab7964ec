import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { Fault } from '../base/fault.ts'
import { sqlite } from './builtins.ts'
import { guarded } from './faults.ts'
import { syncGently } from './files/durable.ts'
import { fileSize } from './files/fs.ts'

export type SqlValue = SQLInputValue
export type SqlRow = Record<string, unknown>

const BUSY_MS = 60_000
const ROWS_AT_ONCE = 64
/** A log longer than this is shortened when there is time. */
const LONG_LOG = 4 * 1024 * 1024
const INCREMENTAL = 2
const PAGES_AT_ONCE = 256
/** So few unused pages are soon used again. */
const SPARE_PAGES = 256

/** One SQLite file. Statements are prepared once; every change runs in a transaction of its own. */
export class Database {
  readonly path: string
  readonly #db: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  #depth = 0
  /** How many transactions of this process have been committed: what was written before the last is visible to others. */
  commits = 0
  #refusal: Fault | undefined

  constructor(path: string, options: { readOnly?: boolean } = {}) {
    this.path = path
    this.#db = guarded(path, () => open(path, options.readOnly ?? false))
  }

  /** Refuses every change from now on, with the reason. */
  refuseChanges(why: Fault): void {
    this.exec('PRAGMA query_only = ON')
    this.#refusal = why
  }

  /** Whether it can only be read. */
  get isReadOnly(): boolean {
    return this.#refusal !== undefined
  }

  /** Why it can only be read. */
  get refusal(): Fault | undefined {
    return this.#refusal
  }

  #mayChange(): void {
    if (this.#refusal) throw this.#refusal
  }

  run(sql: string, ...values: SqlValue[]): number {
    this.#mayChange()
    return guarded(this.path, () => Number(this.#prepare(sql).run(...values).changes))
  }

  /** Inserts a row; returns its number. */
  insert(sql: string, ...values: SqlValue[]): number {
    this.#mayChange()
    return guarded(this.path, () => Number(this.#prepare(sql).run(...values).lastInsertRowid))
  }

  /** Inserts rows, many to a statement: half the cost of an insert is the call. `sql` ends before its VALUES, `end` follows. */
  insertMany(sql: string, rows: readonly (readonly SqlValue[])[], end = ''): void {
    this.#mayChange()
    const columns = rows[0]?.length ?? 0
    const places = `(${Array(columns).fill('?').join(', ')})`
    guarded(this.path, () => {
      for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
        const count = Math.min(ROWS_AT_ONCE, rows.length - at)
        const values: SqlValue[] = []
        for (let i = at; i < at + count; i++)
          for (let column = 0; column < columns; column++) values.push(rows[i]?.[column] as SqlValue)
        this.#prepare(`${sql} VALUES ${Array(count).fill(places).join(', ')}${end}`).run(...values)
      }
    })
  }

  get<T = SqlRow>(sql: string, ...values: SqlValue[]): T | undefined {
    return guarded(this.path, () => this.#prepare(sql).get(...values) as T | undefined)
  }

  all<T = SqlRow>(sql: string, ...values: SqlValue[]): T[] {
    return guarded(this.path, () => this.#prepare(sql).all(...values) as T[])
  }

  exec(sql: string): void {
    guarded(this.path, () => this.#db.exec(sql))
  }

  /** All or nothing, with no other writer in between. Calls may nest; the outermost one commits. */
  write<T>(act: () => T): T {
    if (this.#depth > 0) return act()
    this.run('BEGIN IMMEDIATE')
    this.#depth++
    try {
      const result = act()
      this.run('COMMIT')
      this.commits++
      return result
    } catch (error) {
      this.#rollBack()
      throw error
    } finally {
      this.#depth--
    }
  }

  /** As `write`; when it returns, this and every earlier change survive the machine's death. */
  writeDurably<T>(act: () => T): T {
    this.exec('PRAGMA synchronous = FULL')
    try {
      return this.write(act)
    } finally {
      this.exec('PRAGMA synchronous = NORMAL')
    }
  }

  /** Gets the log onto the disk in the background, so that the next durable change finds little left to wait for. */
  syncLog(): Promise<void> {
    return syncGently(`${this.path}-wal`)
  }

  /** Moves the log into the file, as far as nobody needs it, and shortens it if it is long. Takes long when there is much. */
  checkpoint(): void {
    this.exec('PRAGMA wal_checkpoint(PASSIVE)')
    if (fileSize(`${this.path}-wal`) < LONG_LOG) return
    // Others may be reading: they are not waited for, the next time will do.
    this.exec(`PRAGMA busy_timeout = 20; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA busy_timeout = ${BUSY_MS}`)
  }

  /** Gives the disk back what the file no longer needs, a little at a time: others may write in between. */
  shrink(): void {
    if (this.#pragma('auto_vacuum') !== INCREMENTAL) return
    for (let free = this.#free(); free > SPARE_PAGES; ) {
      this.exec(`PRAGMA incremental_vacuum(${PAGES_AT_ONCE})`)
      const left = this.#free()
      if (left >= free) return
      free = left
    }
  }

  #free(): number {
    return this.#pragma('freelist_count')
  }

  #pragma(name: string): number {
    return Object.values(this.get(`PRAGMA ${name}`) ?? {})[0] as number
  }

  /** For a process that checkpoints when it has time: only a very long log is moved in the middle of something. */
  checkpointSeldom(): void {
    this.exec('PRAGMA wal_autocheckpoint = 32000')
  }

  close(): void {
    this.#statements.clear()
    if (this.#db.isOpen) this.#db.close()
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql)
    if (statement === undefined) this.#statements.set(sql, (statement = this.#db.prepare(sql)))
    return statement
  }

  #rollBack(): void {
    try {
      this.#db.exec('ROLLBACK')
    } catch {
      // A full disk may have ended the transaction already; the first error is the one to tell.
    }
  }
}

function open(path: string, readOnly: boolean): DatabaseSync {
  const { DatabaseSync } = sqlite()
  const db = new DatabaseSync(path, { readOnly })
  try {
    // Not by the option `timeout`: Node before 22.16 takes it and does nothing.
    db.exec(`PRAGMA busy_timeout = ${BUSY_MS}`)
    // The first of these counts only for a file that is new.
    if (!readOnly)
      db.exec('PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 8000')
    db.exec('PRAGMA synchronous = NORMAL; PRAGMA cache_size = -32000; PRAGMA temp_store = MEMORY')
    return db
  } catch (error) {
    // Left open, what it found in the way would be in the way of the next one, too.
    db.close()
    throw error
  }
}

/**
 * Brings the tables of one room up to date. Steps are never changed once released, only added.
 * Refuses a file that a newer program has written.
 */
export function migrate(db: Database, ctx: string, steps: readonly string[]): void {
  if (versionOf(db, ctx) === steps.length) return
  // On the disk before anything else is made: packs beside records without tables are refused.
  db.writeDurably(() => {
    db.exec('CREATE TABLE IF NOT EXISTS versions (room TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT')
    const found = versionOf(db, ctx)
    if (found > steps.length) throw new Fault('STORE_NEWER', { path: db.path, found, known: steps.length })
    for (const step of steps.slice(found)) db.exec(step)
    db.run('INSERT OR REPLACE INTO versions VALUES (?, ?)', ctx, steps.length)
  })
}

function versionOf(db: Database, ctx: string): number {
  const table = db.get("SELECT 1 FROM sqlite_master WHERE name = 'versions'")
  if (table === undefined) return 0
  return db.get<{ version: number }>('SELECT version FROM versions WHERE room = ?', ctx)?.version ?? 0
}
