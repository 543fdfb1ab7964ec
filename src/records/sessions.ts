import type { Database } from '../host/database.ts'

/** One run of an agent, or one person's work, in one workspace. Its id is any string a client uses. */
export interface SessionRecord {
  readonly id: string
  readonly workspace: string
  /** `claude`, `opencode`, `codex`, `gemini`, `shell` …; null when unknown. */
  readonly client: string | null
  /** The session that started this one: a sub-agent's or a teammate's. */
  readonly parent: string | null
  readonly started_at: number
  /** When the session was last reported. */
  readonly last_at: number
  readonly ended_at: number | null
  /** The snapshot taken when it began; null until that exists. */
  readonly snapshot_id: string | null
  readonly task_hint: string | null
  /** Where the client stores the conversation; null when unknown. */
  readonly transcript: string | null
}

export type NewSession = Pick<SessionRecord, 'id' | 'workspace'> & { readonly at: number } & {
  readonly [K in 'client' | 'parent' | 'task_hint' | 'transcript']?: string | null | undefined
}

export class Sessions {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /**
   * Inserts a session, or updates one that is reported again: known facts stay, new ones are added, and it no longer
   * counts as ended.
   */
  meet(s: NewSession): SessionRecord {
    this.#db.run(
      `INSERT INTO sessions (id, workspace, client, parent, started_at, last_at, task_hint, transcript)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (workspace, id) DO UPDATE SET client = coalesce(client, excluded.client),
         parent = coalesce(parent, excluded.parent), last_at = max(last_at, excluded.last_at), ended_at = NULL,
         task_hint = coalesce(task_hint, excluded.task_hint), transcript = coalesce(excluded.transcript, transcript)`,
      s.id,
      s.workspace,
      s.client ?? null,
      s.parent ?? null,
      s.at,
      s.at,
      s.task_hint ?? null,
      s.transcript ?? null,
    )
    return this.get(s.workspace, s.id) as SessionRecord
  }

  /** Inserts or replaces a complete record. */
  put(s: SessionRecord): void {
    this.#db.run(
      'INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      s.id,
      s.workspace,
      s.client,
      s.parent,
      s.started_at,
      s.last_at,
      s.ended_at,
      s.snapshot_id,
      s.task_hint,
      s.transcript,
    )
  }

  setSnapshot(workspace: string, id: string, snapshot: string): void {
    this.#db.run('UPDATE sessions SET snapshot_id = ? WHERE workspace = ? AND id = ?', snapshot, workspace, id)
  }

  end(workspace: string, id: string, at: number): void {
    this.#db.run('UPDATE sessions SET ended_at = ?, last_at = ? WHERE workspace = ? AND id = ?', at, at, workspace, id)
  }

  get(workspace: string, id: string): SessionRecord | undefined {
    return this.#db.get<SessionRecord>('SELECT * FROM sessions WHERE workspace = ? AND id = ?', workspace, id)
  }

  /** The sessions that another session started. */
  startedBy(workspace: string, parent: string): SessionRecord[] {
    return this.#db.all<SessionRecord>('SELECT * FROM sessions WHERE workspace = ? AND parent = ?', workspace, parent)
  }

  /** The session that began last among those with a snapshot of their beginning; state.json shows it. */
  latest(workspace: string): SessionRecord | undefined {
    return this.#db.get<SessionRecord>(
      'SELECT * FROM sessions WHERE workspace = ? AND snapshot_id IS NOT NULL ORDER BY started_at DESC, rowid DESC LIMIT 1',
      workspace,
    )
  }

  /** The newest first. */
  list(workspace: string, limit: number): SessionRecord[] {
    return this.#db.all<SessionRecord>(
      'SELECT * FROM sessions WHERE workspace = ? ORDER BY started_at DESC, id LIMIT ?',
      workspace,
      limit,
    )
  }
}
