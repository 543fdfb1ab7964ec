import { Fault } from '../base/fault.ts'
import type { MilestoneRecord } from '../records/milestones.ts'
import type { SnapshotRecord } from '../records/snapshots.ts'
import { type Candidate, type Cause, certaintyOf } from '../schema/cause.ts'
import type { RelPath } from '../schema/path.ts'
import type { Call } from './handler.ts'
import { findOwn } from './place.ts'

/** Some snapshots, and those of which it cannot be told whether they belong to them. */
export interface Meant {
  readonly snapshots: readonly SnapshotRecord[]
  readonly doubtful: readonly SnapshotRecord[]
  /** Paths of a snapshot that is meant, of which the same cannot be told. */
  readonly doubted: ReadonlyMap<string, readonly RelPath[]>
}

/** Who made a change, as far as it is recorded. */
type Maker = Pick<Cause, 'session_id' | 'prompt_id' | 'call_id' | 'actor'>
type IsWhose = (maker: Maker) => boolean

/**
 * The snapshots that `what` stands for: one by its id, those of a milestone, `session:ID` with the sessions it started,
 * `prompt:ID`, `call:ID` or `actor:NAME`.
 */
export function meant(call: Call, workspace: { id: string }, what: string): Meant {
  if (what.startsWith('m_')) {
    const ids = findMilestone(call, workspace, what).snapshot_ids
    return named(ids.map((id) => findOwn(call, workspace, id)))
  }
  const [, kind, name] = /^(session|prompt|call|actor):(.+)$/.exec(what) ?? []
  if (kind === undefined || name === undefined) return named([findOwn(call, workspace, what)])
  return madeBy(call, workspace, WHOSE[kind as keyof typeof WHOSE](call, workspace, name))
}

/** Whoever names a snapshot means all of it. */
const named = (snapshots: readonly SnapshotRecord[]): Meant => ({ snapshots, doubtful: [], doubted: new Map() })

const WHOSE = {
  session: (call: Call, workspace: { id: string }, name: string): IsWhose => {
    const all = withStarted(call, workspace, name)
    return ({ session_id }) => session_id !== undefined && all.has(session_id)
  },
  prompt:
    (_call: Call, _workspace: { id: string }, name: string): IsWhose =>
    ({ prompt_id }) =>
      prompt_id === name,
  call:
    (_call: Call, _workspace: { id: string }, name: string): IsWhose =>
    ({ call_id }) =>
      call_id === name,
  actor:
    (_call: Call, _workspace: { id: string }, name: string): IsWhose =>
    ({ actor }) =>
      actor === name,
}

/** A session and those it started, and those they started. */
function withStarted(call: Call, workspace: { id: string }, name: string): Set<string> {
  const all = new Set([name])
  for (const id of all)
    for (const { id: started } of call.house.records.sessions.startedBy(workspace.id, id)) all.add(started)
  return all
}

function madeBy(call: Call, workspace: { id: string }, isWhose: IsWhose): Meant {
  const changes = call.house.records.snapshots.all(workspace.id).filter(({ cause }) => cause.role === 'change')
  const isSure = ({ cause }: SnapshotRecord): boolean =>
    certaintyOf(cause) === 'shared' ? (cause.shared?.every((one) => isWhose(makerOf(one))) ?? false) : isWhose(cause)
  const snapshots = changes.filter(isSure)
  const dropped = snapshots.find(({ content }) => !content)
  if (dropped) throw new Fault('SNAPSHOT_DROPPED', { id: dropped.id })
  const mayBe = ({ cause }: SnapshotRecord): boolean => cause.shared?.some((one) => isWhose(makerOf(one))) ?? false
  const doubted = snapshots.map(({ id }) => [id, call.house.records.doubts.of(id)] as const)
  return {
    snapshots,
    doubtful: changes.filter((one) => !isSure(one) && mayBe(one) && one.content),
    doubted: new Map(doubted.filter(([, paths]) => paths.length > 0)),
  }
}

const makerOf = ({ session_id, call_id, prompt_id }: Candidate): Maker => ({
  ...(session_id === null ? {} : { session_id }),
  ...(call_id === null ? {} : { call_id }),
  ...(prompt_id === null ? {} : { prompt_id }),
})

/** The milestone of this workspace that `text` names: its id or the beginning of it. */
export function findMilestone(call: Call, workspace: { id: string }, text: string): MilestoneRecord {
  const all = call.house.records.milestones.all(workspace.id)
  const found = all.filter(({ id }) => id === text || (text.length >= 3 && id.startsWith(text)))
  const [only] = found
  if (only === undefined || found.length > 1)
    throw new Fault('MILESTONE_NOT_FOUND', { id: text, matches: found.map(({ id }) => id) })
  return only
}
