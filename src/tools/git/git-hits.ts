import type { ToolCall } from '../../app/handler.ts'
import { Fault } from '../../base/fault.ts'
import { outPath } from '../../base/quote.ts'
import { shellWord } from '../../base/shell-word.ts'
import { type GitDeed, type GitHit, gitDeeds, hitOf, isHit } from '../../git/deeds.ts'
import { partsOrNone } from '../../git/kept.ts'
import { gitNow, type LostRef } from '../../git/losses.ts'
import type { Hit } from '../../protocol/git-rescue.ts'
import type { GitKeepRecord } from '../../records/git-keeps.ts'

/** Prompts that changed git, where something that was lost is still missing. */

/** How many prompts are checked: each costs a few runs of git. */
const LOOKED_AT = 5

export interface DeedHit {
  readonly deed: GitDeed
  /** Undefined when git's folder is gone, so that nothing can be compared. */
  readonly hit: GitHit | undefined
}

/** The newest first, without those of which everything has been restored. */
export async function hitsIn(call: ToolCall, keeps: readonly GitKeepRecord[]): Promise<DeedHit[]> {
  const hits: DeedHit[] = []
  const [newest] = keeps
  const now = newest && (await gitNow(newest))
  for (const deed of gitDeeds(keeps, call.app.clock.now()).slice(0, LOOKED_AT)) {
    if (now === undefined) {
      if (deed.isOpen) hits.push({ deed, hit: undefined })
      continue
    }
    const isHere = deed.states.every(({ git_dir }) => git_dir === newest?.git_dir)
    const hit = isHere ? await partsOrNone(() => hitOf(call.app.store.reader, deed, now)) : undefined
    if (hit && (isHit(hit) || hit.left.length > 0)) hits.push({ deed, hit })
  }
  return hits
}

/** What one prompt did to git; a fault when no keep records a change by it. Undefined when git's folder is gone. */
export async function hitNamed(
  call: ToolCall,
  keeps: readonly GitKeepRecord[],
  what: string,
): Promise<GitHit | undefined> {
  const deed = gitDeeds(keeps, call.app.clock.now()).find((one) => one.what === what)
  if (deed === undefined) throw new Fault('NOTHING_TO_REVERT', { why: `no kept state of git tells of ${what}` })
  const [before] = deed.states
  const now = before && (await gitNow(before))
  return now && (await hitOf(call.app.store.reader, deed, now))
}

const iso = (at: number): string => new Date(at).toISOString()

export function toldHit(call: ToolCall, workspace: { id: string }, { deed, hit }: DeedHit): Hit {
  const { calls, states, what } = deed
  const [first, before] = [calls[0], states[0] as GitKeepRecord]
  const { records, clock } = call.app
  const prompt = first?.prompt_id ? records.prompts.get(workspace.id, first.prompt_id) : undefined
  return {
    of: what,
    prompt: prompt?.text ?? null,
    client: first?.client ?? null,
    session_id: first?.session_id ?? null,
    calls: calls.map(({ call_id, tool, title }) => ({ call_id, tool, title })),
    began_at: iso(first?.at ?? before.created_at),
    ended_at: iso(deed.isOpen ? clock.now() : (states.at(-1) as GitKeepRecord).created_at),
    git_id: before.id,
    kept_at: iso(before.created_at),
    git_dir_gone: hit === undefined,
    refs: hit?.refs.map(toldRef) ?? [],
    stashes: hit?.stashes.map(({ id, message, object }) => ({ id, message: message.toWellFormed(), object })) ?? [],
    head: hit?.head ? { was: outPath(hit.head.was), now: outPath(hit.head.now) } : null,
    index: hit?.index ?? 'same',
    left: hit?.left.map(toldLeft) ?? [],
    command: hit === undefined ? `timewarp git-rescue ${before.id}` : `timewarp git-rescue --of ${shellWord(what)}`,
  }
}

const toldRef = ({ name, ...rest }: LostRef) => ({ ref: outPath(name), ...rest })

export const toldLeft = ({ from, ...ref }: GitHit['left'][number]) => ({
  ...toldRef(ref),
  command: `timewarp git-rescue ${from} --restore-refs --only ${shellWord(outPath(ref.name))}`,
})
