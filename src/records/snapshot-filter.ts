import type { SqlValue } from '../host/database.ts'
import { isRelPath, type RelPath } from '../schema/path.ts'

/** Criteria for a list of snapshots. */
export interface SnapshotFilter {
  readonly workspace: string
  readonly before?: number
  readonly source?: string
  readonly label?: string
  readonly since?: number
  readonly until?: number
  readonly pinnedOnly?: boolean
  readonly session?: string
  readonly role?: string
  readonly tools?: readonly string[]
  /** Only those that changed one of these paths, or have one of these sequence numbers. */
  readonly changing?: { readonly paths: readonly RelPath[]; readonly seqs: readonly number[] }
}

/**
 * The database form of a path. SQLite's text is UTF-8; a path that is not is encoded as JSON, with its lone surrogates,
 * after a NUL, which no path can contain.
 */
export const pathKey = (path: RelPath): string => (path.isWellFormed() ? path : `\0${JSON.stringify(path)}`)

/** The path of a key; empty when the row is damaged and its path leads outside, so that it is never shown or used. */
export function pathOfKey(key: string): RelPath[] {
  const path = key.startsWith('\0') ? (JSON.parse(key.slice(1)) as string) : key
  return isRelPath(path) ? [path] : []
}

/** A filter as an SQL condition. */
export function conditions(filter: SnapshotFilter): { where: string; values: SqlValue[] } {
  const parts: [string, ...SqlValue[]][] = [['workspace = ?', filter.workspace]]
  if (filter.before !== undefined) parts.push(['seq < ?', filter.before])
  if (filter.source !== undefined) parts.push(['source = ?', filter.source])
  if (filter.label !== undefined) parts.push(['label IS NOT NULL AND label GLOB ?', filter.label])
  if (filter.since !== undefined) parts.push(['created_at >= ?', filter.since])
  if (filter.until !== undefined) parts.push(['created_at <= ?', filter.until])
  if (filter.pinnedOnly) parts.push(['pinned = 1'])
  if (filter.session !== undefined) parts.push(['session_id = ?', filter.session])
  if (filter.role !== undefined) parts.push(['role = ?', filter.role])
  if (filter.changing !== undefined)
    parts.push([
      `seq IN (SELECT seq FROM changes WHERE path IN (SELECT value FROM json_each(?)) UNION SELECT value FROM json_each(?))`,
      JSON.stringify(filter.changing.paths.map(pathKey)),
      JSON.stringify(filter.changing.seqs),
    ])
  if (filter.tools?.length) parts.push([`tool IN (${filter.tools.map(() => '?').join(', ')})`, ...filter.tools])
  return { where: parts.map(([sql]) => sql).join(' AND '), values: parts.flatMap(([, ...values]) => values) }
}
