import { join } from 'node:path'
import { checkConsent } from '../app/consent.ts'
import { handler, type ToolCall } from '../app/handler.ts'
import { checkOutsideFolder, outsideFolder } from '../app/outside-folder.ts'
import { writeDown } from '../app/record-note.ts'
import { maintenanceContext } from '../app/upkeep.ts'
import { findSnapshot, findSnapshotWithContent, findWorkspace } from '../app/workspace-lookup.ts'
import { Fault } from '../base/fault.ts'
import { outPath } from '../base/quote.ts'
import { count } from '../base/text.ts'
import { Rules } from '../config/rules.ts'
import { resolveSettings } from '../config/settings.ts'
import { lstat, readNames } from '../host/files/fs.ts'
import {
  Forget,
  Fsck,
  Gc,
  Label,
  Mirror,
  Pin,
  Prune,
  type StoreProblem,
  StoreStats,
  Unpin,
} from '../protocol/keeping.ts'
import { isGlob, parseRelPath, type RelPath } from '../schema/path.ts'
import { type Checked, check } from '../timeline/integrity/check.ts'
import type { MaintenanceContext } from '../timeline/integrity/context.ts'
import { isMirror, mirrorBack, mirrorTo } from '../timeline/integrity/mirror.ts'
import { rebuild } from '../timeline/integrity/rebuild.ts'
import { repair } from '../timeline/integrity/repair.ts'
import { unrecorded } from '../timeline/integrity/unrecorded.ts'
import { finishPurge, isEverything, nearestPath, planForget, forget as purge } from '../timeline/retention/forget.ts'
import { prune as carryOut, freeSpace, mergeSmall, retentionOf, undisturbed } from '../timeline/retention/prune.ts'
import { leadsThroughLink, openWorkspace } from '../timeline/workspace/workspace.ts'
import { setPin } from './set-pin.ts'

export const pin = handler(Pin, async (call, input) => {
  const snapshot = findSnapshotWithContent(call, input, input.snapshot_id)
  if (!snapshot.pinned) setPin(call, snapshot.id, true)
  return { snapshot_id: snapshot.id, pinned: true, already: snapshot.pinned }
})

export const unpin = handler(Unpin, async (call, input) => {
  const snapshot = findSnapshot(call, input, input.snapshot_id)
  if (snapshot.pinned) setPin(call, snapshot.id, false)
  return { snapshot_id: snapshot.id, pinned: false, already: !snapshot.pinned }
})

export const label = handler(Label, async (call, input) => {
  const snapshot = findSnapshot(call, input, input.snapshot_id)
  const next = input.label === '' ? null : input.label
  writeDown(call, () => {
    call.app.records.snapshots.setLabel(snapshot.id, next)
    return { note: 'label', id: snapshot.id, label: next, at: call.app.clock.now() }
  })
  return { snapshot_id: snapshot.id, label: next, before: snapshot.label }
})

export const prune = handler(Prune, async (call, input) => {
  call.app.makeRoom()
  const workspace = findWorkspace(call, input)
  const ctx = maintenanceContext(call)
  const { config, problems } = resolveSettings(ctx.home, workspace.root)
  // With a policy that is known only in part, snapshots could be deleted that the user wants to keep.
  const [problem] = problems
  if (problem !== undefined && !input.dry_run) throw new Fault('RETENTION_UNKNOWN', { problem })
  const { retention } = config
  const plan = input.dry_run ? retentionOf(ctx, workspace.id, retention) : carryOut(ctx, workspace.id, retention)
  const freed = input.dry_run || !input.gc ? undefined : await freeSpace(ctx)
  return {
    kept: plan.kept.map(({ id, reason }) => ({ snapshot_id: id, reason })),
    removed: [...plan.removed],
    dropped: [...plan.dropped],
    freed_bytes: freed ? Math.max(0, freed.bytesBefore - freed.bytesAfter) : 0,
    dry_run: input.dry_run,
  }
})

export const gc = handler(Gc, async (call, input) => {
  call.app.makeRoom()
  const done = await (input.merge_only ? mergeSmall : freeSpace)(maintenanceContext(call))
  if (done === undefined) throw new Fault('STORE_BUSY', { path: call.app.home })
  return {
    objects_removed: done.objectsRemoved,
    packs_before: done.packsBefore,
    packs_after: done.packsAfter,
    bytes_before: done.bytesBefore,
    bytes_after: done.bytesAfter,
    freed_bytes: Math.max(0, done.bytesBefore - done.bytesAfter),
    warnings: done.lostPacks > 0 ? [BEHIND] : [],
  }
})

const BEHIND =
  'the packs hold snapshots that the records have lost, so nothing was removed; bring them back with: timewarp fsck --rebuild'

export const fsck = handler(Fsck, async (call, input) => {
  if (input.rebuild) call.app.openForRebuild()
  const ctx = maintenanceContext(call)
  const from = input.from === undefined ? undefined : mirrorAt(call, input.from)
  const told = (done: number, total: number): void => call.progress('Reading back', done, total)
  const found = await undisturbed(ctx, 'fsck', () => {
    if (input.rebuild) rebuild(ctx, told)
    const first = check(ctx, told)
    return input.repair && first.problems.length > 0 ? repairAndCheck(ctx, first, from, told) : first
  })
  if (found === undefined) throw new Fault('STORE_BUSY', { path: call.app.home })
  return { ok: found.problems.every(({ repaired }) => repaired), ...found, rebuilt: input.rebuild }
})

/** Repairs and checks again: a problem that is gone counts as repaired, the others stay in the report. */
function repairAndCheck(
  ctx: MaintenanceContext,
  before: Checked,
  mirror: string | undefined,
  told: Parameters<typeof check>[1],
): Checked {
  repair(ctx, before.problems, mirror)
  const after = check(ctx, told)
  const left = new Set(after.problems.map(nameOf))
  const repaired = before.problems
    .filter((problem) => !left.has(nameOf(problem)))
    .map((problem) => ({ ...problem, repaired: true }))
  return { ...after, problems: [...repaired, ...after.problems] }
}

const nameOf = ({ code, object, message }: StoreProblem): string => `${code} ${object ?? message}`

function mirrorAt(call: ToolCall, dir: string): string {
  const at = outsideFolder(call, dir)
  if (!lstat(join(at, 'objects'))?.isDirectory())
    throw new Fault('MIRROR_BAD', { dir: at, problem: 'it is not a mirror' })
  return at
}

export const stats = handler(StoreStats, async (call) => {
  const { app } = call
  const totals = app.store.index.totals()
  const workspaces = app.records.workspaces.all().map(({ id, root }) => {
    const all = app.records.snapshots.all(id)
    const newest = all.at(-1)
    return {
      workspace_id: id,
      root,
      present: lstat(root)?.isDirectory() ?? false,
      snapshots: all.length,
      pinned: all.filter(({ pinned }) => pinned).length,
      newest: newest?.id ?? null,
      files: newest?.files ?? 0,
      bytes: newest?.bytes ?? 0,
      stored_bytes: all.reduce((sum, { stored_bytes }) => sum + stored_bytes, 0),
      all_bytes: all.filter(({ content }) => content).reduce((sum, { bytes }) => sum + bytes, 0),
    }
  })
  const logical = workspaces.reduce((sum, { all_bytes }) => sum + all_bytes, 0)
  return {
    home: app.home,
    disk_bytes: diskBytes(app.home),
    packs: totals.packs,
    objects: totals.objects,
    object_bytes: totals.raw,
    compression_ratio: totals.stored === 0 ? 1 : totals.raw / totals.stored,
    dedup_ratio: totals.raw === 0 ? 1 : logical / totals.raw,
    workspaces: workspaces.map(({ all_bytes: _all, ...workspace }) => workspace),
  }
})

function diskBytes(dir: string): number {
  return readNames(dir).reduce((sum, name) => {
    const stat = lstat(join(dir, name))
    return sum + (stat?.isDirectory() ? diskBytes(join(dir, name)) : (stat?.blocks ?? 0) * 512)
  }, 0)
}

export const forget = handler(Forget, async (call, input) => {
  if (!input.dry_run) call.app.makeRoom()
  const record = findWorkspace(call, input)
  const ctx = maintenanceContext(call)
  const { pattern } = input
  const lost = unrecorded(ctx).length
  if (lost > 0) throw new Fault('RECORDS_BEHIND', { snapshots: lost })
  const plan = planForget(ctx, record.id, pattern)
  if (plan.paths.length === 0) throw await nothingToForget(ctx, record.id, pattern, input.dry_run)
  const would = {
    pattern,
    paths: plan.paths.map(outPath),
    snapshots: plan.snapshots.map(({ id }) => id),
    objects_purged: plan.purged.size,
    still_held: plan.stillHeld.map(outPath),
    freed_bytes: [...plan.purged.values()].reduce((sum, bytes) => sum + bytes, 0),
    dry_run: true,
    warnings: [...stillCaptured(call, record, plan.paths, pattern), ...keptByGit(call, record.id)],
  }
  if (input.dry_run) return would
  if (isEverything(pattern) && !input.everything) throw new Fault('FORGETS_EVERYTHING', { pattern, root: record.root })
  checkConsent(Forget, input, would)
  const done = await purge(ctx, plan)
  const later = done.complete ? [] : ['packs that are being written now are purged by the next gc']
  return {
    ...would,
    objects_purged: done.purged,
    freed_bytes: done.freed,
    dry_run: false,
    warnings: [...would.warnings, ...later],
  }
})

/**
 * A user who wants to forget a secret must learn that nothing was forgotten. A purge that a crash interrupted is
 * finished here.
 */
async function nothingToForget(
  ctx: MaintenanceContext,
  workspace: string,
  pattern: string,
  dryRun: boolean,
): Promise<Fault> {
  const finished = ctx.store.index.purgePending && !dryRun
  if (finished) await finishPurge(ctx)
  const near = nearestPath(ctx, workspace, pattern)
  return new Fault('NOTHING_TO_FORGET', {
    pattern,
    ...(near === undefined ? {} : { nearest: outPath(near) }),
    ...(finished ? { finished } : {}),
    git_keeps: ctx.records.gitKeeps.all(workspace).length,
  })
}

/** Contents that were committed or staged may also be among the kept objects of git. */
function keptByGit({ app }: ToolCall, workspace: string): string[] {
  const kept = app.records.gitKeeps.all(workspace).length
  if (kept === 0) return []
  return [
    `what git holds is kept apart; purge that, too, with: timewarp git-rescue --forget-all (${count(kept, 'kept state')})`,
  ]
}

/** Forgetting does not touch the file itself: unless a rule excludes it, the next snapshot captures it again. */
function stillCaptured(
  call: ToolCall,
  record: Parameters<typeof openWorkspace>[0],
  paths: readonly RelPath[],
  pattern: string,
): string[] {
  if (!lstat(record.root)?.isDirectory() || leadsThroughLink(record.root)) return []
  const rules = new Rules(openWorkspace(record, call.app.home).rules)
  const there = paths.filter((path) => lstat(`${record.root}/${path}`)?.isFile() && !rules.excludesDeep(path, false))
  if (there.length === 0) return []
  return [
    `${there.map(outPath).slice(0, 3).join(', ')} will be captured again unless excluded: add "${ignoring(pattern)}" to .timewarpignore, then run: timewarp trust`,
  ]
}

/** The line of .timewarpignore that excludes what the pattern matches: it is anchored at the root and has no "./". */
const ignoring = (pattern: string): string => (isGlob(pattern) ? pattern : `/${outPath(parseRelPath(pattern))}`)

export const mirror = handler(Mirror, async (call, input) => {
  const dir = input.back ? outsideFolder(call, input.dir) : checkOutsideFolder(call, input.dir)
  // Restoring from a mirror is needed above all when the store is lost, so the store may be created here.
  if (input.back && isMirror(dir)) call.app.begin()
  const ctx = maintenanceContext(call)
  const told = (done: number, total: number): void =>
    call.progress(input.back ? 'Bringing back' : 'Mirroring', done, total)
  ctx.store.sync()
  const done = await undisturbed(ctx, 'mirror', () =>
    input.back ? mirrorBack(ctx, dir, told) : mirrorTo(ctx, dir, input.verify, told),
  )
  if (done === undefined) throw new Fault('STORE_BUSY', { path: call.app.home })
  return {
    dir,
    copied_packs: done.packs,
    copied_bytes: done.bytes,
    removed_packs: done.removed,
    snapshots: done.snapshots,
    verified: true,
    back: input.back,
  }
})
