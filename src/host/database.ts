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
/** A log longer than this is truncated when the process is idle. */
const LONG_LOG = 4 * 1024 * 1024
const INCREMENTAL = 2
const PAGES_AT_ONCE = 256
/** Fewer unused pages than this stay: they are soon reused. */
const SPARE_PAGES = 256

/** One SQLite file. Statements are prepared once; each write outside `write` is its own transaction. */
export class Database {
  readonly path: string
  readonly #db: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  #depth = 0
  /** Committed transactions of this process. Writes before the last commit are visible to other processes. */
  commits = 0
  #refusal: Fault | undefined

  constructor(path: string, options: { readOnly?: boolean } = {}) {
    this.path = path
    this.#db = guarded(path, () => open(path, options.readOnly ?? false))
  }

  /** Makes the database read-only from now on; later writes throw `why`. */
  refuseChanges(why: Fault): void {
    this.exec('PRAGMA query_only = ON')
    this.#refusal = why
  }

  get isReadOnly(): boolean {
    return this.#refusal !== undefined
  }

  /** Why it is read-only. */
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

  /** Inserts a row; returns its row id. */
  insert(sql: string, ...values: SqlValue[]): number {
    this.#mayChange()
    return guarded(this.path, () => Number(this.#prepare(sql).run(...values).lastInsertRowid))
  }

  /**
   * Inserts many rows per statement: half the cost of an insert is the call. `sql` ends before VALUES; `end` follows
   * it.
   */
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

  /** Runs `act` in an immediate transaction. Calls may nest; the outermost one commits. */
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

  /** As `write`; when it returns, this and every earlier transaction survive a power loss. */
  writeDurably<T>(act: () => T): T {
    this.exec('PRAGMA synchronous = FULL')
    try {
      return this.write(act)
    } finally {
      this.exec('PRAGMA synchronous = NORMAL')
    }
  }

  /** Syncs the log in the background, so that the next durable transaction has little left to wait for. */
  syncLog(): Promise<void> {
    return syncGently(`${this.path}-wal`)
  }

  /** Checkpoints the log as far as no reader needs it, and truncates it if it is long. Slow when the log is long. */
  checkpoint(): void {
    this.exec('PRAGMA wal_checkpoint(PASSIVE)')
    if (fileSize(`${this.path}-wal`) < LONG_LOG) return
    // Do not wait for readers: a later call will truncate it.
    this.exec(`PRAGMA busy_timeout = 20; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA busy_timeout = ${BUSY_MS}`)
  }

  /** Returns unused pages to the disk, a few at a time, so that other processes can write in between. */
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

  /** For a process that checkpoints when idle: during work, only a very long log is checkpointed. */
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
      // A full disk may already have ended the transaction; the caller must get the first error.
    }
  }
}

function open(path: string, readOnly: boolean): DatabaseSync {
  const { DatabaseSync } = sqlite()
  const db = new DatabaseSync(path, { readOnly })
  try {
    // The option `timeout` is no substitute: Node before 22.16 accepts and ignores it.
    db.exec(`PRAGMA busy_timeout = ${BUSY_MS}`)
    // `auto_vacuum` has an effect only on a new file.
    if (!readOnly)
      db.exec('PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 8000')
    db.exec('PRAGMA synchronous = NORMAL; PRAGMA cache_size = -32000; PRAGMA temp_store = MEMORY')
    return db
  } catch (error) {
    // An open handle would keep its locks and obstruct the next attempt.
    db.close()
    throw error
  }
}

/**
 * Migrates the tables of one component. Released steps are never changed, only new ones added. Throws STORE_NEWER for a
 * file that a newer version has written.
 */
export function migrate(db: Database, ctx: string, steps: readonly string[]): void {
  if (versionOf(db, ctx) === steps.length) return
  // Durable before anything else is created: a store that has packs but no tables is rejected.
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
