import { join } from 'node:path'
import { checkConsent } from '../../app/consent.ts'
import { type Call, handler } from '../../app/handler.ts'
import { checkOutsideFolder } from '../../app/outside-folder.ts'
import { upkeepRoom } from '../../app/upkeep.ts'
import { captureRoom, findWorkspace, theWorkspace, theWorkspaceAgain } from '../../app/workspace-lookup.ts'
import { Fault } from '../../base/fault.ts'
import { outPath } from '../../base/quote.ts'
import { shellWord } from '../../base/shell-word.ts'
import { keepGit } from '../../git/keep.ts'
import { findKeep, partsOrNone } from '../../git/kept.ts'
import { gitNow, type Losses, type LostRef, lossesOf } from '../../git/losses.ts'
import { BEFORE_RESCUE, type Missing, missingIn, onlyNamed, type Proposal, proposalsFor } from '../../git/missing.ts'
import { rebuildGit, relink } from '../../git/rebuild.ts'
import { applyRescue, planRescue, type RescueDone } from '../../git/rescue.ts'
import { guarded } from '../../host/faults.ts'
import { lstat } from '../../host/files/fs.ts'
import { makeDirs } from '../../host/files/make-dirs.ts'
import { GitKeep, GitRescue, type Keep, type Rescued } from '../../protocol/git-rescue.ts'
import type { GitKeepRecord } from '../../records/git-keeps.ts'
import type { WorkspaceRecord } from '../../records/workspaces.ts'
import { freeSpace, removeKeeps } from '../../timeline/retention/prune.ts'
import { checkRealRoot } from '../../timeline/workspace/workspace.ts'

export const gitKeep = handler(GitKeep, async (call, input) => {
  const started = performance.now()
  const kept = await keepGit(captureRoom(call), theWorkspace(call, input), input.why)
  return {
    created: kept?.created ?? false,
    keep: kept ? told(kept.keep) : null,
    duration_ms: Math.round((performance.now() - started) * 10) / 10,
  }
})

export const gitRescue = handler(GitRescue, async (call, input) => {
  const workspace = findWorkspace(call, input)
  const keeps = call.house.records.gitKeeps.all(workspace.id)
  const answer = {
    total: keeps.length,
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
  if (input.git_id === undefined) {
    if (input.into !== undefined || input.restore_refs || input.only.length > 0)
      throw new Fault('BAD_INPUT', { problem: 'Say which kept state is to be brought back.', command: 'git-rescue' })
    return { ...answer, ...(await survey(call, keeps, input.limit)), rescued: null }
  }
  const keep = findKeep(keeps, input.git_id)
  const [shown] = await listed(call, [keep])
  const rescued = await rescue(call, workspace, keep, input)
  const problems = problemsOf(keep).map((problem) => `${keep.id} does not hold everything: ${problem}`)
  return { ...answer, keeps: shown ? [shown] : [], rescued, warnings: problems }
})

async function forgetAll(call: Call, keeps: readonly string[]): Promise<number> {
  const room = upkeepRoom(call)
  removeKeeps(room, keeps)
  const freed = await freeSpace(room)
  if (freed === undefined) throw new Fault('STORE_BUSY', { path: room.home })
  return Math.max(0, freed.bytesBefore - freed.bytesAfter)
}

interface Wish {
  readonly only: readonly string[]
  readonly into?: string | undefined
  readonly restore_refs: boolean
  readonly dry_run: boolean
}

async function rescue(call: Call, workspace: WorkspaceRecord, keep: GitKeepRecord, wish: Wish): Promise<Rescued> {
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
    if (!wish.dry_run) theWorkspaceAgain(call, { workspace: workspace.id })
    return await rebuild(call, keep, keep.common_dir, wish.dry_run, false)
  }
  const { link } = keep
  const relinked = link !== null && lstat(link.path) === undefined && (wish.dry_run || relink(keep))
  const back = await bringBack(call, workspace, keep, wish)
  return relinked && back.action === 'nothing' ? { ...back, action: 'rebuilt', git_dir: outPath(link.path) } : back
}

const refused = (why: string, command: string): Fault =>
  new Fault('GIT_RESCUE_REFUSED', { why, instead: `Make the repository in a folder of its own: ${command}` })

async function rebuild(
  call: Call,
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
  const made = await rebuildGit(call.house.store.reader, keep, target, elsewhere)
  if (!elsewhere) relink(keep)
  return {
    ...base,
    needs_fetch: made.needsFetch.map(({ name, id }) => ({ ref: outPath(name), id })),
    complete: made.complete,
  }
}

async function bringBack(call: Call, workspace: WorkspaceRecord, keep: GitKeepRecord, wish: Wish): Promise<Rescued> {
  const { reader } = call.house.store
  const now = await gitNow(keep)
  if (now === undefined)
    throw refused(
      `${outPath(keep.git_dir)} is there, but git cannot read it`,
      `timewarp git-rescue ${keep.id} --into DIR`,
    )
  const losses = asWished(await lossesOf(reader, keep, now), keep, wish)
  const plan = planRescue(keep.id, losses, wish.restore_refs)
  const isNothing = plan.create.length + plan.restore.length + plan.restash.length === 0
  if (isNothing) return nothing(keep)
  if (wish.dry_run) return done(keep, { created: plan.create, restored: plan.restore, restashed: plan.restash })
  const backup = wish.restore_refs ? await keepPresent(call, workspace, keep) : null
  return { ...done(keep, await applyRescue(reader, keep, plan)), backup_id: backup }
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

/** Whatever the settings say: what is about to be moved is kept, and durable, first. */
async function keepPresent(call: Call, record: WorkspaceRecord, keep: GitKeepRecord): Promise<string | null> {
  const workspace = call.house.workspace(record)
  const config = { ...workspace.config, git: { ...workspace.config.git, protect: true } }
  const kept = await keepGit(captureRoom(call), { ...workspace, config }, `${BEFORE_RESCUE} ${keep.id}`)
  const problem = kept && problemsOf(kept.keep)[0]
  if (problem !== undefined)
    throw refused(`the present state cannot be kept: ${problem}`, `timewarp git-rescue ${keep.id}`)
  call.house.store.sync()
  return kept?.keep.id ?? null
}

const nothing = (keep: GitKeepRecord): Rescued => ({
  git_id: keep.id,
  action: 'nothing',
  git_dir: outPath(keep.git_dir),
  created: [],
  restored: [],
  stashes_restored: [],
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

const lostRef = ({ name, ...rest }: LostRef) => ({ ref: outPath(name), ...rest })

interface Row {
  readonly keep: GitKeepRecord
  readonly losses: Losses | undefined
}

async function rowsOf(call: Call, keeps: readonly GitKeepRecord[]): Promise<Row[]> {
  const now = new Map<string, Awaited<ReturnType<typeof gitNow>>>()
  const rows: Row[] = []
  for (const keep of keeps) {
    if (!now.has(keep.git_dir)) now.set(keep.git_dir, await gitNow(keep))
    const losses = await partsOrNone(() => lossesOf(call.house.store.reader, keep, now.get(keep.git_dir)))
    rows.push({ keep, losses })
  }
  return rows
}

const rowText = ({ keep, losses }: Row) => ({ ...told(keep), lost: losses ? lostFields(losses) : null })

const listed = async (call: Call, keeps: readonly GitKeepRecord[]) => (await rowsOf(call, keeps)).map(rowText)

const DAY_MS = 86_400_000
const MOST_SEARCHED = 100

/** Lists the newest, and looks for what is missing in all of the last day: there may be many, and the newest may lack it, too. */
async function survey(call: Call, keeps: readonly GitKeepRecord[], limit: number) {
  const since = call.house.clock.now() - DAY_MS
  const searched = keeps.filter(({ created_at }, i) => i < limit || (i < MOST_SEARCHED && created_at > since))
  const rows = await rowsOf(call, searched)
  const states = rows.flatMap(({ keep, losses }) =>
    losses ? [{ id: keep.id, why: keep.why, losses, isWhole: problemsOf(keep).length === 0 }] : [],
  )
  const missing = missingIn(states)
  const proposals = proposalsFor(states, missing)
  const isShown = ({ keep }: Row, i: number): boolean => i < limit || proposals.some(({ state }) => state === keep.id)
  return {
    keeps: rows.filter(isShown).map(rowText),
    missing: missing.map(missingFields),
    proposals: proposals.map((one) => ({
      git_id: one.state,
      brings: one.brings.map(missingFields),
      command: commandOf(one),
    })),
  }
}

const missingFields = ({ what, name, state }: Missing) => ({ what, name: outPath(name), git_id: state })

function commandOf({ state, brings, only }: Proposal): string {
  const moves = brings.some(({ what }) => what === 'ref' || what === 'stash')
  const words = only.flatMap((name) => ['--only', shellWord(name)])
  return ['timewarp git-rescue', state, ...(moves ? ['--restore-refs'] : []), ...words].join(' ')
}

const lostFields = ({ gone, refs, stashes, commits }: Losses) => ({
  git_dir_gone: gone,
  refs: refs.map(lostRef),
  stashes: stashes.map(({ id, message, object }) => ({ id, message: message.toWellFormed(), object })),
  commits: [...commits],
})

const problemsOf = ({ repositories, warnings }: GitKeepRecord): string[] => [
  ...repositories.flatMap(({ path, problem }) =>
    problem === null ? [] : [path === '' ? problem : `${path}: ${problem}`],
  ),
  ...warnings,
]

function told(keep: GitKeepRecord): Keep {
  const [own] = keep.repositories
  return {
    git_id: keep.id,
    created_at: new Date(keep.created_at).toISOString(),
    why: keep.why,
    git_dir: outPath(keep.git_dir),
    head: own?.head ?? null,
    branch: own?.branch === null || own === undefined ? null : outPath(own.branch),
    refs: own?.refs ?? 0,
    stashes: own?.stashes ?? 0,
    submodules: keep.repositories.length - 1,
    bytes: keep.repositories.reduce((sum, { bytes }) => sum + bytes, 0),
    stored_bytes: keep.stored_bytes,
    problems: problemsOf(keep),
  }
}
