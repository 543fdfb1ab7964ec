import type { z } from 'zod'
import { Fault } from '../../base/fault.ts'
import { showPath } from '../../base/quote.ts'
import { type GitRescue, type Hit, headText, leftText } from '../../protocol/git-rescue.ts'
import type { Show } from '../../protocol/history.ts'
import type { ReverseOp } from '../../protocol/reverse.ts'
import type { ToolClient } from '../context.ts'

type CallTool = ToolClient['call']
type Survey = z.output<(typeof GitRescue)['output']>
type Listed = Survey['keeps'][number]
type Deed = NonNullable<z.output<(typeof ReverseOp)['output']>['deed']>
type Answered = Awaited<ReturnType<CallTool>>

/** What git lost by a deed, and which state has it. */
export interface GitHitReport
  extends Pick<Hit, 'git_id' | 'kept_at' | 'git_dir_gone' | 'refs' | 'stashes' | 'head' | 'index'> {
  readonly git_dir: string
  readonly left: Hit['left']
  /** The prompt, session or call that caused it; null when it happened outside every call. */
  readonly by: Hit | null
}

/** How many keeps are compared with the present. */
const LOOKED_AT = 10

/**
 * What a deed did to git. For a prompt or session: only what its calls are known to have done. For a loss outside every
 * call: what differs from the last keep before it. A person's own commits are no loss; a missing git folder always is.
 */
export async function gitHit(call: CallTool, deed: Deed | null | undefined): Promise<GitHitReport | undefined> {
  const survey = await surveyed(call)
  const [newest] = survey?.keeps ?? []
  if (survey === undefined || newest === undefined) return undefined
  const own = survey.hits.find((hit) => isOf(hit, deed))
  if (newest.lost?.git_dir_gone) return goneIn(newest, own ?? survey.hits[0] ?? null)
  if (own) return hitBy(newest, own)
  const later = survey.hits.find((hit) => canComeBack(hit) && !hit.of.startsWith('call:') && isAfter(hit, deed))
  if (later) return hitBy(newest, later)
  return deed?.of === 'loss' ? lostSince(survey.keeps, deed.began_at) : undefined
}

/** Undefined when the survey of git fails: that must not prevent the undo of files. */
async function surveyed(call: CallTool): Promise<Survey | undefined> {
  try {
    return (await call('git_rescue', { limit: LOOKED_AT })).output as Survey
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}

function isOf(hit: Hit, deed: Deed | null | undefined): boolean {
  if (!deed) return false
  if (deed.of === 'prompt') return hit.of === `prompt:${deed.prompt_id}`
  if (deed.of === 'session') return hit.of === `session:${deed.session_id}` && hit.ended_at >= deed.began_at
  return deed.of === 'loss' && hit.of.startsWith('call:') && hit.ended_at >= deed.began_at
}

const isAfter = ({ ended_at }: Hit, deed: Deed | null | undefined): boolean =>
  ended_at > (deed?.steps.at(-1)?.created_at ?? '')

const canComeBack = ({ refs, stashes, head, index, git_dir_gone }: Hit): boolean =>
  git_dir_gone || refs.length + stashes.length > 0 || head !== null || index === 'lost'

const hitBy = ({ git_dir }: Listed, by: Hit): GitHitReport => ({ ...by, git_dir, by })

const NOTHING = { refs: [], stashes: [], head: null, index: 'same' as const, left: [] }

const goneIn = ({ git_id, created_at, git_dir, lost }: Listed, by: Hit | null): GitHitReport => ({
  git_id,
  kept_at: created_at,
  git_dir: lost?.gone ?? git_dir,
  git_dir_gone: true,
  ...NOTHING,
  by,
})

/** The newest keep from before a moment, if the present lacks some of its refs or stashes. */
function lostSince(keeps: readonly Listed[], since: string): GitHitReport | undefined {
  const found = keeps.find(({ created_at }) => created_at < since)
  if (!found?.lost || found.lost.refs.length + found.lost.stashes.length === 0) return undefined
  const { git_id, created_at: kept_at, git_dir, lost } = found
  return { ...NOTHING, git_id, kept_at, git_dir, git_dir_gone: false, refs: lost.refs, stashes: lost.stashes, by: null }
}

/** A dry run of the rescue, before any file is changed: throws if something prevents it. */
export const tryGit = async (call: CallTool, hit: GitHitReport): Promise<void> =>
  void (await call('git_rescue', { ...wishFor(hit), dry_run: true }))

const wishFor = ({ by, git_id, git_dir_gone }: GitHitReport) =>
  git_dir_gone ? { git_id } : by ? { of: by.of } : { git_id, restore_refs: true }

/** Restores the git folder if it is gone, then reverts what the deed did to git before that. */
export async function bringGitBack(
  call: CallTool,
  hit: GitHitReport,
  deed: Deed | null | undefined,
): Promise<Answered[]> {
  const made = await call('git_rescue', wishFor(hit))
  if (!hit.git_dir_gone) return [made]
  const hits = (await surveyed(call))?.hits ?? []
  const more = hits.find((one) => canComeBack(one) && (isOf(one, deed) || one.of === hit.by?.of))
  return [made, ...(more ? [await call('git_rescue', { of: more.of })] : [])]
}

/** Whether the hit on git is later than the deed on files: then `oops` is about git alone. */
export async function isLater(call: CallTool, hit: GitHitReport, deed: Deed | null | undefined): Promise<boolean> {
  if (!deed) return true
  if (hit.by) return !isOf(hit.by, deed) && isAfter(hit.by, deed)
  const last = deed.of === 'loss' ? deed.steps.at(-1)?.snapshot_id : undefined
  if (last === undefined || !hit.git_dir_gone) return false
  const { env_fingerprint } = (await call('show', { snapshot_id: last })).output as z.output<(typeof Show)['output']>
  return Boolean(env_fingerprint['git'])
}

const short = (id: string | null): string => (id === null ? 'nothing' : id.slice(0, 10))

/** `next`: the command that restores it; undefined when that is under way. */
export function gitText(hit: GitHitReport | undefined, next: 'oops' | 'git-rescue' | undefined): string[] {
  if (hit === undefined) return []
  const { git_dir_gone, git_dir, refs, stashes, head, index, left } = hit
  return [
    'Git was hit, too:',
    ...(git_dir_gone ? [`    ${showPath(git_dir)} is gone`] : []),
    ...refs.map(({ ref, status, id, now }) => `    ${showPath(ref)} is ${status}: ${short(id)} → ${short(now)}`),
    ...(head ? [`    HEAD was ${headText(head.was)}, and is ${headText(head.now)}`] : []),
    ...stashes.map(({ id, message }) => `    stash ${short(id)} is dropped: ${message}`),
    ...(index === 'lost' ? ['    the index is another: what was staged is not any more'] : []),
    ...left.flatMap(leftText).map((line) => `    ${line}`),
    ...(canBeBrought(hit) ? [nextText(hit, next)] : []),
  ]
}

const nextText = (hit: GitHitReport, next: 'oops' | 'git-rescue' | undefined): string =>
  next ? `Bring git back with: ${commandFor(hit, next)} (${stateText(hit)})` : `Git goes back to ${stateText(hit)}`

/** For reverted files `oops` would find another deed: then `git-rescue` is the command. */
const commandFor = ({ by, git_id, git_dir_gone }: GitHitReport, next: 'oops' | 'git-rescue'): string =>
  next === 'oops'
    ? 'timewarp oops --git --yes'
    : git_dir_gone
      ? `timewarp git-rescue ${git_id}`
      : (by?.command ?? `timewarp git-rescue ${git_id} --restore-refs`)

export const canBeBrought = ({ git_dir_gone, refs, stashes, head, index }: GitHitReport): boolean =>
  git_dir_gone || refs.length + stashes.length > 0 || head !== null || index === 'lost'

/** Which keep it is, and its time: it may be older than the loss, because nothing is kept between two keeps. */
const stateText = ({ git_id, kept_at }: GitHitReport): string =>
  `the state kept at ${kept_at.slice(0, 19).replace('T', ' ')} UTC, ${git_id}`
