import { join } from 'node:path'
import { lstat, rename } from '../../host/files/fs.ts'
import { sha256 } from '../../host/hash.ts'
import { decodeNote, type Note, subjectOf } from '../../records/notes.ts'
import type { NewSnapshot } from '../../records/snapshot-record.ts'
import type { ObjectIndex } from '../../store/object-index.ts'
import { decodePayload, isMark, listDirectory } from '../../store/pack-format.ts'
import { asWritten, packNames, type ScannedBlock, scanPack, writerOf } from '../../store/pack-scan.ts'
import { OBJECT } from '../../store/store.ts'
import { decodeSnapshot } from '../capture/snapshot-object.ts'
import type { MaintenanceContext } from './context.ts'

/** The records found in the packs. */
interface Told {
  readonly snapshots: Map<string, NewSnapshot>
  readonly notes: { readonly note: Note; readonly object: Uint8Array }[]
}

/**
 * Rebuilds the index and the records from the packs alone.
 *
 * All in one transaction: a reader sees the old records or the new ones. Leases and journals stay as they are. Damaged
 * blocks are left out; `fsck` reports what is missing.
 */
export function rebuild(
  ctx: MaintenanceContext,
  progress: (done: number, total: number) => void,
): { snapshots: number } {
  const done = ctx.records.db.writeDurably(() => {
    ctx.store.index.clear()
    for (const table of TABLES) ctx.records.db.run(`DELETE FROM ${table}`)
    const told = ingestPacks(ctx.store.index, ctx.store.dir, packNames(ctx.store.dir), progress)
    // Earlier scans may rely on objects that are lost.
    ctx.store.index.leapEpoch(ctx.now())
    return recordAll(ctx, told)
  })
  const known = new Set(ctx.store.index.packs().map(({ name }) => name))
  for (const name of packNames(ctx.store.dir)) if (!known.has(name)) setAside(ctx.store.dir, name)
  return done
}

const TABLES = [
  'changes',
  'snapshots',
  'fact_texts',
  'notes',
  'milestones',
  'git_keeps',
  'issues',
  'travels',
  'doubts',
  'prompts',
  'sessions',
  'workspaces',
]

/** A pack without any intact block would be removed as a leftover; it is renamed, so that a person can examine it. */
function setAside(dir: string, name: string): void {
  if ((lstat(join(dir, name))?.size ?? 0) > 0) rename(join(dir, name), join(dir, `${name}.damaged`))
}

/**
 * Corrects the index: wrong rows are deleted, and the objects of all intact blocks get rows. Durable when it returns.
 */
export function reindex(ctx: MaintenanceContext, wrong: readonly Uint8Array[]): void {
  const { index, dir } = ctx.store
  ctx.records.db.writeDurably(() => {
    for (const hash of wrong) index.drop(hash)
    for (const name of packNames(dir))
      for (const block of soundBlocks(dir, name)) index.correct(asWritten(name, block), writerOf(name))
    index.raiseEpoch()
  })
}

/** Indexes packs and collects the snapshots and notes in them. */
export function ingestPacks(
  index: ObjectIndex,
  dir: string,
  names: readonly string[],
  progress: (done: number, total: number) => void,
): Told {
  const told: Told = { snapshots: new Map(), notes: [] }
  names.forEach((name, i) => {
    progress(i, names.length)
    for (const block of soundBlocks(dir, name)) {
      index.publish([asWritten(name, block)], writerOf(name))
      listen(block, told)
    }
  })
  return told
}

function* soundBlocks(dir: string, name: string): Generator<ScannedBlock> {
  for (const block of scanPack(dir, name)) if (block.sound && !isMark(block.head)) yield block
}

function listen(block: ScannedBlock, told: Told): void {
  const wanted = [...listDirectory(block.head.directory)].filter(
    ({ kind }) => kind === OBJECT.snapshot || kind === OBJECT.note,
  )
  if (wanted.length === 0) return
  const payload = decodePayload(block.head.codec, block.stored, block.head.raw)
  for (const { hash, kind, start, size } of wanted) {
    const bytes = payload.subarray(start, start + size)
    if (!sha256(bytes).equals(hash)) continue
    const object = new Uint8Array(hash)
    if (kind === OBJECT.note) told.notes.push({ note: decodeNote(bytes), object })
    else hear(told.snapshots, decodeSnapshot(bytes, object))
  }
}

/** `forget` writes a later object with the same snapshot id: the later revision counts. */
function hear(snapshots: Map<string, NewSnapshot>, snapshot: NewSnapshot): void {
  const known = snapshots.get(snapshot.id)
  if (!known || (snapshot.revision ?? 0) >= (known.revision ?? 0)) snapshots.set(snapshot.id, snapshot)
}

/** Adds rows for all snapshots and notes from the packs that the database does not have. */
export function recordAll(ctx: MaintenanceContext, told: Told): { snapshots: number } {
  const { records } = ctx
  const notes = [...told.notes].sort((a, b) => timeOf(a.note) - timeOf(b.note))
  const removed = new Set(notes.flatMap(({ note }) => (note.note === 'removed' ? [note.id] : [])))
  for (const { note, object } of notes) {
    records.notes.add(object, subjectOf(note), note.note)
    if (note.note === 'workspace' && !records.workspaces.get(note.id) && !records.workspaces.at(note.root))
      records.workspaces.add(note.id, note.root, note.created_at)
  }
  const fresh = [...told.snapshots.values()]
    .filter(({ id }) => !removed.has(id) && !records.snapshots.get(id))
    .sort((a, b) => a.created_at - b.created_at || (a.id < b.id ? -1 : 1))
  for (const snapshot of fresh) records.snapshots.add(snapshot)
  for (const { note } of notes) if (!(isOfItsOwn(note) && removed.has(note.id))) apply(ctx, note)
  for (const snapshot of fresh) meetAgain(ctx, snapshot)
  return { snapshots: fresh.length }
}

/** Recreates a session from the snapshot of its start, which holds its id and task. */
function meetAgain(
  { records }: MaintenanceContext,
  { id, workspace, created_at: at, cause, label, facts }: NewSnapshot,
): void {
  const session = label?.endsWith('session-start') ? cause.session_id : undefined
  if (session === undefined || records.sessions.get(workspace, session)?.snapshot_id) return
  records.sessions.meet({ id: session, workspace, at, task_hint: facts.initial_task_hint })
  records.sessions.setSnapshot(workspace, session, id)
}

/** Whether the note is the only record of its subject: after a removal it must not be recreated. */
const isOfItsOwn = ({ note }: Note): boolean => note === 'milestone' || note === 'git_keep'

const timeOf = (note: Note): number => (note.note === 'workspace' ? note.created_at : note.at)

function apply({ records }: MaintenanceContext, note: Note): void {
  if (note.note === 'pin') records.snapshots.setPinned(note.id, note.pinned)
  if (note.note === 'label') records.snapshots.setLabel(note.id, note.label)
  if (note.note === 'content') records.snapshots.dropContent(note.id)
  if (note.note === 'milestone') records.milestones.put(note)
  if (note.note === 'doubt') records.doubts.add(note.id, note.paths)
  if (note.note === 'prompt') records.prompts.add(note)
  // A row that still exists is newer than the note.
  if (note.note === 'session' && !records.sessions.get(note.workspace, note.id)) records.sessions.put(note)
  if (note.note === 'git_keep') records.gitKeeps.add(without(note))
  if (note.note === 'issue') records.issues.put(without(note))
  if (note.note === 'travel') records.travels.put(without(note))
}

/** The record in a note, without the fields of the note itself. */
function without<T extends { note: string; at: number }>(note: T): Omit<T, 'note' | 'at'> {
  const { note: _note, at: _at, ...record } = note
  return record
}
