import type { Database } from '../host/database.ts'

/** A person's prompt to an agent, with secrets redacted. */
export interface PromptRecord {
  /** The client's id, or one that Timewarp made. */
  readonly id: string
  readonly workspace: string
  readonly session_id: string
  readonly at: number
  readonly text: string
  /** The newest snapshot when the prompt was given: the files before it. */
  readonly snapshot_id: string | null
}

export class Prompts {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Adding the same prompt twice is the same as once. */
  add(p: PromptRecord): void {
    this.#db.run(
      'INSERT OR IGNORE INTO prompts (id, workspace, session_id, at, text, snapshot_id) VALUES (?, ?, ?, ?, ?, ?)',
      p.id,
      p.workspace,
      p.session_id,
      p.at,
      p.text,
      p.snapshot_id,
    )
  }

  get(workspace: string, id: string): PromptRecord | undefined {
    return this.#db.get<PromptRecord>('SELECT * FROM prompts WHERE workspace = ? AND id = ?', workspace, id)
  }

  /** The current prompt of a session. */
  newest(workspace: string, session: string): PromptRecord | undefined {
    return this.#db.get<PromptRecord>(
      'SELECT * FROM prompts WHERE workspace = ? AND session_id = ? ORDER BY at DESC, rowid DESC LIMIT 1',
      workspace,
      session,
    )
  }

  /** The newest first. */
  list(workspace: string, session: string | undefined, limit: number): PromptRecord[] {
    return this.#db.all<PromptRecord>(
      'SELECT * FROM prompts WHERE workspace = ? AND (? IS NULL OR session_id = ?) ORDER BY at DESC, rowid DESC LIMIT ?',
      workspace,
      session ?? null,
      session ?? null,
      limit,
    )
  }
}
