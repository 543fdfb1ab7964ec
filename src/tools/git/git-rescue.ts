import { join } from 'node:path'
import { checkConsent } from '../../app/consent.ts'
import { handler, type ToolCall } from '../../app/handler.ts'
import { checkOutsideFolder } from '../../app/outside-folder.ts'
import { maintenanceContext } from '../../app/upkeep.ts'
import { captureContext, findWorkspace, recreateWorkspace, requireWorkspace } from '../../app/workspace-lookup.ts'
import { Fault } from '../../base/fault.ts'
import { outPath } from '../../base/quote.ts'
import { isHit } from '../../git/deeds.ts'
import { keepGit } from '../../git/keep.ts'
import { findKeep } from '../../git/kept.ts'
import { gitNow, type Losses, lossesOf } from '../../git/losses.ts'
import { BEFORE_RESCUE, onlyNamed } from '../../git/missing.ts'
import { rebuildGit, relink } from '../../git/rebuild.ts'
import { applyHit, applyRescue, checkHitLocks, checkLocks, planRescue, type RescueDone } from '../../git/rescue.ts'
import { guarded } from '../../host/faults.ts'
import { lstat } from '../../host/files/fs.ts'
import { makeDirs } from '../../host/files/make-dirs.ts'
import { GitKeep, GitRescue, type Rescued } from '../../protocol/git-rescue.ts'
import type { GitKeepRecord } from '../../records/git-keeps.ts'
import type { WorkspaceRecord } from '../../records/workspaces.ts'
import { freeSpace, removeKeeps } from '../../timeline/retention/prune.ts'
import { checkRealRoot } from '../../timeline/workspace/workspace.ts'
import { hitNamed, toldLeft } from './git-hits.ts'
import { listed, lostRef, problemsOf, survey, told } from './git-survey.ts'

export const gitKeep = handler(GitKeep, async (call, input) => {
  const started = performance.now()
  const kept = await keepGit(captureContext(call), requireWorkspace(call, input), input.why)
  return {
    created: kept?.created ?? false,
    keep: kept ? told(kept.keep) : null,
    duration_ms: Math.round((performance.now() - started) * 10) / 10,
  }
})

export const gitRescue = handler(GitRescue, async (call, input) => {
  const workspace = findWorkspace(call, input)
  const keeps = call.app.records.gitKeeps.all(workspace.id)
  const answer = {
    total: keeps.length,
    hits: [],
    missing: [],
    proposals: [],
    forgotten: [],
    freed_bytes: 0,
    warnings: [],
    dry_run: input.dry_run,
  }
  if (input.forget_all) {
    const plan = { ...answer, keeps: [], rescued: null, forgotten: keeps.map(({ id }) => id) }
    if (input.dry_run || keeps.length === 0) return plan
    checkConsent(GitRescue, input, { ...plan, dry_run: true })
    return { ...plan, freed_bytes: await forgetAll(call, plan.forgotten) }
  }
  if (input.of !== undefined) {
    if (input.git_id !== undefined || input.into !== undefined || input.only.length > 0)
      throw new Fault('BAD_INPUT', {
        problem: 'What --of names is taken back from the state before it, alone.',
        command: 'git-rescue',
      })
    return { ...answer, keeps: [], rescued: await takeBack(call, workspace, keeps, input.of, input.dry_run) }
  }
  if (input.git_id === undefined) {
    if (input.into !== undefined || input.restore_refs || input.only.length > 0)
      throw new Fault('BAD_INPUT', { problem: 'Say which kept state is to be brought back.', command: 'git-rescue' })
    return { ...answer, ...(await survey(call, workspace, keeps, input.limit)), rescued: null }
  }
  const keep = findKeep(keeps, input.git_id)
  const [shown] = await listed(call, [keep])
  const rescued = await rescue(call, workspace, keep, input)
  const problems = problemsOf(keep).map((problem) => `${keep.id} does not hold everything: ${problem}`)
  return { ...answer, keeps: shown ? [shown] : [], rescued, warnings: problems }
})

async function forgetAll(call: ToolCall, keeps: readonly string[]): Promise<number> {
  const ctx = maintenanceContext(call)
  removeKeeps(ctx, keeps)
  const freed = await freeSpace(ctx)
  if (freed === undefined) throw new Fault('STORE_BUSY', { path: ctx.home })
  return Math.max(0, freed.bytesBefore - freed.bytesAfter)
}

interface Wish {
  readonly only: readonly string[]
  readonly into?: string | undefined
  readonly restore_refs: boolean
  readonly dry_run: boolean
}

async function rescue(call: ToolCall, workspace: WorkspaceRecord, keep: GitKeepRecord, wish: Wish): Promise<Rescued> {
  if (wish.into !== undefined) {
    const folder = checkOutsideFolder(call, wish.into)
    return await rebuild(call, keep, join(folder, '.git'), wish.dry_run, true)
  }
  checkRealRoot(workspace.root)
  if (lstat(keep.common_dir) === undefined) {
    if (!keep.common_dir.startsWith(`${workspace.root}/`))
      throw refused(
        `${outPath(keep.common_dir)} lies outside the workspace`,
        `timewarp git-rescue ${keep.id} --into DIR`,
      )
    if (!wish.dry_run) recreateWorkspace(call, { workspace: workspace.id })
    return await rebuild(call, keep, keep.common_dir, wish.dry_run, false)
  }
  const { link } = keep
  const relinked = link !== null && lstat(link.path) === undefined && (wish.dry_run || relink(keep))
  if (relinked && wish.dry_run) return { ...nothing(keep), action: 'rebuilt', git_dir: outPath(link.path) }
  const back = await bringBack(call, workspace, keep, wish)
  return relinked && back.action === 'nothing' ? { ...back, action: 'rebuilt', git_dir: outPath(link.path) } : back
}

/** Reverts only what a prompt did to git, and only where nothing else has changed it since. */
async function takeBack(
  call: ToolCall,
  workspace: WorkspaceRecord,
  keeps: readonly GitKeepRecord[],
  what: string,
  dry_run: boolean,
): Promise<Rescued> {
  checkRealRoot(workspace.root)
  const hit = await hitNamed(call, keeps, what)
  const [newest] = keeps
  if (hit === undefined)
    throw new Fault('GIT_RESCUE_REFUSED', {
      why: 'the git folder is gone',
      instead: `Bring it back first: timewarp git-rescue ${newest?.id ?? ''}`,
    })
  const left = hit.left.map(toldLeft)
  if (!isHit(hit)) return { ...nothing(hit.before), left }
  checkHitLocks(hit)
  const planned = { created: [], restored: hit.refs, restashed: hit.stashes }
  const index = ({ same: 'same', lost: 'restored', changed: 'left' } as const)[hit.index]
  const more = { left, head: hit.head && { was: outPath(hit.head.was), now: outPath(hit.head.now) } }
  if (dry_run) return { ...done(hit.before, planned), ...more, index }
  const backup = await keepPresent(call, workspace, hit.before)
  const made = await applyHit(call.app.store.reader, hit)
  if (backup) call.app.records.gitKeeps.replace(backup)
  return { ...done(hit.before, made), ...more, index: made.index, backup_id: backup }
}

const refused = (why: string, command: string): Fault =>
  new Fault('GIT_RESCUE_REFUSED', { why, instead: `Make the repository in a folder of its own: ${command}` })

async function rebuild(
  call: ToolCall,
  keep: GitKeepRecord,
  target: string,
  dry_run: boolean,
  elsewhere: boolean,
): Promise<Rescued> {
  if (lstat(target) !== undefined)
    throw refused(`${outPath(target)} is there already`, `timewarp git-rescue ${keep.id} --into DIR`)
  const base = { ...nothing(keep), action: 'rebuilt' as const, git_dir: outPath(target) }
  if (dry_run) return base
  guarded(target, () => makeDirs(join(target, '..')))
  const made = await rebuildGit(call.app.store.reader, keep, target, elsewhere)
  if (!elsewhere) relink(keep)
  return {
    ...base,
    needs_fetch: made.needsFetch.map(({ name, id }) => ({ ref: outPath(name), id })),
    complete: made.complete,
  }
}

async function bringBack(
  call: ToolCall,
  workspace: WorkspaceRecord,
  keep: GitKeepRecord,
  wish: Wish,
): Promise<Rescued> {
  const { reader } = call.app.store
  const now = await gitNow(keep)
  if (now === undefined)
    throw refused(
      `${outPath(keep.git_dir)} is there, but git cannot read it`,
      `timewarp git-rescue ${keep.id} --into DIR`,
    )
  const losses = asWished(await lossesOf(reader, keep, now), keep, wish)
  const plan = planRescue(keep.id, losses, wish.restore_refs)
  checkLocks(keep, [...plan.restore.map(({ name }) => name), ...(plan.restash.length > 0 ? ['refs/stash'] : [])])
  const isNothing = plan.create.length + plan.restore.length + plan.restash.length === 0
  if (isNothing) return nothing(keep)
  if (wish.dry_run) return done(keep, { created: plan.create, restored: plan.restore, restashed: plan.restash })
  const backup = wish.restore_refs ? await keepPresent(call, workspace, keep) : null
  const made = await applyRescue(reader, keep, plan)
  if (backup) call.app.records.gitKeeps.replace(backup)
  return { ...done(keep, made), index: 'untouched', backup_id: backup }
}

function asWished(all: Losses, { id }: GitKeepRecord, { only }: Wish): Losses {
  if (only.length === 0) return all
  const { losses, unknown } = onlyNamed(all, only)
  if (unknown.length > 0)
    throw new Fault('BAD_INPUT', {
      problem: `Nothing of ${id} that is lost is called ${unknown.join(', ')}.`,
      command: 'git-rescue',
    })
  return losses
}

/** Keeps the present state and makes it durable before anything is moved, whatever the settings say. */
async function keepPresent(call: ToolCall, record: WorkspaceRecord, keep: GitKeepRecord): Promise<string | null> {
  const workspace = call.app.workspace(record)
  const config = { ...workspace.config, git: { ...workspace.config.git, protect: true } }
  const kept = await keepGit(captureContext(call), { ...workspace, config }, `${BEFORE_RESCUE} ${keep.id}`)
  const problem = kept && problemsOf(kept.keep)[0]
  if (problem !== undefined)
    throw refused(`the present state cannot be kept: ${problem}`, `timewarp git-rescue ${keep.id}`)
  call.app.store.sync()
  return kept?.keep.id ?? null
}

const nothing = (keep: GitKeepRecord): Rescued => ({
  git_id: keep.id,
  action: 'nothing',
  git_dir: outPath(keep.git_dir),
  created: [],
  restored: [],
  stashes_restored: [],
  head: null,
  index: 'same',
  left: [],
  unavailable: [],
  needs_fetch: [],
  complete: true,
  backup_id: null,
})

const done = (keep: GitKeepRecord, it: Omit<RescueDone, 'unavailable'> & Partial<RescueDone>): Rescued => ({
  ...nothing(keep),
  action: 'refs',
  created: it.created.map(({ name, id, was }) => ({ ref: outPath(name), id, was: outPath(was) })),
  restored: it.restored.map(lostRef),
  stashes_restored: it.restashed.map(({ id }) => id),
  unavailable: [...(it.unavailable ?? [])],
  complete: (it.unavailable ?? []).length === 0,
})
