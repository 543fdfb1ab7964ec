import type { z } from 'zod'
import { Fault } from '../../base/fault.ts'
import { showPath } from '../../base/quote.ts'
import type { GitRescue } from '../../protocol/git-rescue.ts'
import type { Show } from '../../protocol/history.ts'
import type { Desk } from '../context.ts'

type CallTool = Desk['call']
type Listed = z.output<(typeof GitRescue)['output']>['keeps'][number]

/** What git has lost since a deed began, and the kept state that has it. */
export interface GitHit extends Pick<Listed, 'git_id' | 'created_at' | 'git_dir'> {
  readonly lost: NonNullable<Listed['lost']>
}

/** So many kept states are compared with the present. */
const LOOKED_AT = 10

/**
 * The state of git to go back to: the last one before the deed, or the first during it that has something which is lost.
 * Where the folder itself is gone, the newest: it has whatever the others have, and more.
 */
export async function gitHit(call: CallTool, since: string | undefined): Promise<GitHit | undefined> {
  const keeps = await keptStates(call)
  const [newest] = keeps
  if (newest?.lost?.git_dir_gone) return hitOf(newest)
  const before = keeps.findIndex(({ created_at }) => since === undefined || created_at < since)
  const candidates = keeps.slice(0, before === -1 ? undefined : before + 1).reverse()
  const found = candidates.find(({ lost }) => lost !== null && lost.refs.length + lost.stashes.length > 0)
  return found && hitOf(found)
}

/** None when git cannot be asked: that holds up nobody who wants files back. */
async function keptStates(call: CallTool): Promise<readonly Listed[]> {
  try {
    return ((await call('git_rescue', { limit: LOOKED_AT })).output as z.output<(typeof GitRescue)['output']>).keeps
  } catch (error) {
    if (error instanceof Fault) return []
    throw error
  }
}

const hitOf = ({ git_id, created_at, git_dir, lost }: Listed): GitHit | undefined =>
  lost === null ? undefined : { git_id, created_at, git_dir, lost }

/** Makes the folder again if it is gone, then puts back the refs and stashes that the state before the deed had. */
export async function bringGitBack(
  call: CallTool,
  hit: GitHit,
  since: string | undefined,
): Promise<Awaited<ReturnType<CallTool>>[]> {
  if (!hit.lost.git_dir_gone) return [await call('git_rescue', { git_id: hit.git_id, restore_refs: true })]
  const made = await call('git_rescue', { git_id: hit.git_id })
  const more = await gitHit(call, since)
  return [made, ...(more ? [await call('git_rescue', { git_id: more.git_id, restore_refs: true })] : [])]
}

/** Whether git's folder vanished after a deed that was a person's ordinary work: then that is what happened last. */
export async function isLater(
  call: CallTool,
  { lost }: GitHit,
  deed: { readonly of: string; readonly steps: readonly { readonly snapshot_id: string }[] } | null,
): Promise<boolean> {
  const last = deed?.of === 'change' ? deed.steps.at(-1)?.snapshot_id : undefined
  if (last === undefined || !lost.git_dir_gone) return false
  const { env_fingerprint } = (await call('show', { snapshot_id: last })).output as z.output<(typeof Show)['output']>
  return Boolean(env_fingerprint['git'])
}

/** `next`: what brings it back, too; undefined when that is under way. */
export function gitText(hit: GitHit | undefined, next: 'oops' | 'git-rescue' | undefined): string[] {
  if (hit === undefined) return []
  const { lost, git_id, git_dir } = hit
  const short = (id: string | null): string => (id === null ? 'nothing' : id.slice(0, 10))
  const rescue = `timewarp git-rescue ${git_id}${lost.git_dir_gone ? '' : ' --restore-refs'}`
  return [
    'Git was hit, too:',
    ...(lost.git_dir_gone ? [`    ${showPath(git_dir)} is gone`] : []),
    ...lost.refs.map(({ ref, status, id, now }) => `    ${showPath(ref)} is ${status}: ${short(id)} → ${short(now)}`),
    ...lost.stashes.map(({ id, message }) => `    stash ${short(id)} is dropped: ${message}`),
    ...(next === 'oops' ? [`Bring git back, too, with: timewarp oops --git; alone with: ${rescue}`] : []),
    ...(next === 'git-rescue' ? [`Bring git back with: ${rescue}`] : []),
  ]
}
