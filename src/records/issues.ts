import type { Database } from '../host/database.ts'

/** The state of a friction issue. The allowed transitions are a table in travel/journeys/machine.ts. */
export type IssueStatus = 'open' | 'investigating' | 'fixed' | 'wontfix'

/** One report of friction, with the moment at which it occurred. */
export interface IssueRecord {
  readonly id: string
  readonly workspace: string
  readonly created_at: number
  readonly status: IssueStatus
  readonly snapshot_id: string
  readonly session_id: string | null
  readonly task_context: string
  readonly symptom: string
  readonly success_criteria: string
  readonly suspected_cause: string | null
  readonly chat_summary: string | null
  /** From 1 to 5; null when not given. */
  readonly impact: number | null
  readonly frequency: number | null
  readonly reproducibility: number | null
  readonly similar_to: readonly string[]
  readonly history: readonly {
    readonly at: number
    readonly from: IssueStatus
    readonly to: IssueStatus
    readonly reason: string | null
  }[]
  /** The tree that holds chat.md and experiment.md. */
  readonly tree: string
  /** Its previous trees, the oldest first: earlier texts are never lost. */
  readonly earlier: readonly string[]
}

/** The state of an issue's files when they were last written or imported. A hint for the next comparison. */
export type OnDisk = Readonly<Record<string, { readonly hash: string; readonly signature: string }>>

interface Raw {
  readonly id: string
  readonly data: string
  readonly disk: string | null
  readonly drawn: number
}

export class Issues {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Inserts or replaces an issue. After a replacement its files no longer match the record. */
  put(issue: IssueRecord): void {
    this.#db.run(
      `INSERT INTO issues (id, workspace, created_at, data) VALUES (?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET data = excluded.data, drawn = 0`,
      issue.id,
      issue.workspace,
      issue.created_at,
      JSON.stringify(issue),
    )
  }

  /** Also removes what is known of its files. */
  remove(id: string): void {
    this.#db.run('DELETE FROM issues WHERE id = ?', id)
  }

  get(id: string): IssueRecord | undefined {
    const row = this.#db.get<Raw>('SELECT id, data FROM issues WHERE id = ?', id)
    return row && (JSON.parse(row.data) as IssueRecord)
  }

  /** The issues of a workspace, or all, the oldest first. */
  all(workspace?: string): IssueRecord[] {
    return this.#db
      .all<Raw>(
        'SELECT id, data FROM issues WHERE ? IS NULL OR workspace = ? ORDER BY created_at, id',
        workspace ?? null,
        workspace ?? null,
      )
      .map(({ data }) => JSON.parse(data) as IssueRecord)
  }

  /** The last known state of each issue's files; `drawn` means that the files match the record. */
  disks(workspace: string): { id: string; disk: OnDisk; drawn: boolean }[] {
    return this.#db
      .all<Raw>('SELECT id, disk, drawn FROM issues WHERE workspace = ? ORDER BY created_at, id', workspace)
      .map(({ id, disk, drawn }) => ({
        id,
        drawn: drawn === 1,
        disk: disk === null ? {} : (JSON.parse(disk) as OnDisk),
      }))
  }

  /** Records the state of an issue's files. They count as matching only if the record is still this `issue`. */
  setDrawn(issue: IssueRecord, disk: OnDisk): void {
    this.#db.run(
      'UPDATE issues SET disk = ?, drawn = (data = ?) WHERE id = ?',
      JSON.stringify(disk),
      JSON.stringify(issue),
      issue.id,
    )
  }
}
