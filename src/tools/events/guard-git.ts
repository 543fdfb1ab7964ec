import { recordedText } from '../../app/tool-input.ts'
import { captureContext } from '../../app/workspace-lookup.ts'
import { type KeepOptions, keepGit, underWay } from '../../git/keep.ts'
import { sleep } from '../../host/clock.ts'
import type { GitCall } from '../../records/git-keeps.ts'
import type { Judgement } from '../../shell/judge.ts'
import { type EventInput, promptInForce } from './calls.ts'
import { type EventContext, gap } from './capture-event.ts'

const LONGEST = 200

/** What a call may do, as far as git is concerned. */
interface GitReach {
  readonly paths: readonly string[] | null
  readonly judgement?: Judgement
}

/** True for commands that run git and write, and for calls that may touch any path, git's own folder included. */
export const mayTouchGit = ({ paths, judgement }: GitReach, { command = '' }: EventInput): boolean =>
  paths === null || judgement?.rewrites_refs === true || (judgement?.program != null && /\bgit\b/.test(command))

/** Keeps git's state in the background. Without a daemon it is done after the answer, before the process ends. */
export function keepGitSoon(scene: EventContext, why: string, options: KeepOptions = {}): void {
  const { app } = scene.call
  if (app.live) void keep(scene, why, options)
  else app.later('keep git', () => keep(scene, why, options))
}

/**
 * Before a call that may change git: keeps the state until now, which is not the call's work. The client waits for
 * this, but only up to its limit. If nothing changed since the last keep, it costs a comparison of file times.
 */
export async function keepGitFirst(scene: EventContext, told: EventInput): Promise<void> {
  const begins = callOf(scene, told)
  const kept = keep(scene, `before ${begins.title}`, { begins }).then(() => true)
  const isKept = scene.call.app.live ? await Promise.race([kept, sleep(scene.waitMs).then(() => false)]) : await kept
  if (!isKept) gap(scene, `keeping git took longer than ${scene.waitMs} ms`)
}

/** After such a call: keeps the state; what changed meanwhile is the call's work. */
export function keepGitAfterwards(scene: EventContext, told: EventInput): void {
  const call = callOf(scene, told)
  keepGitSoon(scene, `after ${call.title}`, { ended: [call] })
}

/** Ends all git calls of the session that are still open: the client reports no end for a call that was interrupted. */
export function endGitCalls(scene: EventContext): void {
  const { records, clock } = scene.call.app
  const newest = records.gitKeeps.newest(scene.workspace.id)?.keep
  const ended = underWay(newest, clock.now()).filter(({ session_id }) => session_id === scene.session)
  const [first] = ended
  if (first) keepGitSoon(scene, `after ${first.title}`, { ended })
}

function callOf(scene: EventContext, told: EventInput): GitCall {
  const text = recordedText(scene.workspace.root, told.command ?? told.tool ?? '')
  const tool = told.tool ?? told.kind
  return {
    session_id: scene.session,
    prompt_id: told.prompt_id ?? promptInForce(scene),
    call_id: told.call_id ?? '',
    client: scene.client,
    tool,
    title: text.slice(0, LONGEST) || tool,
    at: scene.call.app.clock.now(),
  }
}

/** Never throws: the client goes on all the same, and a failure is recorded as a gap. */
async function keep(scene: EventContext, why: string, options: KeepOptions): Promise<void> {
  try {
    await keepGit(captureContext(scene.call), scene.workspace, why, options)
  } catch (error) {
    gap(scene, `git could not be kept: ${error instanceof Error ? error.message : String(error)}`)
  }
}
