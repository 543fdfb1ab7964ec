import type { Database, SqlValue } from '../host/database.ts'

/** One repository of a keep: the workspace's own, or that of a submodule. */
export interface KeptRepository {
  /** Its path below the git folder; empty for the repository itself. */
  readonly path: string
  readonly head: string | null
  /** Null when HEAD is detached. */
  readonly branch: string | null
  readonly refs: number
  readonly stashes: number
  /** Bytes of the packs in which its objects are stored. */
  readonly bytes: number
  /** Why objects are not stored; null when all objects are stored that no remote has. */
  readonly problem: string | null
  /** The objects of the first keep exceeded the limit: only objects created since then are stored. */
  readonly outgrown: boolean
}

/** An agent's call, or a command in a guarded shell, that may change git. */
export interface GitCall {
  readonly session_id: string
  readonly prompt_id: string | null
  /** The client's id; empty when the client gives none. */
  readonly call_id: string
  readonly client: string
  readonly tool: string
  /** The command. */
  readonly title: string
  readonly at: number
}

/** The state of git in a workspace at one moment. */
export interface GitKeepRecord {
  readonly id: string
  readonly workspace: string
  readonly created_at: number
  readonly why: string
  /** The git folder; for a linked work tree, the work tree's own. */
  readonly git_dir: string
  /** The folder that all work trees share; the same as `git_dir` in a plain repository. */
  readonly common_dir: string
  /**
   * The file or symbolic link in the workspace that points to the git folder; null when the folder itself is in the
   * workspace or above it.
   */
  readonly link: { readonly path: string; readonly text: string; readonly symlink?: boolean } | null
  /** The first is the repository itself. */
  readonly repositories: readonly KeptRepository[]
  /** What was left out, as sentences. */
  readonly warnings: readonly string[]
  /** Equal for two keeps with the same refs, reflogs, index and settings. */
  readonly state: string
  /** Everything stored, as a tree. */
  readonly tree: string
  readonly stored_bytes: number
  /** The call that led from the previous keep to this one; absent when it was someone else or is unknown. */
  readonly by?: GitCall
  /**
   * Calls that began in this state and have not ended as far as is known: the next change is theirs. Not in the note.
   */
  readonly expects?: readonly GitCall[]
  /** A rescue replaced this state on purpose, so what only this state has is not lost. Not in the note. */
  readonly replaced?: boolean
}

type Raw = Readonly<Record<string, SqlValue>>

export class GitKeeps {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Adds a keep. An equal `signature` later shows cheaply that nothing has changed; empty when it cannot show that. */
  add(keep: GitKeepRecord, signature = ''): void {
    this.#db.run(
      'INSERT OR REPLACE INTO git_keeps (id, workspace, created_at, signature, record) VALUES (?, ?, ?, ?, ?)',
      keep.id,
      keep.workspace,
      keep.created_at,
      signature,
      JSON.stringify(keep),
    )
  }

  get(id: string): GitKeepRecord | undefined {
    return asRecord(this.#db.get<Raw>('SELECT record FROM git_keeps WHERE id = ?', id))
  }

  newest(workspace: string): { readonly keep: GitKeepRecord; readonly signature: string } | undefined {
    const row = this.#db.get<Raw>(
      'SELECT record, signature FROM git_keeps WHERE workspace = ? ORDER BY created_at DESC, seq DESC LIMIT 1',
      workspace,
    )
    const keep = asRecord(row)
    return keep && { keep, signature: row?.['signature'] as string }
  }

  /** The keeps of one workspace, or of all, the newest first. */
  all(workspace?: string): GitKeepRecord[] {
    const rows = workspace
      ? this.#db.all<Raw>(
          'SELECT record FROM git_keeps WHERE workspace = ? ORDER BY created_at DESC, seq DESC',
          workspace,
        )
      : this.#db.all<Raw>('SELECT record FROM git_keeps ORDER BY created_at DESC, seq DESC')
    return rows.map((row) => asRecord(row) as GitKeepRecord)
  }

  sign(id: string, signature: string): void {
    this.#db.run('UPDATE git_keeps SET signature = ? WHERE id = ?', signature, id)
  }

  /** Records that a rescue replaced a state. */
  replace(id: string): void {
    this.#db.run(`UPDATE git_keeps SET record = json_set(record, '$.replaced', json('true')) WHERE id = ?`, id)
  }

  /** Records which calls are under way since a keep. */
  expect(id: string, calls: readonly GitCall[]): void {
    const sql = `UPDATE git_keeps SET record = json_set(record, '$.expects', json(?)) WHERE id = ?`
    this.#db.run(sql, JSON.stringify(calls), id)
  }

  remove(id: string): void {
    this.#db.run('DELETE FROM git_keeps WHERE id = ?', id)
  }
}

/** From JSON, which preserves names of refs and folders that are not UTF-8. */
const asRecord = (row: Raw | undefined): GitKeepRecord | undefined =>
  row && (JSON.parse(row['record'] as string) as GitKeepRecord)
