import * as fs from 'node:fs'
import { dirname } from 'node:path'
import { Fault, type FaultData, isFault } from '../base/fault.ts'
import { withPlainNames } from './files/plain-names.ts'

const FULL = new Set(['ENOSPC', 'EDQUOT'])
const DENIED = new Set(['EACCES', 'EPERM'])
const TOO_MANY = new Set(['EMFILE', 'ENFILE'])

/** Turns an error of the system or of SQLite, such as a full disk, into a fault; returns any other error unchanged. */
export function translateError(error: unknown, path: string): unknown {
  if (error instanceof Fault || !(error instanceof Error)) return error
  const { code, errcode, path: at } = withPlainNames(error) as NodeJS.ErrnoException & { errcode?: number }
  if (code === 'ERR_SQLITE_ERROR') return translateSqlite(error, errcode ?? 0, path)
  const where = String(at ?? path)
  if (code === 'ENAMETOOLONG') return new Fault('PATH_TOO_LONG', tooLong(where), { cause: error })
  const refused = code === undefined ? undefined : codeOf(code)
  return refused === undefined ? error : new Fault(refused, { path: where }, { cause: error })
}

function tooLong(path: string): FaultData<'PATH_TOO_LONG'> {
  const isName = path.split('/').some((name) => Buffer.byteLength(name) > NAME_BYTES)
  const shown = path.length > 200 ? `${path.slice(0, 200)}…` : path
  return { path: shown, what: isName ? 'name' : 'path', limit: isName ? NAME_BYTES : PATH_BYTES }
}

/** The limit of most file systems. */
const NAME_BYTES = 255
const PATH_BYTES = 4095

type Refused = 'NO_SPACE' | 'NO_PERMISSION' | 'READ_ONLY' | 'TOO_MANY_FILES'

function codeOf(code: string): Refused | undefined {
  if (FULL.has(code)) return 'NO_SPACE'
  if (DENIED.has(code)) return 'NO_PERMISSION'
  if (TOO_MANY.has(code)) return 'TOO_MANY_FILES'
  return code === 'EROFS' ? 'READ_ONLY' : undefined
}

/** Whether the error means that the path cannot be written at all; reading may still work. */
export const isUnwritable = (error: unknown): error is Fault<'NO_SPACE' | 'NO_PERMISSION' | 'READ_ONLY'> =>
  isFault(error, 'NO_SPACE') || isFault(error, 'NO_PERMISSION') || isFault(error, 'READ_ONLY')

/** Primary result codes of SQLite. */
const SQLITE = { perm: 3, busy: 5, locked: 6, readonly: 8, ioerr: 10, corrupt: 11, full: 13, cantopen: 14, notadb: 26 }
const IOERR_WRITE = new Set([778, 1034, 1290, 2314, 4874, 5386])

function translateSqlite(error: Error, errcode: number, path: string): unknown {
  const primary = errcode & 0xff
  if (primary === SQLITE.full || IOERR_WRITE.has(errcode)) return new Fault('NO_SPACE', { path }, { cause: error })
  if (primary === SQLITE.busy || primary === SQLITE.locked) return new Fault('STORE_BUSY', { path }, { cause: error })
  if (primary === SQLITE.perm || primary === SQLITE.readonly || primary === SQLITE.cantopen)
    return new Fault(whyNot(path), { path }, { cause: error })
  if (primary === SQLITE.corrupt || primary === SQLITE.notadb)
    return new Fault('RECORDS_DAMAGED', { path, problem: error.message }, { cause: error })
  return error
}

/** SQLite does not report why it could not open or write a file; the system does. */
function whyNot(path: string): Refused {
  const open: number[] = []
  try {
    fs.accessSync(dirname(path), fs.constants.W_OK)
    // As many as SQLite opens: the database, its log and its shared memory, each with its folder.
    for (let i = 0; i < 6; i++) open.push(fs.openSync(path, 'r+'))
  } catch (error) {
    return codeOf(String((error as NodeJS.ErrnoException).code)) ?? 'NO_PERMISSION'
  } finally {
    for (const fd of open) fs.closeSync(fd)
  }
  return 'NO_PERMISSION'
}

/** Runs `act` and turns system errors into faults about `path`. */
export function guarded<T>(path: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    throw translateError(error, path)
  }
}

/**
 * Runs a release of something. A full or read-only disk may not allow recording it; that is ignored, because the
 * release is also visible by other means (the holder's process, or memory).
 */
export function giveBack(act: () => unknown): void {
  try {
    act()
  } catch (error) {
    if (!isUnwritable(error)) throw error
  }
}
