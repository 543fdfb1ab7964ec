import type { Database } from '../host/database.ts'
import type { RelPath } from '../schema/path.ts'

/** The state of a journey into the past. The allowed transitions are a table in travel/journeys/machine.ts. */
export type TravelState = 'departing' | 'past' | 'returning' | 'blocked' | 'ended'

/** Identifies the present before a journey, to check after the return that it is the same. */
export interface Fingerprint {
  readonly files: number
  readonly bytes: number
  /** The hash of its tree. */
  readonly tree: string
  /** Some of its files with the hashes of their contents. */
  readonly samples: readonly { readonly path: RelPath; readonly sha256: string }[]
}

/** A journey into the past: in place, or into a folder of its own. */
export interface TravelRecord {
  /** Also the guard token: each journey has another. */
  readonly id: string
  readonly workspace: string
  readonly state: TravelState
  /** The folder travelled into; null: the workspace itself. */
  readonly dir: string | null
  /** The workspace id of that folder. */
  readonly place: string | null
  /** The snapshot travelled to. */
  readonly snapshot_id: string
  /** The backup of the present; null for a folder of its own. */
  readonly backup_id: string | null
  /** The state on arrival: changes made in the past are computed against it. */
  readonly arrival_id: string | null
  /** The state when the journey left the past. */
  readonly experiment_id: string | null
  readonly issue_id: string | null
  readonly session_id: string | null
  readonly entered_at: number
  readonly ended_at: number | null
  readonly fingerprint: Fingerprint | null
  /** The present's capture rules, as JSON: they stay in force in the past. */
  readonly rules: string | null
  /** Paths at which the present differs from what it was; only when blocked. */
  readonly problems: readonly string[]
}

interface Raw extends Pick<TravelRecord, 'id' | 'workspace' | 'state' | 'dir' | 'rules'> {
  readonly data: string
}

export class Travels {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Inserts or replaces a journey. */
  put({ id, workspace, state, dir, rules, ...data }: TravelRecord): void {
    this.#db.run(
      `INSERT INTO travels (id, workspace, state, dir, rules, entered_at, data) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET state = excluded.state, data = excluded.data`,
      id,
      workspace,
      state,
      dir,
      rules,
      data.entered_at,
      JSON.stringify(data),
    )
  }

  get(id: string): TravelRecord | undefined {
    return this.#one('SELECT * FROM travels WHERE id = ?', id)
  }

  /** The journey in place that has not ended. A unique index ensures that there is at most one. */
  current(workspace: string): TravelRecord | undefined {
    return this.#one("SELECT * FROM travels WHERE workspace = ? AND dir IS NULL AND state != 'ended'", workspace)
  }

  /** The capture rules while the workspace is in the past. */
  rulesOf(workspace: string): string | undefined {
    const sql = `SELECT rules FROM travels WHERE workspace = ? AND dir IS NULL AND state IN ('departing', 'past', 'returning')`
    return this.#db.get<{ rules: string | null }>(sql, workspace)?.rules ?? undefined
  }

  any(workspace: string): boolean {
    return this.#db.get('SELECT 1 FROM travels WHERE workspace = ? LIMIT 1', workspace) !== undefined
  }

  /** The journeys of a workspace, or all, the oldest first. */
  all(workspace?: string): TravelRecord[] {
    return this.#db
      .all<Raw>(
        'SELECT * FROM travels WHERE ? IS NULL OR workspace = ? ORDER BY entered_at, id',
        workspace ?? null,
        workspace ?? null,
      )
      .map(asRecord)
  }

  #one(sql: string, ...values: string[]): TravelRecord | undefined {
    const row = this.#db.get<Raw>(sql, ...values)
    return row && asRecord(row)
  }
}

const asRecord = ({ id, workspace, state, dir, rules, data }: Raw): TravelRecord => ({
  id,
  workspace,
  state,
  dir,
  rules,
  ...(JSON.parse(data) as Omit<TravelRecord, keyof Omit<Raw, 'data'>>),
})
