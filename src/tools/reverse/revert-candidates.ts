import type { ToolCall } from '../../app/handler.ts'
import type { SnapshotRecord } from '../../records/snapshot-record.ts'
import type { Cause } from '../../schema/cause.ts'
import type { RelPath } from '../../schema/path.ts'
import { lossOf } from './losses.ts'
import { type RevertTarget, snapshotsBy } from './revert-target.ts'

/** Changes that belong together: what one prompt did, or what was lost at once. */
export interface RevertCandidate {
  readonly of: 'prompt' | 'session' | 'loss'
  /** The name to revert it by, from its newest change, so that later changes are no part of it. */
  readonly what: string
  readonly meant: RevertTarget
  /** For a loss: what each of its snapshots lost. What else they changed is a person's work. */
  readonly lost?: ReadonlyMap<string, ReadonlySet<RelPath>>
  /** A small loss from before an agent's last change: a person may well have intended it. */
  readonly isMinor?: boolean
}

/** What is needed of a workspace to find deeds. */
export interface Place {
  readonly id: string
  readonly gitDir: string | undefined
}

/**
 * Recent deeds, the newest first: each prompt, each run of a session without prompts, and each loss outside of all
 * sessions. Other work of people is not offered: only they can decide to revert it.
 */
export function* revertCandidates(call: ToolCall, place: Place, upTo?: SnapshotRecord): Generator<RevertCandidate> {
  const changes = changesOf(call, place, upTo)
  const done = new Set<string>()
  let isAfterAgent = false
  for (const [at, change] of changes.entries()) {
    if (done.has(change.id)) continue
    const deed = isPersons(change) ? lossIn(call, place, changes, change) : agentsDeed(call, changes, at)
    isAfterAgent ||= deed?.lost === undefined && deed !== undefined
    if (deed === undefined) continue
    for (const { id } of [...deed.meant.snapshots, ...deed.meant.doubtful]) done.add(id)
    yield deed.isMinor ? { ...deed, isMinor: isAfterAgent } : deed
  }
}

/** Snapshots of work that can be reverted, the newest first. The first snapshot of a workspace is not work. */
const changesOf = (call: ToolCall, workspace: { id: string }, upTo: SnapshotRecord | undefined): SnapshotRecord[] =>
  call.app.records.snapshots
    .all(workspace.id)
    .filter(({ seq }) => upTo === undefined || seq <= upTo.seq)
    .filter(({ cause, base, content }) => isWork(cause) && base !== null && content)
    .reverse()

/** What was captured just before an act is work, too, by an unknown author. */
const isWork = ({ role, act }: Cause): boolean => (role === 'change' && !act) || isBeforeAct({ role, act })

const isBeforeAct = ({ role, act }: Pick<Cause, 'role' | 'act'>): boolean =>
  role === 'backup' && act !== undefined && act !== 'return'

const allOf = (snapshots: readonly SnapshotRecord[]): RevertTarget => ({ snapshots, doubtful: [], doubted: new Map() })

/** Whether no agent is known to have a part in it. Commands in a guarded shell are typed by a person. */
const isPersons = ({ cause, source }: SnapshotRecord): boolean =>
  source === 'shell-guard' ||
  isBeforeAct(cause) ||
  ids(cause, 'session_id').length + ids(cause, 'prompt_id').length === 0

export const ids = (cause: Cause, key: 'session_id' | 'prompt_id'): string[] =>
  [cause, ...(cause.shared ?? [])].flatMap((maker) => maker[key] ?? [])

/** What a prompt did; without a prompt, the run of changes of the session. */
function agentsDeed(call: ToolCall, changes: readonly SnapshotRecord[], at: number): RevertCandidate {
  const { cause, id } = changes[at] as SnapshotRecord
  const what = `last:${id}`
  const agents = changes.slice(at).filter((one) => !isPersons(one))
  const [prompt] = ids(cause, 'prompt_id')
  const [session] = ids(cause, 'session_id')
  if (prompt !== undefined)
    return { of: 'prompt', what, meant: snapshotsBy(call, agents, (maker) => maker.prompt_id === prompt) }
  const isOwn = (one: SnapshotRecord): boolean => ids(one.cause, 'session_id').includes(session ?? '')
  const end = changes.findIndex((one, i) => i > at && !isOwn(one))
  const run = changes.slice(at, end === -1 ? undefined : end)
  return { of: 'session', what, meant: snapshotsBy(call, run, (maker) => maker.session_id === session) }
}

/** Undefined when nothing is lost: then it is a person's work. */
function lossIn(
  call: ToolCall,
  place: Place,
  changes: readonly SnapshotRecord[],
  change: SnapshotRecord,
): RevertCandidate | undefined {
  const { cause, id } = change
  const all = cause.call_id === undefined ? [change] : changes.filter((one) => one.cause.call_id === cause.call_id)
  const losses = all.flatMap((one) => {
    const loss = lossOf(call, place, one)
    return loss ? [{ one, ...loss }] : []
  })
  if (losses.length === 0) return undefined
  return {
    of: 'loss',
    what: `last:${id}`,
    meant: allOf(losses.map(({ one }) => one)),
    lost: new Map(losses.map(({ one, paths }) => [one.id, paths])),
    isMinor: !losses.some(({ isLarge }) => isLarge),
  }
}
