import { join } from 'node:path'
import type { App } from '../app/app.ts'
import { checkConsent } from '../app/consent.ts'
import { handler, type ToolCall } from '../app/handler.ts'
import { recoverFirst } from '../app/recovery.ts'
import {
  captureContext,
  findWorkspace,
  firstCapture,
  makeWorkspace,
  requireWorkspace,
} from '../app/workspace-lookup.ts'
import { outPath } from '../base/quote.ts'
import { lstat, removeAll } from '../host/files/fs.ts'
import { removeTree } from '../host/files/remove-tree.ts'
import { Status, Uninstall, WorkspaceInit, WorkspaceList } from '../protocol/setup.ts'
import { holderName } from '../records/leases.ts'
import {
  statusOf as changeStatus,
  compareTrees,
  isChange,
  type ReadTree,
  type TreeDifference,
} from '../store/compare-trees.ts'
import { KIND } from '../store/tree.ts'
import { capture, leaseName } from '../timeline/capture/capture.ts'
import { leftOutNow, leftOutWarnings } from '../timeline/capture/left-out.ts'
import { preview } from '../timeline/capture/preview.ts'
import { Trees } from '../timeline/capture/trees.ts'
import { retentionText } from '../timeline/retention/retention-plan.ts'
import { inFolders, OWN } from '../timeline/workspace/own-folders.ts'
import { leadsThroughLink, openWorkspace, realFolder, type Workspace } from '../timeline/workspace/workspace.ts'
import { GIT_LATER, keepGitAtOnce } from './git/keep-git.ts'
import { listLeftOut } from './left-out-listing.ts'
import { concern, standing } from './travel/standing.ts'

export const workspaceInit = handler(WorkspaceInit, async (call, input) => {
  const root = realFolder(input.workspace ?? call.cwd, call.cwd)
  const known = call.app.exists ? call.app.records.workspaces.at(root) : undefined
  const workspace = known ? openWorkspace(known, call.app.home) : makeWorkspace(call, root)
  const base = { workspace_id: workspace.id, root, already: known !== undefined }
  const retention = retentionText(workspace.config.retention)
  if (!input.snapshot) {
    const nothing = { snapshot_id: null, files: 0, left_out: [], git: GIT_LATER }
    return { ...base, ...nothing, retention, warnings: [...workspace.warnings] }
  }
  const git = await keepGitAtOnce(call, workspace)
  const recovered = await recoverFirst(call, workspace)
  const taking = capture(captureContext(call), workspace, {
    source: 'manual',
    label: input.label,
    cause: { role: 'change', ...(input.session_id ? { session_id: input.session_id } : {}) },
  })
  const captured = await firstCapture(known === undefined, root, taking)
  return {
    ...base,
    git,
    retention,
    snapshot_id: captured.snapshot.id,
    files: captured.assembled.files,
    left_out: listLeftOut(call.app.home, workspace, captured.assembled),
    warnings: [...recovered, ...captured.warnings],
  }
})

export const status = handler(Status, async (call, input) => {
  const record = findWorkspace(call, input)
  // In a folder that was deleted, the status says that all of it is gone, and how to restore it.
  if (lstat(record.root) === undefined) return statusOfGone(call, record)
  const workspace = requireWorkspace(call, input)
  const recovered = await recoverFirst(call, workspace)
  const { assembled, trees } = await preview(captureContext(call), workspace)
  const all = changesSince(call, workspace, trees.read, assembled.tree)
  const leftOut = new Set(all.filter(leftOutNow(workspace)))
  return {
    ...statusOf(
      call,
      workspace,
      all.filter((difference) => !leftOut.has(difference)),
    ),
    excluded: listLeftOut(call.app.home, workspace, assembled),
    skipped: assembled.skipped.map(({ path, reason }) => ({ path: outPath(path), reason })),
    warnings: [
      ...noCaptures(call.app),
      ...recovered,
      ...concern(call, workspace),
      ...workspace.warnings,
      ...leftOutWarnings([...leftOut]),
    ],
  }
})

type Known = Pick<Workspace, 'id' | 'root'>

const statusOfGone = (call: ToolCall, workspace: Known) => ({
  ...statusOf(call, workspace, changesSince(call, workspace, new Trees(call.app.store.reader).read, undefined)),
  excluded: [],
  skipped: [],
  warnings: [`${workspace.root} is gone; bring it back with: timewarp oops`, ...noCaptures(call.app)],
})

const changesSince = (
  { app }: ToolCall,
  { id }: Known,
  read: ReadTree,
  tree: Uint8Array | undefined,
): TreeDifference[] => [...compareTrees(read, app.records.snapshots.newest(id)?.tree, tree)].filter(isChange)

/** The recorded facts about a workspace, apart from the scan. */
function statusOf(call: ToolCall, workspace: Known, differences: readonly TreeDifference[]) {
  const { app } = call
  const newest = app.records.snapshots.newest(workspace.id)
  const files = differences.filter(({ old: a, new: b }) => (b ?? a)?.kind !== KIND.directory)
  const tally = (wanted: string): number => files.filter((difference) => changeStatus(difference) === wanted).length
  const lease = app.records.leases.holder(leaseName(workspace.id))
  return {
    workspace_id: workspace.id,
    root: workspace.root,
    home: app.home,
    ...standing(call, workspace),
    newest: newest
      ? { snapshot_id: newest.id, created_at: new Date(newest.created_at).toISOString(), label: newest.label }
      : null,
    snapshots: app.records.snapshots.count(workspace.id),
    changed: {
      added: tally('added'),
      modified: tally('modified'),
      deleted: tally('deleted'),
      paths: differences.slice(0, 100).map(({ path }) => outPath(path)),
    },
    git: newestKeep(app, workspace.id),
    busy: lease
      ? { holder: holderName(lease), purpose: lease.purpose, since: new Date(lease.since).toISOString() }
      : null,
    watch: watchOf(app, workspace.id),
    gaps: gapsOf(app, workspace.id),
  }
}

/** Without this warning, a store that cannot be written to would look like a workspace without changes. */
const noCaptures = ({ refusal }: App): string[] =>
  refusal === undefined ? [] : [`nothing is captured: ${refusal.message}`]

const GAPS = { shown: 50, withinMs: 24 * 3_600_000 }

function gapsOf({ records, clock }: App, workspace: string) {
  const lately = records.gaps.list(workspace, GAPS.shown).filter(({ at }) => at > clock.now() - GAPS.withinMs)
  return lately.map(({ at, session_id, tool, reason }) => ({
    at: new Date(at).toISOString(),
    session_id,
    tool,
    reason,
  }))
}

function newestKeep({ records }: App, workspace: string) {
  const kept = records.gitKeeps.newest(workspace)?.keep
  return kept ? { git_id: kept.id, created_at: new Date(kept.created_at).toISOString(), why: kept.why } : null
}

function watchOf(app: App, workspace: string) {
  const sight = app.live?.sightOf(workspace)
  if (sight === undefined) return null
  const { reason, folders, drifting } = sight
  return { sight: sight.sight, reason, folders, drifting: drifting.map((path) => outPath(path)) }
}

export const workspaceList = handler(WorkspaceList, async (call) => ({
  workspaces: call.app.records.workspaces.all().map(({ id, root, created_at }) => ({
    workspace_id: id,
    root,
    created_at: new Date(created_at).toISOString(),
    present: lstat(root)?.isDirectory() ?? false,
  })),
}))

/** Removes what Timewarp put into workspaces and, if asked, the store. */
export const uninstall = handler(Uninstall, async (call, input) => {
  const { home } = call.app
  const roots = call.app.records.workspaces
    .all()
    .map(({ root }) => root)
    .filter((root) => !leadsThroughLink(root) && lstat(join(root, OWN)) !== undefined)
  const removed = [...roots.map((root) => join(root, OWN)), ...(input.store ? [home] : [])]
  if (!input.dry_run) {
    if (input.store) checkConsent(Uninstall, input, { removed, kept: [], dry_run: true })
    if (input.store) call.app.close()
    for (const root of roots) inFolders(root, (folders) => removeTree(folders, OWN))
    if (input.store) removeAll(home)
  }
  return { removed, kept: input.store ? [] : [home], dry_run: input.dry_run }
})
