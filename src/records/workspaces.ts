import type { Database } from '../host/database.ts'

export interface WorkspaceRecord {
  readonly id: string
  readonly root: string
  readonly created_at: number
  readonly pruned_at: number
  /** Rises with each act that changes files: a capture that sees it rise scans again. */
  readonly acts: number
}

export class Workspaces {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  get(id: string): WorkspaceRecord | undefined {
    return this.#db.get<WorkspaceRecord>('SELECT * FROM workspaces WHERE id = ?', id)
  }

  at(root: string): WorkspaceRecord | undefined {
    return this.#db.get<WorkspaceRecord>('SELECT * FROM workspaces WHERE root = ?', root)
  }

  all(): WorkspaceRecord[] {
    return this.#db.all<WorkspaceRecord>('SELECT * FROM workspaces ORDER BY created_at, id')
  }

  add(id: string, root: string, now: number): void {
    this.#db.run('INSERT INTO workspaces (id, root, created_at) VALUES (?, ?, ?)', id, root, now)
  }

  acts(id: string): number {
    return this.#db.get<{ acts: number }>('SELECT acts FROM workspaces WHERE id = ?', id)?.acts ?? 0
  }

  countAct(id: string): void {
    this.#db.run('UPDATE workspaces SET acts = acts + 1 WHERE id = ?', id)
  }

  /** Claims the next periodic prune; false when another process claimed one less than `every` ago. */
  claimPrune(id: string, now: number, every: number): boolean {
    return (
      this.#db.run('UPDATE workspaces SET pruned_at = ? WHERE id = ? AND pruned_at <= ?', now, id, now - every) === 1
    )
  }
}
