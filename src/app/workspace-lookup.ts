import { isAbsolute, resolve } from 'node:path'
import { Fault, isFault } from '../base/fault.ts'
import { outPath } from '../base/quote.ts'
import { shellWord } from '../base/shell-word.ts'
import { guarded } from '../host/faults.ts'
import { lstat } from '../host/files/fs.ts'
import { makeDirs } from '../host/files/make-dirs.ts'
import { encodeNote } from '../records/notes.ts'
import type { SnapshotRecord } from '../records/snapshots.ts'
import type { WorkspaceRecord } from '../records/workspaces.ts'
import { type RelPath, ROOT } from '../schema/path.ts'
import { OBJECT } from '../store/store.ts'
import { type Entry, KIND } from '../store/tree.ts'
import type { CaptureRoom } from '../timeline/scan/context.ts'
import {
  checkRealRoot,
  checkRoot,
  enclosing,
  goneFolder,
  realFolder,
  type Workspace,
} from '../timeline/workspace/workspace.ts'
import type { Call } from './handler.ts'

/** Finds what a tool's input speaks of: the workspace, a snapshot in it. */

export interface Where {
  readonly workspace?: string | undefined
}

export const captureRoom = ({ house, progress, signal }: Call): CaptureRoom => ({
  home: house.home,
  store: house.store,
  records: house.records,
  clock: house.clock,
  live: house.live,
  progress,
  signal,
})

/** The record of the workspace meant, whether or not its folder still exists. */
export function findWorkspace(call: Call, { workspace }: Where): WorkspaceRecord {
  const { exists, home } = call.house
  if (!exists)
    throw new Fault('WORKSPACE_UNKNOWN', { root: realFolder(workspace ?? call.cwd, call.cwd), no_store: home })
  const { records } = call.house
  const byId = workspace === undefined || isAbsolute(workspace) ? undefined : records.workspaces.get(workspace)
  if (byId) return byId
  const text = workspace ?? call.cwd
  const known = records.workspaces.at(isAbsolute(text) ? text : resolve(call.cwd, text))
  if (known) return known
  // Whoever stands in a folder that was deleted still means the workspace it was in; a folder that is named must be there.
  const isGone = workspace === undefined && lstat(call.cwd) === undefined
  const folder = isGone ? goneFolder(call.cwd) : realFolder(text, call.cwd)
  const found = enclosing(records, folder)
  if (found === undefined) throw new Fault(isGone ? 'ROOT_MISSING' : 'WORKSPACE_UNKNOWN', { root: folder })
  return found
}

export const theWorkspace = (call: Call, where: Where): Workspace => call.house.workspace(findWorkspace(call, where))

/** As `theWorkspace`; if its folder is gone, it is made again: whoever restores wants it back. */
export function theWorkspaceAgain(call: Call, where: Where): Workspace {
  const record = findWorkspace(call, where)
  if (lstat(record.root) === undefined) {
    checkRealRoot(record.root)
    guarded(record.root, () => makeDirs(record.root))
  }
  return call.house.workspace(record)
}

/** The workspace meant; a folder that is in none becomes one. */
export function workspaceOrNew(call: Call, where: Where): { workspace: Workspace; isNew: boolean } {
  try {
    return { workspace: theWorkspace(call, where), isNew: false }
  } catch (error) {
    if (!isFault(error, 'WORKSPACE_UNKNOWN')) throw error
    return { workspace: makeWorkspace(call, realFolder(where.workspace ?? call.cwd, call.cwd)), isNew: true }
  }
}

/** Runs the first capture of a workspace; if it is stopped, the caller hears that the folder is one already. */
export async function firstCapture<T>(isNew: boolean, root: string, capture: Promise<T>): Promise<T> {
  try {
    return await capture
  } catch (error) {
    if (!isNew || !isFault(error, 'CANCELLED')) throw error
    const again = `timewarp -C ${shellWord(root)} snapshot`
    throw new Fault('CANCELLED', { ...error.data, begun: root, again }, { cause: error })
  }
}

/** The root of the workspace meant, or the folder that would become one. Changes nothing. */
export function rootMeant(call: Call, where: Where): string {
  try {
    return findWorkspace(call, where).root
  } catch (error) {
    if (!isFault(error, 'WORKSPACE_UNKNOWN')) throw error
    return realFolder(where.workspace ?? call.cwd, call.cwd)
  }
}

/** Records a folder as a workspace. Another process may do the same at once: then there is one, not two. */
export function makeWorkspace(call: Call, root: string): Workspace {
  const { house } = call
  checkRoot(root, house.home)
  house.begin()
  const batch = house.store.begin()
  try {
    house.records.db.write(() => {
      if (house.records.workspaces.at(root)) return
      const [id, created_at] = [house.newId('w'), house.clock.now()]
      const note = batch.put(OBJECT.note, encodeNote({ note: 'workspace', id, root, created_at }))
      batch.publish()
      house.records.workspaces.add(id, root, created_at)
      house.records.notes.add(note, id, 'workspace')
    })
  } finally {
    batch.end()
  }
  return house.workspace(house.records.workspaces.at(root) as WorkspaceRecord)
}

/**
 * The snapshot that `text` names: its id or the beginning of one, `latest`, or `latest~N`. A whole id may be of any
 * workspace, unless one is named: whoever is let into one only, as an agent is, sees no other's.
 */
export function findSnapshot(call: Call, where: Where, text: string): SnapshotRecord {
  const exact = call.house.records.snapshots.get(text)
  if (exact === undefined) return findByHint(call, findWorkspace(call, where), text)
  if (where.workspace !== undefined) refuseForeign(exact, findWorkspace(call, where))
  return exact
}

function refuseForeign({ id, workspace }: SnapshotRecord, own: { id: string }): void {
  if (workspace !== own.id) throw new Fault('SNAPSHOT_FOREIGN', { id, workspace })
}

/** As `findSnapshot`; its contents must still be kept. */
export const findKept = (call: Call, where: Where, text: string): SnapshotRecord =>
  kept(findSnapshot(call, where, text))

/** As `findKept`; it must be of this workspace: another's state is not to be laid over it. */
export function findOwn(call: Call, workspace: { id: string }, text: string): SnapshotRecord {
  const exact = call.house.records.snapshots.get(text)
  if (exact) refuseForeign(exact, workspace)
  return kept(exact ?? findByHint(call, workspace, text))
}

function kept(snapshot: SnapshotRecord): SnapshotRecord {
  if (!snapshot.content) throw new Fault('SNAPSHOT_DROPPED', { id: snapshot.id })
  return snapshot
}

function findByHint(call: Call, workspace: { id: string }, text: string): SnapshotRecord {
  const { snapshots } = call.house.records
  const back = /^(?:latest|@)(?:~(\d+))?$/.exec(text)
  const found = back
    ? snapshots.list({ workspace: workspace.id }, Number(back[1] ?? 0) + 1)[Number(back[1] ?? 0)]
    : snapshots.get(onlyMatch(call, workspace, text) ?? '')
  if (found === undefined) throw new Fault('SNAPSHOT_NOT_FOUND', { id: text })
  return found
}

function onlyMatch(call: Call, workspace: { id: string }, text: string): string | undefined {
  if (text.length < 3) return undefined
  const matches = call.house.records.snapshots.matching(workspace.id, text.startsWith('s_') ? text : `s_${text}`)
  if (matches.length > 1) throw new Fault('SNAPSHOT_AMBIGUOUS', { id: text, matches })
  return matches[0]
}

/** The root among some paths stands for everything, as no path does. */
export const withinOf = (paths: readonly RelPath[]): RelPath[] => (paths.includes(ROOT) ? [] : [...paths])

/** A folder has no bytes and no lines. */
export function refuseFolder(entry: Entry | undefined, path: RelPath): void {
  if (entry?.kind === KIND.directory)
    throw new Fault('PATH_KIND', { path: outPath(path), wanted: 'file', found: 'directory', to_read: true })
}
