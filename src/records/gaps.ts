import type { Database } from '../host/database.ts'

/**
 * Something an agent did that could not be captured before and after, and why. No omission goes unrecorded; old rows
 * are deleted.
 */
export interface GapRecord {
  readonly workspace: string
  readonly at: number
  readonly session_id: string | null
  readonly tool: string | null
  readonly reason: string
}

const KEPT = 200

export class Gaps {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  add(g: GapRecord): void {
    this.#db.run(
      'INSERT INTO gaps (workspace, at, session_id, tool, reason) VALUES (?, ?, ?, ?, ?)',
      g.workspace,
      g.at,
      g.session_id,
      g.tool,
      g.reason,
    )
    this.#db.run('DELETE FROM gaps WHERE workspace = ? AND seq <= (SELECT max(seq) FROM gaps) - ?', g.workspace, KEPT)
  }

  /** The newest first. */
  list(workspace: string, limit: number): GapRecord[] {
    return this.#db.all<GapRecord>(
      'SELECT workspace, at, session_id, tool, reason FROM gaps WHERE workspace = ? ORDER BY seq DESC LIMIT ?',
      workspace,
      limit,
    )
  }
}
