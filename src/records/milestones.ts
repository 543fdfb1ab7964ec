import type { Database } from '../host/database.ts'

/** Some snapshots of one workspace that together are one piece of work. */
export interface MilestoneRecord {
  readonly id: string
  readonly workspace: string
  readonly title: string
  readonly description: string
  /** The oldest first. */
  readonly snapshot_ids: readonly string[]
  readonly tags: readonly string[]
  /** `manual`, or the rule that proposed it. */
  readonly origin: string
  readonly created_at: number
}

interface Raw extends Omit<MilestoneRecord, 'snapshot_ids' | 'tags'> {
  readonly snapshot_ids: string
  readonly tags: string
}

export class Milestones {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Inserts or replaces a milestone. */
  put(m: MilestoneRecord): void {
    this.#db.run(
      'INSERT OR REPLACE INTO milestones VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      m.id,
      m.workspace,
      m.title,
      m.description,
      JSON.stringify(m.snapshot_ids),
      JSON.stringify(m.tags),
      m.origin,
      m.created_at,
    )
  }

  get(id: string): MilestoneRecord | undefined {
    const row = this.#db.get<Raw>('SELECT * FROM milestones WHERE id = ?', id)
    return row && asRecord(row)
  }

  /** The milestones of one workspace, the oldest first. */
  all(workspace: string): MilestoneRecord[] {
    return this.#db
      .all<Raw>('SELECT * FROM milestones WHERE workspace = ? ORDER BY created_at, id', workspace)
      .map(asRecord)
  }

  remove(id: string): void {
    this.#db.run('DELETE FROM milestones WHERE id = ?', id)
  }
}

const asRecord = (row: Raw): MilestoneRecord => ({
  ...row,
  snapshot_ids: JSON.parse(row.snapshot_ids) as string[],
  tags: JSON.parse(row.tags) as string[],
})
