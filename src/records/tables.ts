/** The migrations of the records. A released step is never changed. */
export const STEPS: readonly string[] = [
  `CREATE TABLE workspaces (
     id TEXT PRIMARY KEY, root TEXT NOT NULL UNIQUE, created_at INTEGER NOT NULL,
     pruned_at INTEGER NOT NULL DEFAULT 0, acts INTEGER NOT NULL DEFAULT 0) STRICT;
   CREATE TABLE snapshots (
     seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, workspace TEXT NOT NULL,
     created_at INTEGER NOT NULL, tree BLOB NOT NULL, base TEXT, source TEXT NOT NULL, label TEXT,
     description TEXT, tool TEXT, session_id TEXT, role TEXT NOT NULL, cause TEXT NOT NULL,
     files INTEGER NOT NULL, bytes INTEGER NOT NULL, added INTEGER NOT NULL, modified INTEGER NOT NULL,
     deleted INTEGER NOT NULL, stored_bytes INTEGER NOT NULL, duration_ms INTEGER NOT NULL,
     facts TEXT NOT NULL, object BLOB NOT NULL, pinned INTEGER NOT NULL DEFAULT 0,
     content INTEGER NOT NULL DEFAULT 1, listed INTEGER NOT NULL DEFAULT 1) STRICT;
   CREATE INDEX snapshots_by_workspace ON snapshots (workspace, seq);
   CREATE TABLE changes (
     seq INTEGER NOT NULL, path TEXT NOT NULL, status INTEGER NOT NULL, size INTEGER,
     PRIMARY KEY (seq, path)) STRICT, WITHOUT ROWID;
   CREATE INDEX changes_by_path ON changes (path, seq);
   CREATE TABLE leases (
     name TEXT PRIMARY KEY, holder TEXT NOT NULL, purpose TEXT NOT NULL, since INTEGER NOT NULL,
     fence INTEGER NOT NULL) STRICT;
   CREATE TABLE journals (
     id TEXT PRIMARY KEY, workspace TEXT NOT NULL, holder TEXT NOT NULL, plan TEXT NOT NULL,
     created_at INTEGER NOT NULL) STRICT;
   CREATE TABLE holds (
     id TEXT NOT NULL, snapshot TEXT NOT NULL, holder TEXT NOT NULL,
     PRIMARY KEY (id, snapshot)) STRICT, WITHOUT ROWID;
   CREATE TABLE notes (object BLOB PRIMARY KEY, subject TEXT NOT NULL, kind TEXT NOT NULL) STRICT, WITHOUT ROWID;
   CREATE INDEX notes_by_subject ON notes (subject, kind);`,
  `CREATE TABLE milestones (
     id TEXT PRIMARY KEY, workspace TEXT NOT NULL, title TEXT NOT NULL, description TEXT NOT NULL,
     snapshot_ids TEXT NOT NULL, tags TEXT NOT NULL, origin TEXT NOT NULL, created_at INTEGER NOT NULL) STRICT;
   CREATE INDEX milestones_by_workspace ON milestones (workspace, created_at);`,
  `CREATE TABLE sessions (
     id TEXT NOT NULL, workspace TEXT NOT NULL, client TEXT, parent TEXT, started_at INTEGER NOT NULL,
     last_at INTEGER NOT NULL, ended_at INTEGER, snapshot_id TEXT, task_hint TEXT, transcript TEXT,
     PRIMARY KEY (workspace, id)) STRICT;
   CREATE INDEX sessions_by_start ON sessions (workspace, started_at);
   CREATE TABLE prompts (
     id TEXT NOT NULL, workspace TEXT NOT NULL, session_id TEXT NOT NULL, at INTEGER NOT NULL, text TEXT NOT NULL,
     snapshot_id TEXT, PRIMARY KEY (workspace, id)) STRICT;
   CREATE INDEX prompts_by_session ON prompts (workspace, session_id, at);`,
  `CREATE TABLE calls (
     seq INTEGER PRIMARY KEY AUTOINCREMENT, workspace TEXT NOT NULL, session_id TEXT NOT NULL, id TEXT NOT NULL,
     client TEXT NOT NULL, tool TEXT NOT NULL, kind TEXT NOT NULL, paths TEXT, prompt_id TEXT, input TEXT, title TEXT,
     started_at INTEGER NOT NULL, half_seen INTEGER NOT NULL, background INTEGER NOT NULL DEFAULT 0,
     ended INTEGER NOT NULL DEFAULT 0, UNIQUE (workspace, session_id, id)) STRICT;
   CREATE TABLE gaps (
     seq INTEGER PRIMARY KEY AUTOINCREMENT, workspace TEXT NOT NULL, at INTEGER NOT NULL, session_id TEXT, tool TEXT,
     reason TEXT NOT NULL) STRICT;
   CREATE INDEX gaps_by_workspace ON gaps (workspace, seq);`,
  `CREATE TABLE git_keeps (
     seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, workspace TEXT NOT NULL,
     created_at INTEGER NOT NULL, signature TEXT NOT NULL, record TEXT NOT NULL) STRICT;
   CREATE INDEX git_keeps_by_workspace ON git_keeps (workspace, created_at);`,
  // Indexes for the filters of lists, with the sequence number for paging: a page and its total come from an index
  // alone.
  `CREATE INDEX snapshots_by_session ON snapshots (workspace, session_id, seq);
   CREATE INDEX snapshots_by_tool ON snapshots (workspace, tool, seq);
   CREATE INDEX snapshots_by_time ON snapshots (workspace, created_at, seq);
   CREATE INDEX snapshots_labelled ON snapshots (workspace, seq, label) WHERE label IS NOT NULL;
   CREATE INDEX snapshots_pinned ON snapshots (workspace, seq) WHERE pinned = 1;
   CREATE INDEX snapshots_unlisted ON snapshots (workspace, seq) WHERE listed = 0;`,
  `CREATE TABLE issues (
     id TEXT PRIMARY KEY, workspace TEXT NOT NULL, created_at INTEGER NOT NULL, data TEXT NOT NULL, disk TEXT,
     drawn INTEGER NOT NULL DEFAULT 0) STRICT;
   CREATE INDEX issues_by_workspace ON issues (workspace, created_at);
   CREATE TABLE travels (
     id TEXT PRIMARY KEY, workspace TEXT NOT NULL, state TEXT NOT NULL, dir TEXT, rules TEXT,
     entered_at INTEGER NOT NULL, data TEXT NOT NULL) STRICT;
   CREATE INDEX travels_by_workspace ON travels (workspace, entered_at);
   CREATE UNIQUE INDEX travels_in_place ON travels (workspace) WHERE dir IS NULL AND state != 'ended';`,
  `CREATE TABLE doubts (snapshot TEXT NOT NULL, path TEXT NOT NULL, PRIMARY KEY (snapshot, path)) STRICT, WITHOUT ROWID;`,
  // Partial indexes for what every capture asks of the last minutes: they repeat the conditions of the queries.
  `CREATE INDEX snapshots_of_nobody ON snapshots (workspace, created_at)
     WHERE role = 'change' AND tool IS NULL AND session_id IS NULL;
   CREATE INDEX snapshots_by_interval ON snapshots (workspace, created_at)
     WHERE json_extract(cause, '$.known_by') = 'interval';`,
  'ALTER TABLE calls ADD COLUMN makes TEXT',
  // Facts that most snapshots share, or do not have, are not stored in every row.
  `CREATE TABLE fact_texts (id INTEGER PRIMARY KEY AUTOINCREMENT, sum INTEGER NOT NULL, text TEXT NOT NULL) STRICT;
   CREATE INDEX fact_texts_by_sum ON fact_texts (sum);
   DROP INDEX snapshots_by_session;
   CREATE INDEX snapshots_by_session ON snapshots (workspace, session_id, seq) WHERE session_id IS NOT NULL;
   DROP INDEX snapshots_by_tool;
   CREATE INDEX snapshots_by_tool ON snapshots (workspace, tool, seq) WHERE tool IS NOT NULL;`,
  'ALTER TABLE calls ADD COLUMN named TEXT',
]
