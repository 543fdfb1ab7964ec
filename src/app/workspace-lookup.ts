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

/** Finds the workspace and the snapshot that a tool's input names. */

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

/** The record of the named workspace, whether or not its folder still exists. */
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
  // A caller whose current folder was deleted still means the workspace it was in; a folder named explicitly must
  // exist.
  const isGone = workspace === undefined && lstat(call.cwd) === undefined
  const folder = isGone ? goneFolder(call.cwd) : realFolder(text, call.cwd)
  const found = enclosing(records, folder)
  if (found === undefined) throw new Fault(isGone ? 'ROOT_MISSING' : 'WORKSPACE_UNKNOWN', { root: folder })
  return found
}

export const requireWorkspace = (call: ToolCall, where: WorkspaceSelector): Workspace =>
  call.app.workspace(findWorkspace(call, where))

/** As `requireWorkspace`, but creates the workspace's folder if it is missing, because a restore needs it. */
export function recreateWorkspace(call: ToolCall, where: WorkspaceSelector): Workspace {
  const record = findWorkspace(call, where)
  if (lstat(record.root) === undefined) {
    checkRealRoot(record.root)
    guarded(record.root, () => makeDirs(record.root))
  }
  return call.app.workspace(record)
}

/** The named workspace; a folder that is in none becomes one. */
export function workspaceOrNew(call: ToolCall, where: WorkspaceSelector): { workspace: Workspace; isNew: boolean } {
  try {
    return { workspace: requireWorkspace(call, where), isNew: false }
  } catch (error) {
    if (!isFault(error, 'WORKSPACE_UNKNOWN')) throw error
    return { workspace: makeWorkspace(call, realFolder(where.workspace ?? call.cwd, call.cwd)), isNew: true }
  }
}

/**
 * Awaits the first capture of a workspace. If it is cancelled, the fault says that the folder is a workspace already.
 */
export async function firstCapture<T>(isNew: boolean, root: string, capture: Promise<T>): Promise<T> {
  try {
    return await capture
  } catch (error) {
    if (!isNew || !isFault(error, 'CANCELLED')) throw error
    const again = `timewarp -C ${shellWord(root)} snapshot`
    throw new Fault('CANCELLED', { ...error.data, begun: root, again }, { cause: error })
  }
}

/** The root of the named workspace, or the folder that would become one. Changes nothing. */
export function requestedRoot(call: ToolCall, where: WorkspaceSelector): string {
  try {
    return findWorkspace(call, where).root
  } catch (error) {
    if (!isFault(error, 'WORKSPACE_UNKNOWN')) throw error
    return realFolder(where.workspace ?? call.cwd, call.cwd)
  }
}

/** Records a folder as a workspace. If another process does the same at once, only one workspace is recorded. */
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
 * The snapshot that `text` names: an id, the beginning of one, `latest`, or `latest~N`. A complete id may belong to any
 * workspace unless `where` names one: a caller that is confined to one workspace, as an agent is, gets no other's.
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

/** As `findSnapshot`; faults when retention has dropped the contents. */
export const findSnapshotWithContent = (call: ToolCall, where: WorkspaceSelector, text: string): SnapshotRecord =>
  kept(findSnapshot(call, where, text))

/**
 * As `findSnapshotWithContent`; faults when the snapshot belongs to another workspace, whose state must not be written
 * to this one.
 */
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

/** The root among some paths stands for everything, as an empty list does. */
export const withinOf = (paths: readonly RelPath[]): RelPath[] => (paths.includes(ROOT) ? [] : [...paths])

/** Faults when the entry is a folder, which has no bytes and no lines. */
export function refuseFolder(entry: Entry | undefined, path: RelPath): void {
  if (entry?.kind === KIND.directory)
    throw new Fault('PATH_KIND', { path: outPath(path), wanted: 'file', found: 'directory', to_read: true })
}
