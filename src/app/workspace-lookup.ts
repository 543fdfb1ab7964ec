import { isAbsolute, resolve } from 'node:path'
import { Fault, isFault } from '../base/fault.ts'
import { outPath } from '../base/quote.ts'
import { shellWord } from '../base/shell-word.ts'
import { guarded } from '../host/faults.ts'
import { lstat } from '../host/files/fs.ts'
import { makeDirs } from '../host/files/make-dirs.ts'
import { encodeNote } from '../records/notes.ts'
import type { SnapshotRecord } from '../records/snapshot-record.ts'
import type { WorkspaceRecord } from '../records/workspaces.ts'
import { type RelPath, ROOT } from '../schema/path.ts'
import { OBJECT } from '../store/store.ts'
import { type Entry, KIND } from '../store/tree.ts'
import type { CaptureContext } from '../timeline/scan/context.ts'
import {
  checkRealRoot,
  checkRoot,
  enclosing,
  goneFolder,
  realFolder,
  type Workspace,
} from '../timeline/workspace/workspace.ts'
import type { ToolCall } from './handler.ts'

/** Finds what a tool's input speaks of: the workspace, a snapshot in it. */

export interface WorkspaceSelector {
  readonly workspace?: string | undefined
}

export const captureContext = ({ app, progress, signal }: ToolCall): CaptureContext => ({
  home: app.home,
  store: app.store,
  records: app.records,
  clock: app.clock,
  live: app.live,
  progress,
  signal,
})

/** The record of the workspace meant, whether or not its folder still exists. */
export function findWorkspace(call: ToolCall, { workspace }: WorkspaceSelector): WorkspaceRecord {
  const { exists, home } = call.app
  if (!exists)
    throw new Fault('WORKSPACE_UNKNOWN', { root: realFolder(workspace ?? call.cwd, call.cwd), no_store: home })
  const { records } = call.app
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

export const requireWorkspace = (call: ToolCall, where: WorkspaceSelector): Workspace =>
  call.app.workspace(findWorkspace(call, where))

/** As `theWorkspace`; if its folder is gone, it is made again: whoever restores wants it back. */
export function recreateWorkspace(call: ToolCall, where: WorkspaceSelector): Workspace {
  const record = findWorkspace(call, where)
  if (lstat(record.root) === undefined) {
    checkRealRoot(record.root)
    guarded(record.root, () => makeDirs(record.root))
  }
  return call.app.workspace(record)
}

/** The workspace meant; a folder that is in none becomes one. */
export function workspaceOrNew(call: ToolCall, where: WorkspaceSelector): { workspace: Workspace; isNew: boolean } {
  try {
    return { workspace: requireWorkspace(call, where), isNew: false }
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
export function requestedRoot(call: ToolCall, where: WorkspaceSelector): string {
  try {
    return findWorkspace(call, where).root
  } catch (error) {
    if (!isFault(error, 'WORKSPACE_UNKNOWN')) throw error
    return realFolder(where.workspace ?? call.cwd, call.cwd)
  }
}

/** Records a folder as a workspace. Another process may do the same at once: then there is one, not two. */
export function makeWorkspace(call: ToolCall, root: string): Workspace {
  const { app } = call
  checkRoot(root, app.home)
  app.begin()
  const batch = app.store.begin()
  try {
    app.records.db.write(() => {
      if (app.records.workspaces.at(root)) return
      const [id, created_at] = [app.newId('w'), app.clock.now()]
      const note = batch.put(OBJECT.note, encodeNote({ note: 'workspace', id, root, created_at }))
      batch.publish()
      app.records.workspaces.add(id, root, created_at)
      app.records.notes.add(note, id, 'workspace')
    })
  } finally {
    batch.end()
  }
  return app.workspace(app.records.workspaces.at(root) as WorkspaceRecord)
}

/**
 * The snapshot that `text` names: its id or the beginning of one, `latest`, or `latest~N`. A whole id may be of any
 * workspace, unless one is named: whoever is let into one only, as an agent is, sees no other's.
 */
export function findSnapshot(call: ToolCall, where: WorkspaceSelector, text: string): SnapshotRecord {
  const exact = call.app.records.snapshots.get(text)
  if (exact === undefined) return findByHint(call, findWorkspace(call, where), text)
  if (where.workspace !== undefined) refuseForeign(exact, findWorkspace(call, where))
  return exact
}

function refuseForeign({ id, workspace }: SnapshotRecord, own: { id: string }): void {
  if (workspace !== own.id) throw new Fault('SNAPSHOT_FOREIGN', { id, workspace })
}

/** As `findSnapshot`; its contents must still be kept. */
export const findSnapshotWithContent = (call: ToolCall, where: WorkspaceSelector, text: string): SnapshotRecord =>
  kept(findSnapshot(call, where, text))

/** As `findKept`; it must be of this workspace: another's state is not to be laid over it. */
export function findSnapshotOfWorkspace(call: ToolCall, workspace: { id: string }, text: string): SnapshotRecord {
  const exact = call.app.records.snapshots.get(text)
  if (exact) refuseForeign(exact, workspace)
  return kept(exact ?? findByHint(call, workspace, text))
}

function kept(snapshot: SnapshotRecord): SnapshotRecord {
  if (!snapshot.content) throw new Fault('SNAPSHOT_DROPPED', { id: snapshot.id })
  return snapshot
}

function findByHint(call: ToolCall, workspace: { id: string }, text: string): SnapshotRecord {
  const { snapshots } = call.app.records
  const back = /^(?:latest|@)(?:~(\d+))?$/.exec(text)
  const found = back
    ? snapshots.list({ workspace: workspace.id }, Number(back[1] ?? 0) + 1)[Number(back[1] ?? 0)]
    : snapshots.get(onlyMatch(call, workspace, text) ?? '')
  if (found === undefined) throw new Fault('SNAPSHOT_NOT_FOUND', { id: text })
  return found
}

function onlyMatch(call: ToolCall, workspace: { id: string }, text: string): string | undefined {
  if (text.length < 3) return undefined
  const matches = call.app.records.snapshots.matching(workspace.id, text.startsWith('s_') ? text : `s_${text}`)
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
