/** The tables of the index, version by version. */
export const INDEX_TABLES = [
  `CREATE TABLE packs (
     id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, writer TEXT NOT NULL,
     synced INTEGER NOT NULL DEFAULT 0, boot TEXT NOT NULL) STRICT;
   CREATE TABLE blocks (
     id INTEGER PRIMARY KEY, pack INTEGER NOT NULL, offset INTEGER NOT NULL, head INTEGER NOT NULL,
     stored INTEGER NOT NULL, raw INTEGER NOT NULL, codec INTEGER NOT NULL) STRICT;
   CREATE INDEX blocks_by_pack ON blocks (pack);
   CREATE TABLE objects (
     hash BLOB PRIMARY KEY, block INTEGER NOT NULL, start INTEGER NOT NULL, size INTEGER NOT NULL,
     kind INTEGER NOT NULL) STRICT, WITHOUT ROWID;
   CREATE TABLE writers (id TEXT PRIMARY KEY, who TEXT NOT NULL) STRICT;
   CREATE TABLE facts (key TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
   INSERT INTO facts VALUES ('epoch', 0);`,
  `ALTER TABLE objects RENAME TO settled;
   CREATE TABLE young (
     hash BLOB PRIMARY KEY, block INTEGER NOT NULL, start INTEGER NOT NULL, size INTEGER NOT NULL,
     kind INTEGER NOT NULL) STRICT, WITHOUT ROWID;
   CREATE VIEW objects AS SELECT hash, block, start, size, kind FROM young
     UNION ALL SELECT hash, block, start, size, kind FROM settled;`,
]
