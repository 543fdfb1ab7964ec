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

/** What runs git in a way that writes, and what touches no matter which paths: git's own folder may be among them. */
export const mayTouchGit = ({ paths, judgement }: GitReach, { command = '' }: EventInput): boolean =>
  paths === null || judgement?.rewrites_refs === true || (judgement?.program != null && /\bgit\b/.test(command))

/** Keeps what git alone has, without anybody waiting for it. Without a daemon somebody has to wait. */
export function keepGitSoon(scene: EventContext, why: string, options: KeepOptions = {}): void {
  const { app } = scene.call
  if (app.live) void keep(scene, why, options)
  else app.later('keep git', () => keep(scene, why, options))
}

/**
 * Before a call that may change git: what changed until now was not its work. The client waits for it, but not for long. Where
 * nothing changed since the last keep, that costs a look at the times of files.
 */
export async function keepGitFirst(scene: EventContext, told: EventInput): Promise<void> {
  const begins = callOf(scene, told)
  const kept = keep(scene, `before ${begins.title}`, { begins }).then(() => true)
  const isKept = scene.call.app.live ? await Promise.race([kept, sleep(scene.waitMs).then(() => false)]) : await kept
  if (!isKept) gap(scene, `keeping git took longer than ${scene.waitMs} ms`)
}

/** After such a call: what changed meanwhile is its work. */
export function keepGitAfterwards(scene: EventContext, told: EventInput): void {
  const call = callOf(scene, told)
  keepGitSoon(scene, `after ${call.title}`, { ended: [call] })
}

/** Whatever a session still has under way is over: the client tells no end of a call that was cut short. */
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

/** Never throws: the client goes on all the same. */
async function keep(scene: EventContext, why: string, options: KeepOptions): Promise<void> {
  try {
    await keepGit(captureContext(scene.call), scene.workspace, why, options)
  } catch (error) {
    gap(scene, `git could not be kept: ${error instanceof Error ? error.message : String(error)}`)
  }
}
