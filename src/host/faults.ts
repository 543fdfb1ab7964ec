import { Fault } from '../base/fault.ts'

const FULL = new Set(['ENOSPC', 'EDQUOT'])
const DENIED = new Set(['EACCES', 'EPERM', 'EROFS'])

/** What the system refused, as a fault; anything else as it is. SQLite's own words for a full disk count too. */
export function translateError(error: unknown, path: string): unknown {
  if (error instanceof Fault || !(error instanceof Error)) return error
  const { code, errcode, path: at } = error as NodeJS.ErrnoException & { errcode?: number }
  if (code === 'ERR_SQLITE_ERROR') return translateSqlite(error, errcode ?? 0, path)
  if (code !== undefined && FULL.has(code)) return new Fault('NO_SPACE', { path: String(at ?? path) }, { cause: error })
  if (code !== undefined && DENIED.has(code))
    return new Fault('NO_PERMISSION', { path: String(at ?? path) }, { cause: error })
  return error
}

/** Primary result codes of SQLite. */
const SQLITE = { perm: 3, busy: 5, locked: 6, readonly: 8, ioerr: 10, corrupt: 11, full: 13, cantopen: 14, notadb: 26 }
const IOERR_WRITE = new Set([778, 1034, 1290, 2314, 4874, 5386])

function translateSqlite(error: Error, errcode: number, path: string): unknown {
  const primary = errcode & 0xff
  if (primary === SQLITE.full || IOERR_WRITE.has(errcode)) return new Fault('NO_SPACE', { path }, { cause: error })
  if (primary === SQLITE.busy || primary === SQLITE.locked) return new Fault('STORE_BUSY', { path }, { cause: error })
  if (primary === SQLITE.perm || primary === SQLITE.readonly || primary === SQLITE.cantopen)
    return new Fault('NO_PERMISSION', { path }, { cause: error })
  if (primary === SQLITE.corrupt || primary === SQLITE.notadb)
    return new Fault('RECORDS_DAMAGED', { path, problem: error.message }, { cause: error })
  return error
}

/** Runs `act` and turns what the system refused into faults about `path`. */
export function guarded<T>(path: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    throw translateError(error, path)
  }
}

/** Gives something back. On a full disk that may not be possible to write down; whoever looks later sees it by other means. */
export function giveBack(act: () => unknown): void {
  try {
    act()
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'NO_SPACE') throw error
  }
}
