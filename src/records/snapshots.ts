import type { Database, SqlValue } from '../host/database.ts'
import type { Cause } from '../schema/cause.ts'
import type { PathChange } from '../schema/change.ts'
import type { RelPath } from '../schema/path.ts'
import { FactTexts } from './fact-texts.ts'
import { conditions, pathKey, pathOfKey, type SnapshotFilter } from './snapshot-filter.ts'
import type { NewSnapshot, RecentSnapshot, SnapshotFacts, SnapshotRecord } from './snapshot-record.ts'

const STATUS = ['added', 'modified', 'deleted'] as const

type Raw = Record<string, unknown>

export class Snapshots {
  readonly #db: Database
  readonly #facts: FactTexts<SnapshotFacts>

  constructor(db: Database) {
    this.#db = db
    this.#facts = new FactTexts(db)
  }

  add(s: NewSnapshot): SnapshotRecord {
    return this.#db.write(() => this.#add(s))
  }

  #add(s: NewSnapshot): SnapshotRecord {
    const seq = this.#db.insert(
      `INSERT INTO snapshots (id, workspace, created_at, tree, base, source, label, description, tool, session_id, role,
         cause, files, bytes, added, modified, deleted, stored_bytes, duration_ms, facts, object, listed)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      s.id,
      s.workspace,
      s.created_at,
      s.tree,
      s.base,
      s.source,
      s.label,
      s.description,
      s.cause.tool ?? null,
      s.cause.session_id ?? null,
      s.cause.role,
      JSON.stringify(s.cause),
      s.files,
      s.bytes,
      s.added,
      s.modified,
      s.deleted,
      s.stored_bytes,
      Math.round(s.duration_ms),
      this.#facts.keyOf(s.facts),
      s.object,
      s.listed ? 1 : 0,
    )
    this.setChanges(seq, s.changes)
    return { ...s, seq, pinned: false, content: true }
  }

  setChanges(seq: number, changes: readonly PathChange[]): void {
    this.#db.run('DELETE FROM changes WHERE seq = ?', seq)
    const row = ({ path, status, size }: PathChange): SqlValue[] => [seq, pathKey(path), STATUS.indexOf(status), size]
    this.#db.insertMany('INSERT INTO changes', changes.map(row))
  }

  get(id: string): SnapshotRecord | undefined {
    return this.#record(this.#db.get<Raw>('SELECT * FROM snapshots WHERE id = ?', id))
  }

  /** Ids of the workspace's snapshots that begin with `prefix`. */
  matching(workspace: string, prefix: string): string[] {
    return this.#db
      .all<{ id: string }>(
        'SELECT id FROM snapshots WHERE workspace = ? AND substr(id, 1, ?) = ? ORDER BY seq LIMIT 20',
        workspace,
        prefix.length,
        prefix,
      )
      .map(({ id }) => id)
  }

  /** Snapshots recorded after this sequence number, the oldest first. */
  recordedAfter(
    seq: number,
    most: number,
  ): { seq: number; id: string; workspace: string; source: string; label: string | null }[] {
    return this.#db.all(
      'SELECT seq, id, workspace, source, label FROM snapshots WHERE seq > ? ORDER BY seq LIMIT ?',
      seq,
      most,
    )
  }

  /** The highest sequence number. */
  lastSeq(): number {
    return this.#db.get<{ seq: number }>('SELECT max(seq) AS seq FROM snapshots')?.seq ?? 0
  }

  newest(workspace: string): SnapshotRecord | undefined {
    return this.#record(
      this.#db.get<Raw>('SELECT * FROM snapshots WHERE workspace = ? ORDER BY seq DESC LIMIT 1', workspace),
    )
  }

  /** The newest earlier snapshot whose contents are stored. */
  before(workspace: string, seq: number): SnapshotRecord | undefined {
    return this.#record(
      this.#db.get<Raw>(
        'SELECT * FROM snapshots WHERE workspace = ? AND seq < ? AND content = 1 ORDER BY seq DESC LIMIT 1',
        workspace,
        seq,
      ),
    )
  }

  /** The snapshot to compare with: its base, or the nearest earlier one that is still stored. */
  baseOf({ base, workspace, seq }: SnapshotRecord): SnapshotRecord | undefined {
    const own = base === null ? undefined : this.get(base)
    return own?.content ? own : this.before(workspace, seq)
  }

  count(workspace: string): number {
    return this.#db.get<{ n: number }>('SELECT count(*) AS n FROM snapshots WHERE workspace = ?', workspace)?.n ?? 0
  }

  /** The newest first. Finds the sequence numbers in an index and reads only the wanted rows. */
  list(filter: SnapshotFilter, limit: number): SnapshotRecord[] {
    const { where, values } = conditions(filter)
    const page = `SELECT seq FROM snapshots WHERE ${where} ORDER BY seq DESC LIMIT ?`
    return this.#db
      .all<Raw>(`SELECT * FROM snapshots WHERE seq IN (${page}) ORDER BY seq DESC`, ...values, limit)
      .map((row) => this.#record(row) as SnapshotRecord)
  }

  /** Changes not attributed to a single session or tool; the newest first. */
  ofNobody(workspace: string, since: number, most: number): RecentSnapshot[] {
    return this.#lately("role = 'change' AND tool IS NULL AND session_id IS NULL", workspace, since, most)
  }

  /** Changes attributed to a call only because it ran at that time; the newest first. */
  ofInterval(workspace: string, since: number, most: number): RecentSnapshot[] {
    return this.#lately("json_extract(cause, '$.known_by') = 'interval'", workspace, since, most)
  }

  /** Each `which` has its own index. */
  #lately(which: string, workspace: string, since: number, most: number): RecentSnapshot[] {
    return this.#db
      .all<Omit<RecentSnapshot, 'cause'> & { cause: string }>(
        `SELECT id, seq, created_at, base, cause, added + modified + deleted AS changed FROM snapshots
         WHERE workspace = ? AND created_at >= ? AND ${which} ORDER BY created_at DESC, seq DESC LIMIT ?`,
        workspace,
        since,
        most,
      )
      .map((row) => ({ ...row, cause: JSON.parse(row.cause) as Cause }))
  }

  /** The listed changes of some snapshots. */
  changedIn(seqs: readonly number[]): { readonly seq: number; readonly path: RelPath }[] {
    const sql = 'SELECT seq, path FROM changes WHERE seq IN (SELECT value FROM json_each(?))'
    return this.#db
      .all<{ seq: number; path: string }>(sql, JSON.stringify(seqs))
      .flatMap(({ seq, path }) => pathOfKey(path).map((at) => ({ seq, path: at })))
  }

  total(filter: SnapshotFilter): number {
    const { where, values } = conditions(filter)
    return this.#db.get<{ n: number }>(`SELECT count(*) AS n FROM snapshots WHERE ${where}`, ...values)?.n ?? 0
  }

  /** The snapshots of one workspace, or of all, the oldest first. */
  all(workspace?: string): SnapshotRecord[] {
    const rows = workspace
      ? this.#db.all<Raw>('SELECT * FROM snapshots WHERE workspace = ? ORDER BY seq', workspace)
      : this.#db.all<Raw>('SELECT * FROM snapshots ORDER BY seq')
    return rows.map((row) => this.#record(row) as SnapshotRecord)
  }

  changesOf(seq: number, limit = -1): PathChange[] {
    return this.#db
      .all<{ path: string; status: number; size: number | null }>(
        'SELECT path, status, size FROM changes WHERE seq = ? ORDER BY path LIMIT ?',
        seq,
        limit,
      )
      .flatMap((row) => pathOfKey(row.path).map((path) => ({ ...row, path, status: STATUS[row.status] ?? 'modified' })))
  }

  /**
   * Every path that any snapshot of any workspace changed, once each. One index lookup per path, however often it
   * changed.
   */
  changedPaths(): RelPath[] {
    return this.#db
      .all<{ path: string }>(
        `WITH RECURSIVE paths (path) AS (
           SELECT min(path) FROM changes
           UNION ALL SELECT (SELECT min(path) FROM changes WHERE path > paths.path) FROM paths WHERE path IS NOT NULL)
         SELECT path FROM paths WHERE path IS NOT NULL`,
      )
      .flatMap(({ path }) => pathOfKey(path))
  }

  /** Snapshots of the workspace that changed `path`. */
  changing(workspace: string, path: RelPath): string[] {
    return this.#db
      .all<{ id: string }>(
        'SELECT s.id FROM changes c JOIN snapshots s ON s.seq = c.seq WHERE c.path = ? AND s.workspace = ?',
        pathKey(path),
        workspace,
      )
      .map(({ id }) => id)
  }

  /**
   * Whether a snapshot after `after` and up to `upTo` records a deletion of `path`, or may have one because its changes
   * are not listed.
   */
  mayDelete(path: RelPath, after: SnapshotRecord, upTo: SnapshotRecord): boolean {
    const found = this.#db.get(
      `SELECT 1 FROM snapshots s WHERE s.workspace = ? AND s.seq > ? AND s.seq <= ? AND (s.listed = 0 OR EXISTS (
         SELECT 1 FROM changes c WHERE c.path = ? AND c.seq = s.seq AND c.status = ?)) LIMIT 1`,
      upTo.workspace,
      after.seq,
      upTo.seq,
      pathKey(path),
      STATUS.indexOf('deleted'),
    )
    return found !== undefined
  }

  /** The snapshots with too many changes to list. */
  unlisted(workspace: string): SnapshotRecord[] {
    return this.#db
      .all<Raw>('SELECT * FROM snapshots WHERE workspace = ? AND listed = 0', workspace)
      .map((row) => this.#record(row) as SnapshotRecord)
  }

  setPinned(id: string, pinned: boolean): void {
    this.#db.run('UPDATE snapshots SET pinned = ? WHERE id = ?', pinned ? 1 : 0, id)
  }

  setLabel(id: string, label: string | null): void {
    this.#db.run('UPDATE snapshots SET label = ? WHERE id = ?', label, id)
  }

  /** Replaces the tree and record object of a snapshot by ones without the forgotten content. */
  replace({ id, tree, files, bytes, facts }: Omit<NewSnapshot, 'changes'>, object: Uint8Array): void {
    this.#db.run(
      'UPDATE snapshots SET tree = ?, object = ?, files = ?, bytes = ?, facts = ? WHERE id = ?',
      tree,
      object,
      files,
      bytes,
      this.#facts.keyOf(facts),
      id,
    )
  }

  /** Rewrites the row from its object; pin, label and content stay. */
  correct(s: NewSnapshot, seq: number): void {
    this.#db.write(() => this.#correct(s, seq))
  }

  #correct(s: NewSnapshot, seq: number): void {
    this.#db.run(
      `UPDATE snapshots SET id = ?, workspace = ?, created_at = ?, tree = ?, base = ?, source = ?, description = ?,
         tool = ?, session_id = ?, role = ?, cause = ?, files = ?, bytes = ?, facts = ? WHERE seq = ?`,
      s.id,
      s.workspace,
      s.created_at,
      s.tree,
      s.base,
      s.source,
      s.description,
      s.cause.tool ?? null,
      s.cause.session_id ?? null,
      s.cause.role,
      JSON.stringify(s.cause),
      s.files,
      s.bytes,
      this.#facts.keyOf(s.facts),
      seq,
    )
  }

  /** Removes facts that no snapshot refers to. */
  removeUnusedFacts(): void {
    this.#facts.removeUnused()
  }

  #record(row: Raw | undefined): SnapshotRecord | undefined {
    if (row === undefined) return undefined
    return {
      ...(row as unknown as SnapshotRecord),
      cause: JSON.parse(row['cause'] as string) as Cause,
      facts: this.#facts.of(row['facts'] as string) ?? NO_FACTS,
      pinned: row['pinned'] === 1,
      content: row['content'] === 1,
      listed: row['listed'] === 1,
    }
  }

  dropContent(id: string): void {
    this.#db.run('UPDATE snapshots SET content = 0 WHERE id = ?', id)
  }

  remove(id: string): void {
    this.#db.run('DELETE FROM changes WHERE seq = (SELECT seq FROM snapshots WHERE id = ?)', id)
    this.#db.run('DELETE FROM snapshots WHERE id = ?', id)
  }
}

const NO_FACTS: SnapshotFacts = { exclude_globs: [], env_fingerprint: {}, skipped: [] }
