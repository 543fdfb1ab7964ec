import { join } from 'node:path'
import type { ToolCall } from '../../app/handler.ts'
import { checkOutsideFolder, outsideFolder } from '../../app/outside-folder.ts'
import { recoverFirst } from '../../app/recovery.ts'
import { captureContext, makeWorkspace } from '../../app/workspace-lookup.ts'
import { Fault } from '../../base/fault.ts'
import { outPath } from '../../base/quote.ts'
import { readWorkspaceFile } from '../../config/settings-file.ts'
import { readTrust, writeTrust } from '../../config/trust-record.ts'
import { lstat, readNames, removeDir } from '../../host/files/fs.ts'
import { makeDirs } from '../../host/files/make-dirs.ts'
import { removeTree } from '../../host/files/remove-tree.ts'
import { point } from '../../host/points.ts'
import type { SnapshotRecord } from '../../records/snapshot-record.ts'
import type { TravelRecord } from '../../records/travels.ts'
import { joinPath, type RelPath, ROOT } from '../../schema/path.ts'
import { compareTrees, type ReadTree, walkTree } from '../../store/compare-trees.ts'
import { KIND } from '../../store/tree.ts'
import { capture } from '../../timeline/capture/capture.ts'
import { writeDown } from '../../timeline/capture/record-note.ts'
import { Trees } from '../../timeline/capture/trees.ts'
import { change } from '../../timeline/restore/change.ts'
import { materialise } from '../../timeline/restore/materialise.ts'
import type { TreeEdits } from '../../timeline/restore/tree-edits.ts'
import { inFolders, OWN, writeOwn } from '../../timeline/workspace/own-folders.ts'
import { checkRoot, type Workspace } from '../../timeline/workspace/workspace.ts'
import { lockFilesIn } from '../../travel/journeys/lock-files.ts'
import { moveTravel } from '../../travel/journeys/machine.ts'
import type { Destination } from '../../travel/journeys/travel.ts'
import { experimentFields, journeyFields, remarks } from './journey.ts'

/**
 * Journeys into a separate folder: the workspace stays in the present, and there may be any number of them. The folder
 * is a workspace itself, so what is done in it is captured like anything else.
 */
export async function goInto(call: ToolCall, workspace: Workspace, into: string, { target, ...ids }: Destination) {
  const dir = checkOutsideFolder(call, into)
  checkRoot(dir, call.app.home)
  const ctx = captureContext(call)
  const written = await materialise(ctx, target, dir, [])
  const place = makeWorkspace(call, dir)
  lendSettings(call.app.home, workspace.root, dir)
  const arrival = await capture(ctx, call.app.workspace(place.record), {
    source: 'travel',
    label: 'travel',
    always: true,
    cause: { role: 'act', act: 'travel', of: target.id, ...(ids.session_id ? { session_id: ids.session_id } : {}) },
  })
  const journey: TravelRecord = {
    id: call.app.newId('g'),
    workspace: workspace.id,
    state: 'past',
    dir,
    place: place.id,
    snapshot_id: target.id,
    backup_id: null,
    arrival_id: arrival.snapshot.id,
    experiment_id: null,
    issue_id: ids.issue_id ?? null,
    session_id: ids.session_id ?? null,
    entered_at: call.app.clock.now(),
    ended_at: null,
    fingerprint: null,
    rules: null,
    problems: [],
  }
  put(call, journey)
  const locks = lockFilesIn(differing(call, workspace, target)).map(outPath)
  return {
    mode: 'present' as const,
    ...journeyFields(journey, dir),
    restored: [...walkTree(arrival.trees.read, arrival.assembled.tree)].map(({ path }) => outPath(path)),
    deleted: [],
    skipped: written.skipped.map(({ path, reason }) => ({ path: outPath(path), reason })),
    conflicts: [],
    lock_files: locks,
    warnings: [...arrival.warnings, ...remarks(call, locks, target)],
  }
}

const put = (call: ToolCall, journey: TravelRecord): void =>
  writeDown(call.app, () => {
    call.app.records.travels.put(journey)
    return { note: 'travel', at: call.app.clock.now(), ...journey }
  })

/** Copies the settings and their trust, so that the folder captures what the workspace captures. */
function lendSettings(home: string, root: string, dir: string): void {
  writeTrust(home, dir, readTrust(home, root))
  const { bytes } = readWorkspaceFile(join(root, '.timewarp', 'config.json'))
  if (bytes) writeOwn(dir, 'config.json', bytes)
}

function differing(call: ToolCall, workspace: Workspace, target: SnapshotRecord): RelPath[] {
  const newest = call.app.records.snapshots.newest(workspace.id)
  if (!newest?.content) return []
  return [...compareTrees(new Trees(call.app.store.reader).read, newest.tree, target.tree)].map(({ path }) => path)
}

/**
 * Ends such a journey: captures the folder, then deletes what is captured and leaves the rest. If it is interrupted it
 * can be called again: once the experiment is recorded, it is not captured again.
 */
export async function endInto(call: ToolCall, into: string, input: { keep: boolean; session_id?: string | undefined }) {
  const dir = outsideFolder(call, into)
  const { journey, place } = journeyInto(call, dir)
  const recovered = await recoverFirst(call, place)
  const left = journey.experiment_id === null ? await leave(call, place, journey, input.session_id) : journey
  point('travel:left')
  const { gone, kept } = input.keep ? { gone: [], kept: [] } : await clear(call, place)
  const ended: TravelRecord = { ...left, state: moveTravel(left.state, 'come_home'), ended_at: call.app.clock.now() }
  put(call, ended)
  const home = call.app.records.workspaces.get(journey.workspace)
  return {
    mode: 'present' as const,
    verified: true,
    differences: [],
    ...experimentFields(call, ended, home?.root ?? dir),
    dir,
    restored: [],
    deleted: gone.map(outPath),
    skipped: kept.map((name) => ({ path: outPath(name), reason: 'it is not captured' })),
    conflicts: [],
    warnings: recovered,
  }
}

/** The journey into a folder that has not ended. If the folder was removed, it is created again, empty. */
function journeyInto(call: ToolCall, dir: string): { journey: TravelRecord; place: Workspace } {
  const { travels, workspaces } = call.app.records
  const journey = travels.all().findLast((one) => one.dir === dir && one.state !== 'ended')
  const record = workspaces.get(journey?.place ?? '')
  if (journey === undefined || record === undefined) throw new Fault('EXPERIMENT_NOT_FOUND', { what: `in ${dir}` })
  if (lstat(dir) === undefined) makeDirs(dir)
  return { journey, place: call.app.workspace(record) }
}

async function leave(
  call: ToolCall,
  place: Workspace,
  journey: TravelRecord,
  session_id: string | undefined,
): Promise<TravelRecord> {
  const { snapshot } = await capture(captureContext(call), place, {
    source: 'travel',
    label: 'experiment',
    always: true,
    cause: { role: 'backup', act: 'return', of: journey.snapshot_id, ...(session_id ? { session_id } : {}) },
  })
  call.app.store.sync()
  const left: TravelRecord = {
    ...journey,
    state: moveTravel(journey.state, 'leave'),
    experiment_id: snapshot.id,
  }
  put(call, left)
  return left
}

/**
 * Deletes all that is captured, all or nothing, and the folder itself when nothing is left in it. Returns what was
 * deleted and what stays.
 */
async function clear(call: ToolCall, place: Workspace): Promise<{ gone: RelPath[]; kept: string[] }> {
  const { detail: gone } = await change<RelPath[]>(captureContext(call), place, {
    act: 'edit',
    also: new Map(),
    decide: ({ tree, trees }) => {
      const { wishes } = wayOut(trees.read, place.root, ROOT, tree)
      if (wishes.length === 0) return { wishes: undefined, detail: [] }
      return { wishes, detail: [...walkTree(trees.read, tree)].map(({ path }) => path) }
    },
    after: { source: 'travel', label: 'cleared', cause: { role: 'act', act: 'return' } },
  })
  const kept = readNames(place.root).filter((name) => name !== '.timewarp')
  if (kept.length > 0) return { gone, kept }
  inFolders(place.root, (folders) => removeTree(folders, OWN))
  removeDir(place.root)
  return { gone, kept }
}

/** What can be deleted of a folder: all of it where everything in it is captured, else only what is captured. */
function wayOut(
  read: ReadTree,
  root: string,
  path: RelPath,
  tree: Uint8Array,
): { wishes: TreeEdits[]; whole: boolean } {
  const entries = read(tree)
  const known = new Set(entries.map(({ name }) => name))
  let whole = readNames(join(root, path)).every((name) => known.has(name))
  const wishes = entries.flatMap((entry): TreeEdits[] => {
    const at = joinPath(path, entry.name)
    const inner = entry.kind === KIND.directory ? wayOut(read, root, at, entry.hash) : { wishes: [], whole: true }
    if (inner.whole) return [{ path: at, wish: { kind: 'nothing' } }]
    whole = false
    return inner.wishes
  })
  return { wishes, whole }
}
