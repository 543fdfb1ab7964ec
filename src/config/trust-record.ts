import { join } from 'node:path'
import { Fault } from '../base/fault.ts'
import { writeWhole } from '../host/files/durable.ts'
import { errorCode, readFile, removeAll } from '../host/files/fs.ts'
import { makeDirs } from '../host/files/make-dirs.ts'
import { sha256, toHex } from '../host/hash.ts'

/**
 * Which files of a workspace the user trusts, with their bytes at that time: `trust/<hash of the root>.json` in the
 * store. Each workspace has its own file, so that two processes never overwrite each other's, and it can be read
 * without the database.
 */

/** The files of a workspace that can weaken its protection. */
export const TRUST_FILES = ['.timewarp/config.json', '.timewarpignore'] as const
export type TrustFile = (typeof TRUST_FILES)[number]

/** The bytes of each trusted file as they were when the user trusted them. */
export type TrustedBytes = Readonly<Partial<Record<TrustFile, Buffer>>>

interface TrustJson {
  readonly root: string
  readonly files: Readonly<Partial<Record<TrustFile, { readonly sha256: string; readonly base64: string }>>>
}

export const trustRecordPath = (home: string, root: string): string =>
  join(home, 'trust', `${hexOf(Buffer.from(root)).slice(0, 32)}.json`)

/** Returns nothing trusted when the record is missing, damaged or about another folder. */
export function readTrust(home: string, root: string): TrustedBytes {
  try {
    const json = JSON.parse(readFile(trustRecordPath(home, root))?.toString() ?? 'null') as TrustJson | null
    return json?.root === root ? bytesIn(json) : {}
  } catch {
    return {}
  }
}

function bytesIn({ files }: TrustJson): TrustedBytes {
  const trusted: Partial<Record<TrustFile, Buffer>> = {}
  for (const name of TRUST_FILES) {
    const entry = files[name]
    const bytes = entry && Buffer.from(entry.base64, 'base64')
    if (bytes && hexOf(bytes) === entry.sha256) trusted[name] = bytes
  }
  return trusted
}

/** Replaces the record; durable when it returns. Of two concurrent writes, the last one counts. */
export function writeTrust(home: string, root: string, trusted: TrustedBytes): void {
  const path = trustRecordPath(home, root)
  const files: Partial<Record<TrustFile, { sha256: string; base64: string }>> = {}
  for (const name of TRUST_FILES) {
    const bytes = trusted[name]
    if (bytes) files[name] = { sha256: hexOf(bytes), base64: bytes.toString('base64') }
  }
  if (Object.keys(files).length === 0) return removeAll(path)
  const json: TrustJson = { root, files }
  try {
    makeDirs(join(home, 'trust'), 0o700)
    writeWhole(path, `${JSON.stringify(json)}\n`)
  } catch (error) {
    // The path of the record is taken by something else.
    if (OBSTACLES.has(errorCode(error) ?? '')) throw new Fault('NO_PERMISSION', { path }, { cause: error })
    throw error
  }
}

const OBSTACLES = new Set(['EEXIST', 'ENOTDIR', 'EISDIR'])

export const hexOf = (bytes: Uint8Array): string => toHex(sha256(bytes))
