import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeAll } from './fs.ts'

/** A copy of a database with its log, in a folder of its own that only this user can enter. */
export interface DatabaseCopy {
  readonly path: string
  remove(): void
}

/**
 * Copies a database that cannot be opened in place: SQLite writes beside a database even to read it. Undefined when
 * there is no database, or no space anywhere for a copy.
 */
export function copyDatabase(path: string): DatabaseCopy | undefined {
  for (const temp of [tmpdir(), '/dev/shm']) {
    let dir: string | undefined
    try {
      dir = fs.mkdtempSync(join(temp, 'timewarp-read-'))
      const copy = join(dir, 'timewarp.db')
      fs.copyFileSync(path, copy)
      if (fs.existsSync(`${path}-wal`)) fs.copyFileSync(`${path}-wal`, `${copy}-wal`)
      const made = dir
      return { path: copy, remove: () => removeAll(made) }
    } catch {
      if (dir !== undefined) removeAll(dir)
    }
  }
  return undefined
}
