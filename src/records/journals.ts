import type { Database } from '../host/database.ts'
import { giveBack } from '../host/faults.ts'
import { type Identity, identity, isAlive } from '../host/processes/process.ts'
import type { Cause, Source } from '../schema/cause.ts'
import { type RelPath, recordedPath } from '../schema/path.ts'

/** A change of files under way. It outlives the process: the next command finishes it. */
export interface Journal {
  readonly id: string
  readonly workspace: string
  readonly plan: JournalPlan
  readonly created_at: number
}

export interface JournalPlan {
  readonly act: 'restore' | 'undo' | 'redo' | 'edit' | 'revert' | 'recover' | 'travel' | 'return'
  /** The snapshot to restore, and the backup with the state before. */
  readonly target: string
  readonly backup: string
  /** The target state, where it is not a snapshot's: the hash of its tree. */
  readonly tree?: string
  /** The initial state, where it is not the backup's: the hash of its tree. */
  readonly from?: string
  /** Facts for the snapshot of the resulting state. */
  readonly after?: {
    readonly source: Source
    readonly cause: Cause
    readonly label?: string
    readonly description?: string
    /** How many lines it adds and removes. */
    readonly lines_changed?: number
  }
  readonly paths: readonly RelPath[]
  /** The snapshot that the act undoes or redoes. */
  readonly of: string
  readonly session_id?: string
}

type StoredPlan = Omit<JournalPlan, 'paths'> & { readonly paths: readonly string[] }

const planOf = (plan: StoredPlan): JournalPlan => ({ ...plan, paths: plan.paths.map(recordedPath) })

export class Journals {
  readonly #db: Database
  readonly #released = new Set<string>()

  constructor(db: Database) {
    this.#db = db
  }

  /** Durable when it returns. `along` runs in the same transaction. */
  open(id: string, workspace: string, plan: JournalPlan, now: number, along: () => void = () => {}): void {
    this.#db.writeDurably(() => {
      along()
      this.#db.run(
        'INSERT INTO journals VALUES (?, ?, ?, ?, ?)',
        id,
        workspace,
        JSON.stringify(identity()),
        JSON.stringify(plan),
        now,
      )
    })
  }

  /** Replaces the plan with one that has another target. Durable when it returns. */
  turn(id: string, plan: JournalPlan): void {
    this.#db.writeDurably(() => {
      this.#db.run('UPDATE journals SET plan = ? WHERE id = ?', JSON.stringify(plan), id)
    })
  }

  /**
   * Lets the next command finish the journal although this process is alive. On a full disk only this process knows
   * that.
   */
  letGo(id: string): void {
    this.#released.add(id)
    giveBack(() => this.#db.run("UPDATE journals SET holder = 'null' WHERE id = ?", id))
  }

  close(id: string): void {
    this.#db.run('DELETE FROM journals WHERE id = ?', id)
  }

  isOpen(id: string): boolean {
    return this.#db.get('SELECT 1 FROM journals WHERE id = ?', id) !== undefined
  }

  /** Whether no act is under way or unfinished, in any workspace. */
  get isEmpty(): boolean {
    return this.#db.get('SELECT 1 FROM journals LIMIT 1') === undefined
  }

  any(workspace: string): boolean {
    return this.#db.get('SELECT 1 FROM journals WHERE workspace = ?', workspace) !== undefined
  }

  /** Journals whose process died or released them. */
  abandoned(workspace: string): Journal[] {
    return this.#all('SELECT * FROM journals WHERE workspace = ? ORDER BY created_at', workspace)
      .filter(
        ({ id, holder }) => this.#released.has(id) || holder === 'null' || !isAlive(JSON.parse(holder) as Identity),
      )
      .map(({ holder: _holder, ...journal }) => journal)
  }

  /** Snapshots that journals need. */
  needed(): Set<string> {
    return new Set(this.#all('SELECT * FROM journals').flatMap(({ plan }) => [plan.target, plan.backup, plan.of]))
  }

  /** Hashes of the trees that journals start from or lead to. */
  trees(): string[] {
    return this.#all('SELECT * FROM journals').flatMap(({ plan }) => [plan.tree ?? [], plan.from ?? []].flat())
  }

  #all(sql: string, ...values: string[]): (Journal & { holder: string })[] {
    return this.#db
      .all<{ id: string; workspace: string; holder: string; plan: string; created_at: number }>(sql, ...values)
      .map((row) => ({ ...row, plan: planOf(JSON.parse(row.plan) as StoredPlan) }))
  }
}

/** Snapshots that a running process reads: retention does not remove them. */
export class SnapshotHolds {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  hold(id: string, snapshots: readonly string[]): void {
    // In a store that cannot be written, no process can remove a snapshot either.
    if (this.#db.isReadOnly) return
    this.#db.write(() => {
      for (const snapshot of snapshots)
        this.#db.run('INSERT OR REPLACE INTO holds VALUES (?, ?, ?)', id, snapshot, JSON.stringify(identity()))
    })
  }

  release(id: string): void {
    giveBack(() => this.#db.run('DELETE FROM holds WHERE id = ?', id))
  }

  /** Snapshots held by live processes. Holds of dead processes are deleted. */
  held(): Set<string> {
    const held = new Set<string>()
    for (const row of this.#db.all<{ id: string; snapshot: string; holder: string }>('SELECT * FROM holds'))
      if (isAlive(JSON.parse(row.holder) as Identity)) held.add(row.snapshot)
      else this.release(row.id)
    return held
  }
}
