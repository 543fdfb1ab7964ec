import { join } from 'node:path'
import { Fault } from '../base/fault.ts'
import { lstat } from '../host/files/fs.ts'
import type { GitKeepRecord } from '../records/git-keeps.ts'
import type { ObjectReader } from '../store/object-reader.ts'
import { askGit, type GitDir, headsOf, inputOf, parseRefs, present, type Ref, refsListing } from './ask-git.ts'
import { type GitHit, pathOf } from './deeds.ts'
import { KeptParts } from './kept.ts'
import type { Losses, LostRef, LostStash } from './losses.ts'
import { importPacks } from './rebuild.ts'
import { idsOf, replaceIndex, stagedIn } from './staged.ts'

/** Restores what a repository has lost, under new refs; existing refs are moved only on request. */

export interface RescuePlan {
  /** New refs that lead to what was lost. */
  readonly create: readonly RescueRef[]
  /** Refs that are themselves moved back, on request. */
  readonly restore: readonly LostRef[]
  /** The oldest first: each is pushed on top of the stashes. */
  readonly restash: readonly LostStash[]
  /** Whether the repository lacks objects that are kept. */
  readonly importing: boolean
}

interface RescueRef extends Ref {
  /** The name that it had. */
  readonly was: string
}

const MOST_COMMITS = 200
const IN_REFLOG = 'a commit in a reflog'

const rescueFolder = (id: string): string => `refs/timewarp/rescue/${id}`

/** Pure: the steps that restore some losses. */
export function planRescue(id: string, losses: Losses, restoreRefs: boolean): RescuePlan {
  const folder = rescueFolder(id)
  const refs = losses.refs.map((ref) => ({
    name: `${folder}/${ref.name.replace(/^refs\//, () => '')}`,
    id: ref.id,
    was: ref.name,
  }))
  const stashes = losses.stashes.map((stash, i) => ({
    name: `${folder}/stashes/${i}`,
    id: stash.id,
    was: `stash: ${stash.message}`,
  }))
  const commits = losses.commits.slice(0, MOST_COMMITS).map((commit) => ({
    name: `${folder}/commits/${commit.slice(0, 12)}`,
    id: commit,
    was: IN_REFLOG,
  }))
  return {
    create: [...(restoreRefs ? [] : [...refs, ...stashes]), ...commits],
    restore: restoreRefs ? losses.refs : [],
    restash: restoreRefs ? losses.stashes.toReversed() : [],
    importing:
      losses.commits.length > 0 || [...losses.refs, ...losses.stashes].some(({ object }) => object === 'missing'),
  }
}

export interface RescueDone {
  readonly created: readonly RescueRef[]
  readonly restored: readonly LostRef[]
  readonly restashed: readonly LostStash[]
  /** Objects that were not kept and no longer exist. */
  readonly unavailable: readonly string[]
}

/** Faults when a lock file exists, held by a running git or left by a dead one, before anything is moved. */
export function checkLocks(keep: GitKeepRecord, refs: readonly string[], own: readonly string[] = []): void {
  const shared = refs.length > 0 ? ['packed-refs', ...refs] : []
  // Git locks HEAD as well when it moves the branch that HEAD is on.
  const alone = refs.length > 0 ? ['HEAD', ...own] : own
  const paths = [...shared.map((name) => join(keep.common_dir, name)), ...alone.map((name) => join(keep.git_dir, name))]
  const lock = paths.map((path) => `${path}.lock`).find((path) => lstat(path) !== undefined)
  if (lock !== undefined) throw new Fault('GIT_LOCKED', { path: lock })
}

export const checkHitLocks = (hit: GitHit): void =>
  checkLocks(
    hit.before,
    [...hit.refs.map(({ name }) => name), ...(hit.stashes.length > 0 ? ['refs/stash'] : [])],
    [...(hit.head ? ['HEAD'] : []), ...(hit.index === 'lost' ? ['index'] : [])],
  )

/** Whether the index was restored, or could not be. */
type IndexDone = 'same' | 'restored' | 'left'

/**
 * Reverts what a deed did to git: refs, stashes, HEAD, and the index that belongs to them. Each step is done completely
 * or not at all. After an interruption it can be called again: what is restored is no longer lost.
 */
export async function applyHit(reader: ObjectReader, hit: GitHit): Promise<RescueDone & { index: IndexDone }> {
  const { before, refs, stashes, head, index } = hit
  const losses: Losses = { gone: false, refs, stashes, commits: [] }
  const done = await applyRescue(reader, before, planRescue(before.id, losses, true))
  if (head) await putHeadBack(before.git_dir, head.was, before.id)
  return {
    ...done,
    index: index === 'lost' ? await putIndexBack(reader, before) : index === 'changed' ? 'left' : 'same',
  }
}

async function putHeadBack(dir: GitDir, was: string, id: string): Promise<void> {
  const branch = /^ref: (.+)$/.exec(was)?.[1]
  const message = ['-m', `timewarp git-rescue ${id}`]
  await succeed(
    dir,
    branch === undefined
      ? ['update-ref', '--no-deref', ...message, 'HEAD', was]
      : ['symbolic-ref', ...message, 'HEAD', branch],
  )
}

/** Restores an index only if all its objects exist: git could not read it otherwise. */
async function putIndexBack(reader: ObjectReader, keep: GitKeepRecord): Promise<IndexDone> {
  const parts = new KeptParts(reader, keep, 0)
  const kept = parts.file(pathOf(keep, 'index'))
  const staged = kept && (await stagedIn(keep.git_dir, kept.bytes))
  if (kept === undefined || staged === undefined) return 'left'
  const ids = idsOf(staged)
  const isThere = async (): Promise<boolean> => {
    const there = await present(keep.git_dir, ids)
    return ids.every((id) => there.has(id))
  }
  if (!(await isThere())) {
    await importPacks(reader, parts, keep.common_dir)
    if (!(await isThere())) return 'left'
  }
  replaceIndex(keep.git_dir, kept.bytes, kept.mode)
  return 'restored'
}

/** Carries out the plan. The refs are updated in one git transaction: all of them or none. */
export async function applyRescue(reader: ObjectReader, keep: GitKeepRecord, plan: RescuePlan): Promise<RescueDone> {
  const dir = keep.git_dir
  if (plan.importing) await importPacks(reader, new KeptParts(reader, keep, 0), keep.common_dir)
  const ids = [...plan.create, ...plan.restore, ...plan.restash].map(({ id }) => id)
  const there = await present(dir, ids)
  const isThere = ({ id }: { id: string }): boolean => there.has(id)
  const possible: RescuePlan = {
    ...plan,
    create: plan.create.filter(isThere),
    restore: plan.restore.filter(isThere),
    restash: plan.restash.filter(isThere),
  }
  const created = await createRefs(keep, possible)
  for (const { id, message } of possible.restash) await succeed(dir, ['stash', 'store', '-m', message, id])
  const unavailable = [...new Set(ids)].filter((id) => !there.has(id))
  return { created, restored: possible.restore, restashed: possible.restash, unavailable }
}

async function createRefs({ id, git_dir: dir }: GitKeepRecord, plan: RescuePlan): Promise<RescueRef[]> {
  const known = new Set(parseRefs((await refsListing(dir)) ?? Buffer.alloc(0)).map(({ name }) => name))
  const created = (await withoutAncestors(dir, plan)).filter(({ name }) => !known.has(name))
  const lines = [
    ...created.map((ref) => `create ${ref.name}\0${ref.id}\0`),
    ...plan.restore.map((ref) =>
      ref.now === null ? `create ${ref.name}\0${ref.id}\0` : `update ${ref.name}\0${ref.id}\0${ref.now}\0`,
    ),
  ]
  const args = ['update-ref', '--create-reflog', '-m', `timewarp git-rescue ${id}`, '--stdin', '-z']
  if (lines.length > 0) await succeed(dir, args, inputOf(lines))
  return created
}

/** Of the commits that only reflogs led to, those that are not reachable from anything else that is restored. */
async function withoutAncestors(dir: GitDir, plan: RescuePlan): Promise<RescueRef[]> {
  const others = [...plan.create.filter(({ was }) => was !== IN_REFLOG), ...plan.restore, ...plan.restash]
  const commits = plan.create.filter(({ was }) => was === IN_REFLOG)
  const heads = new Set(
    await headsOf(
      dir,
      commits.map(({ id }) => id),
      others.map(({ id }) => id),
    ),
  )
  return plan.create.filter(({ was, id }) => was !== IN_REFLOG || heads.has(id))
}

async function succeed(dir: GitDir, args: readonly string[], input?: Uint8Array): Promise<void> {
  const ran = await askGit(dir, args, input)
  if (ran.status !== 0)
    throw new Fault('GIT_FAILED', { command: args[0] ?? '', problem: ran.err.split('\n')[0] ?? 'it gave no reason' })
}
