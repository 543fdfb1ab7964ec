import type { Database } from '../host/database.ts'
import { isRelPath, type RelPath } from '../schema/path.ts'

/** Paths of a snapshot of which it was doubted later that its call made the change: somebody else was at them just after. */
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
