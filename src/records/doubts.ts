import type { Database } from '../host/database.ts'
import { isRelPath, type RelPath } from '../schema/path.ts'

/**
 * Paths of a snapshot that its call may not have changed after all: another session or a person changed them just
 * after.
 */
export class Doubts {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  add(snapshot: string, paths: readonly RelPath[]): void {
    for (const path of paths) this.#db.run('INSERT OR IGNORE INTO doubts VALUES (?, ?)', snapshot, path)
  }

  of(snapshot: string): RelPath[] {
    return this.#db
      .all<{ path: string }>('SELECT path FROM doubts WHERE snapshot = ? ORDER BY path', snapshot)
      .map(({ path }) => path)
      .filter(isRelPath)
  }
}
