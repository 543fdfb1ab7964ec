import type { Database } from '../host/database.ts'
import { isRelPath, type RelPath } from '../schema/path.ts'
import type { Named } from '../shell/named.ts'

/** How a tool call may change files; see the glossary. */
export type CallKind = 'edit' | 'shell' | 'other'

/** A tool call of an agent that has begun, and what it may touch. */
export interface CallRecord {
  readonly seq: number
  readonly workspace: string
  readonly session_id: string
  /** The client's own id, or one of ours. */
  readonly id: string
  readonly client: string
  readonly tool: string
  readonly kind: CallKind
  /** Paths it can touch at most; null: any. */
  readonly paths: readonly RelPath[] | null
  /** What a command says of itself that it does, and where. */
  readonly named: readonly Named[]
  readonly prompt_id: string | null
  /** What it was called with, with its secrets taken out. */
  readonly input: unknown
  /** One line about it: the command, or the path. */
  readonly title: string | null
  /** Of an edit whose end may not be told: SHA-256, in hex, of what it makes of its file; empty where nobody knows. */
  readonly makes: string | null
  readonly started_at: number
  /** Its beginning was not captured: what it is found to have changed may be older. */
  readonly half_seen: boolean
  /** It goes on after its end was told. */
  readonly background: boolean
  /** Its end was told, but what it left could not be captured yet. */
  readonly ended: boolean
}

interface Raw extends Omit<CallRecord, 'paths' | 'named' | 'input' | 'half_seen' | 'background' | 'ended'> {
  readonly paths: string | null
  readonly named: string | null
  readonly input: string | null
  readonly half_seen: number
  readonly background: number
  readonly ended: number
}

export type NewCall = Omit<CallRecord, 'seq' | 'background' | 'ended'>

/** Calls that are under way. Those that ended are told of by their snapshots. */
export class Calls {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** The same call told twice is one, unless it was over in between: some clients give ids again. */
  begin(c: NewCall): void {
    this.#db.run(
      `INSERT INTO calls (workspace, session_id, id, client, tool, kind, paths, prompt_id, input, title, makes, started_at,
         half_seen, named)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (workspace, session_id, id) DO UPDATE SET (client, tool, kind, paths, prompt_id, input, title, makes,
         started_at, half_seen, named, background, ended) = (excluded.client, excluded.tool, excluded.kind, excluded.paths,
         excluded.prompt_id, excluded.input, excluded.title, excluded.makes, excluded.started_at, excluded.half_seen,
         excluded.named, 0, 0)
       WHERE calls.ended = ${EARLY}`,
      c.workspace,
      c.session_id,
      c.id,
      c.client,
      c.tool,
      c.kind,
      c.paths && JSON.stringify(c.paths),
      c.prompt_id,
      c.input === undefined ? null : JSON.stringify(c.input),
      c.title,
      c.makes,
      c.started_at,
      c.half_seen ? 1 : 0,
      c.named.length > 0 ? JSON.stringify(c.named) : null,
    )
  }

  /** All that are under way in a workspace, the oldest first. */
  open(workspace: string): CallRecord[] {
    return this.#db
      .all<Raw>(`SELECT * FROM calls WHERE workspace = ? AND ended < ${EARLY} ORDER BY seq`, workspace)
      .map(asCall)
  }

  keepInBackground(seq: number): void {
    this.#db.run('UPDATE calls SET background = 1 WHERE seq = ?', seq)
  }

  /** What is found now may be others': it was over before. */
  doubt(seq: number): void {
    this.#db.run('UPDATE calls SET half_seen = 1 WHERE seq = ?', seq)
  }

  /** It is over, but nobody could look yet; the next look ends it. */
  endUnseen(seq: number): void {
    this.#db.run('UPDATE calls SET ended = 1, background = 0 WHERE seq = ?', seq)
  }

  end(seq: number): void {
    this.#db.run('DELETE FROM calls WHERE seq = ?', seq)
  }

  /** It is over; its end may still be told. */
  endEarly({ seq, workspace }: CallRecord): void {
    this.#db.run(`UPDATE calls SET ended = ${EARLY} WHERE seq = ?`, seq)
    this.#db.run(`DELETE FROM calls WHERE workspace = ? AND ended = ${EARLY} AND seq < ?`, workspace, seq - REMEMBERED)
  }

  /** Whether a call was over before its end was told, which is now. */
  endedEarly(workspace: string, session: string, id: string): boolean {
    const sql = `DELETE FROM calls WHERE workspace = ? AND session_id = ? AND id = ? AND ended = ${EARLY} RETURNING seq`
    return this.#db.get(sql, workspace, session, id) !== undefined
  }
}

/** How `ended` tells of a call that is over, but for the word. */
const EARLY = 2
/** So many of those whose end was never told are kept. */
const REMEMBERED = 100

const asCall = (row: Raw): CallRecord => ({
  ...row,
  paths: row.paths === null ? null : (JSON.parse(row.paths) as string[]).filter(isRelPath),
  named: row.named === null ? [] : (JSON.parse(row.named) as Named[]),
  input: row.input === null ? undefined : (JSON.parse(row.input) as unknown),
  half_seen: row.half_seen === 1,
  background: row.background === 1,
  ended: row.ended === 1,
})
