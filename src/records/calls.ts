import type { Database } from '../host/database.ts'
import { isRelPath, type RelPath } from '../schema/path.ts'
import type { Named } from '../shell/named.ts'

/** How a tool call may change files; see the glossary. */
export type CallKind = 'edit' | 'shell' | 'other'

/** A tool call of an agent that has begun, and what it may change. */
export interface CallRecord {
  readonly seq: number
  readonly workspace: string
  readonly session_id: string
  /** The client's id, or one that Timewarp made. */
  readonly id: string
  readonly client: string
  readonly tool: string
  readonly kind: CallKind
  /** The paths that it may change; null means any path. */
  readonly paths: readonly RelPath[] | null
  /** What the command's own text states that it does, and to which paths. */
  readonly named: readonly Named[]
  readonly prompt_id: string | null
  /** The tool's input, with secrets redacted. */
  readonly input: unknown
  /** One line about it: the command, or the path. */
  readonly title: string | null
  /**
   * For an edit whose end may never be reported: SHA-256, in hex, of the file's content after the edit; empty where
   * that is unknown.
   */
  readonly makes: string | null
  readonly started_at: number
  /** Its beginning was not captured, so changes found at its end may be older than the call. */
  readonly half_seen: boolean
  /** It continues after the client has reported its end. */
  readonly background: boolean
  /** The client has reported its end, but the result could not be captured yet. */
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

/** Calls under way. The snapshots record those that have ended. */
export class Calls {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Reporting the same call twice is the same as once, unless it ended early in between: some clients reuse ids. */
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

  /** All calls under way in a workspace, the oldest first. */
  open(workspace: string): CallRecord[] {
    return this.#db
      .all<Raw>(`SELECT * FROM calls WHERE workspace = ? AND ended < ${EARLY} ORDER BY seq`, workspace)
      .map(asCall)
  }

  keepInBackground(seq: number): void {
    this.#db.run('UPDATE calls SET background = 1 WHERE seq = ?', seq)
  }

  /** The call ended earlier, so changes found now may be others'. */
  doubt(seq: number): void {
    this.#db.run('UPDATE calls SET half_seen = 1 WHERE seq = ?', seq)
  }

  /** The call has ended, but no scan was possible yet; the next scan ends it. */
  endUnseen(seq: number): void {
    this.#db.run('UPDATE calls SET ended = 1, background = 0 WHERE seq = ?', seq)
  }

  end(seq: number): void {
    this.#db.run('DELETE FROM calls WHERE seq = ?', seq)
  }

  /** The call has ended; the client may still report the end. */
  endEarly({ seq, workspace }: CallRecord): void {
    this.#db.run(`UPDATE calls SET ended = ${EARLY} WHERE seq = ?`, seq)
    this.#db.run(`DELETE FROM calls WHERE workspace = ? AND ended = ${EARLY} AND seq < ?`, workspace, seq - REMEMBERED)
  }

  /** Whether the call had already ended before the client reported its end. Deletes the row. */
  endedEarly(workspace: string, session: string, id: string): boolean {
    const sql = `DELETE FROM calls WHERE workspace = ? AND session_id = ? AND id = ? AND ended = ${EARLY} RETURNING seq`
    return this.#db.get(sql, workspace, session, id) !== undefined
  }
}

/** The value of `ended` for a call that has ended, but whose end the client has not reported. */
const EARLY = 2
/** About how many rows to keep of calls whose end was never reported. */
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
