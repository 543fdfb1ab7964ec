import { fromHex, toHex } from '../../host/hash.ts'
import type { NewSnapshot, SnapshotRecord } from '../../records/snapshot-record.ts'

/**
 * A snapshot as an object in the store: all of its record, so that the database can be rebuilt from the packs alone.
 */
type Stored = Omit<NewSnapshot, 'tree' | 'object'> & { readonly version: 1; readonly tree: string }

export function encodeSnapshot(snapshot: Omit<NewSnapshot, 'object'>): Buffer {
  const stored: Stored = { version: 1, ...pick(snapshot), tree: toHex(snapshot.tree) }
  return Buffer.from(JSON.stringify(stored))
}

function pick(s: Omit<NewSnapshot, 'object'>): Omit<NewSnapshot, 'tree' | 'object'> {
  const { id, workspace, created_at, base, source, label, description, cause } = s
  const { files, bytes, added, modified, deleted, stored_bytes, duration_ms, facts, listed, changes, revision } = s
  return {
    id,
    workspace,
    created_at,
    base,
    source,
    label,
    description,
    cause,
    files,
    bytes,
    added,
    modified,
    deleted,
    stored_bytes,
    duration_ms,
    facts,
    listed,
    changes,
    ...(revision ? { revision } : {}),
  }
}

export function decodeSnapshot(bytes: Uint8Array, object: Uint8Array): NewSnapshot {
  const { version: _, tree, ...rest } = JSON.parse(Buffer.from(bytes).toString()) as Stored
  return { ...rest, tree: fromHex(tree), object }
}

const COMPARED = [
  'id',
  'workspace',
  'created_at',
  'base',
  'source',
  'description',
  'cause',
  'files',
  'bytes',
  'facts',
] as const

/** Whether a row matches its object. The label is not compared: it may have been changed since, which notes record. */
export function agrees(row: SnapshotRecord, stored: NewSnapshot): boolean {
  // The database holds only well-formed text.
  const said = (value: unknown): string => JSON.stringify(typeof value === 'string' ? value.toWellFormed() : value)
  const same = (key: (typeof COMPARED)[number]): boolean => said(row[key]) === said(stored[key])
  return Buffer.compare(row.tree, stored.tree) === 0 && COMPARED.every(same)
}
