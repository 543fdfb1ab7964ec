import { handler, type ToolCall } from '../app/handler.ts'
import { checkOutsideFolder } from '../app/outside-folder.ts'
import { recoverFirst, refuseWhenBlocked } from '../app/recovery.ts'
import {
  captureContext,
  findSnapshotOfWorkspace,
  findSnapshotWithContent,
  recreateWorkspace,
  type WorkspaceSelector,
  withinOf,
} from '../app/workspace-lookup.ts'
import { Fault, isFault } from '../base/fault.ts'
import { outPath } from '../base/quote.ts'
import { count } from '../base/text.ts'
import { Materialise, Redo, Restore, Undo } from '../protocol/restore.ts'
import type { SnapshotRecord } from '../records/snapshot-record.ts'
import { allFoldersAbove, type RelPath } from '../schema/path.ts'
import { findEntry } from '../store/compare-trees.ts'
import { KIND } from '../store/tree.ts'
import { Trees } from '../timeline/capture/trees.ts'
import { materialise as writeOut } from '../timeline/restore/materialise.ts'
import { restore as bringBack, type Chosen, previewRestore } from '../timeline/restore/restore.ts'
import type { Receipt, RestoreRequest } from '../timeline/restore/restore-request.ts'
import { redoStep, undoStep } from '../timeline/restore/steps.ts'
import type { Workspace } from '../timeline/workspace/workspace.ts'
import { diffText } from './diff-text.ts'
import { gitLostSince } from './git/git-mention.ts'

const said = (receipt: Receipt, dryRun: boolean, warnings: readonly string[]) => ({
  snapshot_id: receipt.target,
  backup_id: receipt.backup?.id ?? null,
  new_snapshot_id: receipt.after?.id ?? null,
  restored: receipt.restored.map(outPath),
  deleted: receipt.deleted.map(outPath),
  skipped: receipt.skipped.map(({ path, reason }) => ({ path: outPath(path), reason })),
  conflicts: receipt.conflicts.map(({ path, reason }) => ({ path: outPath(path), reason })),
  warnings: [...warnings, ...receipt.warnings],
  dry_run: dryRun,
})

async function carryOut<Note>(
  call: ToolCall,
  workspace: Workspace,
  act: RestoreRequest['act'],
  dryRun: boolean,
  choose: () => Promise<Chosen<Note>>,
): Promise<{ readonly receipt: Receipt; readonly note: Note }> {
  const ctx = captureContext(call)
  if (!dryRun) refuseWhenBlocked(call, workspace)
  if (!dryRun) return bringBack(ctx, workspace, act, choose)
  const { request, note } = await choose()
  return { receipt: await previewRestore(ctx, workspace, request), note }
}

export const restore = handler(Restore, async (call, input) => {
  const paths = withinOf(input.paths)
  const workspace = recreateWorkspace(call, input)
  const recovered = await recoverFirst(call, workspace)
  const target = findSnapshotOfWorkspace(call, workspace, input.snapshot_id)
  checkPaths(call, workspace, target, paths)
  return bringBackTo(call, workspace, target, input, recovered, paths).catch((error: unknown) => {
    throw withAgain(error, `timewarp restore ${target.id}${paths.length > 0 ? ' and the same paths' : ''}`)
  })
})

/** Adds the command that repeats the restore with the snapshot's id: `latest` may be another snapshot by now. */
function withAgain(error: unknown, again: string): unknown {
  if (isFault(error, 'CANCELLED')) return new Fault('CANCELLED', { ...error.data, again }, { cause: error })
  if (isFault(error, 'RESTORE_FAILED')) return new Fault('RESTORE_FAILED', { ...error.data, again }, { cause: error })
  return error
}

/** Restores some paths, or everything, from a snapshot. */
export async function bringBackTo(
  call: ToolCall,
  workspace: Workspace,
  target: SnapshotRecord,
  input: { readonly dry_run: boolean; readonly session_id?: string | undefined },
  recovered: readonly string[],
  paths: readonly RelPath[] = [],
) {
  const request = { act: 'restore', target, of: target.id, paths, session_id: input.session_id } as const
  const chosen = { request, note: undefined }
  const { receipt } = await carryOut(call, workspace, 'restore', input.dry_run, async () => chosen)
  return said(receipt, input.dry_run, [...recovered, ...(await gitLostSince(call, workspace, target.created_at))])
}

/** Faults for a path that neither the snapshot nor the newest state has: it is mistyped. */
function checkPaths(
  call: ToolCall,
  workspace: Workspace,
  target: { id: string; tree: Uint8Array },
  paths: readonly RelPath[],
): void {
  const { read } = new Trees(call.app.store.reader)
  const newest = call.app.records.snapshots.newest(workspace.id)
  for (const path of paths)
    if (!findEntry(read, target.tree, path) && !(newest && findEntry(read, newest.tree, path)))
      throw new Fault('PATH_NOT_FOUND', { path: outPath(path), snapshot_id: target.id })
}

export const undo = handler(Undo, (call, input) => walk(call, input, 'undo', undoStep))
export const redo = handler(Redo, (call, input) => walk(call, input, 'redo', redoStep))

const WORDS = { undo: ['Undid', 'Would undo'], redo: ['Did again', 'Would do again'] } as const

async function walk(
  call: ToolCall,
  input: WorkspaceSelector & { dry_run: boolean; session_id?: string | undefined },
  act: 'undo' | 'redo',
  find: typeof undoStep,
) {
  const workspace = recreateWorkspace(call, input)
  const recovered = await recoverFirst(call, workspace)
  const newest = call.app.records.snapshots.newest(workspace.id)
  const { receipt, note } = await carryOut(call, workspace, act, input.dry_run, async () => {
    const { what, target, of } = await find(captureContext(call), workspace)
    const request = { act, target, of, paths: [], session_id: input.session_id }
    return { request, note: { what, target } }
  })
  const affected = [...receipt.restored, ...receipt.deleted].sort()
  const counted = countedOf(call, affected, [newest, note.target, receipt.backup])
  return {
    ...said(receipt, input.dry_run, [...recovered, ...(await gitLostSince(call, workspace, note.target.created_at))]),
    message: `${WORDS[act][input.dry_run ? 1 : 0]} ${note.what} (${counted}).`,
    affected_files: affected.map(outPath),
    reversed_diff: receipt.backup && receipt.after ? diffText(call, receipt.backup.tree, receipt.after.tree) : '',
  }
}

/** Counts files and, separately, empty folders that are created or deleted. */
function countedOf(call: ToolCall, paths: readonly RelPath[], states: readonly (SnapshotRecord | undefined)[]): string {
  const { read } = new Trees(call.app.store.reader)
  const above = allFoldersAbove(paths)
  const isFolder = (path: RelPath): boolean => {
    const found = states.flatMap((state) => (state?.content ? (findEntry(read, state.tree, path) ?? []) : []))
    return found.length > 0 && found.every(({ kind }) => kind === KIND.directory)
  }
  const folders = paths.filter(isFolder)
  const empty = folders.filter((path) => !above.has(path)).length
  const files = paths.length - folders.length
  const parts = [...(files > 0 ? [count(files, 'file')] : []), ...(empty > 0 ? [count(empty, 'folder')] : [])]
  return parts.join(' and ') || count(0, 'file')
}

export const materialise = handler(Materialise, async (call, input) => {
  const paths = withinOf(input.paths)
  const snapshot = findSnapshotWithContent(call, input, input.snapshot_id)
  const started = performance.now()
  const dir = checkOutsideFolder(call, input.dir)
  const written = await writeOut(captureContext(call), snapshot, dir, paths)
  return {
    snapshot_id: snapshot.id,
    dir,
    files: written.files,
    bytes: written.bytes,
    duration_ms: Math.round(performance.now() - started),
    skipped: written.skipped.map(({ path, reason }) => ({ path: outPath(path), reason })),
  }
})
