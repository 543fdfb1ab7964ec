import { Fault } from '../base/fault.ts'
import type { MilestoneRecord } from '../records/milestones.ts'
import type { SnapshotRecord } from '../records/snapshots.ts'
import type { Call } from './handler.ts'
import { findOwn } from './place.ts'

const WHOSE = { session: 'session_id', prompt: 'prompt_id', actor: 'actor' } as const

/** The snapshots that `what` stands for: one by its id, those of a milestone, `session:ID`, `prompt:ID` or `actor:NAME`. */
export function meant(call: Call, workspace: { id: string }, what: string): SnapshotRecord[] {
  const { snapshots } = call.house.records
  if (what.startsWith('m_'))
    return findMilestone(call, workspace, what).snapshot_ids.map((id) => findOwn(call, workspace, id))
  const [, kind, name] = /^(session|prompt|actor):(.+)$/.exec(what) ?? []
  if (kind === undefined) return [findOwn(call, workspace, what)]
  const field = WHOSE[kind as keyof typeof WHOSE]
  const isMeant = ({ cause }: SnapshotRecord): boolean => cause.role === 'change' && cause[field] === name
  const found = snapshots.all(workspace.id).filter(isMeant)
  const dropped = found.find(({ content }) => !content)
  if (dropped) throw new Fault('SNAPSHOT_DROPPED', { id: dropped.id })
  return found
}

/** The milestone of this workspace that `text` names: its id or the beginning of it. */
export function findMilestone(call: Call, workspace: { id: string }, text: string): MilestoneRecord {
  const all = call.house.records.milestones.all(workspace.id)
  const found = all.filter(({ id }) => id === text || (text.length >= 3 && id.startsWith(text)))
  const [only] = found
  if (only === undefined || found.length > 1)
    throw new Fault('MILESTONE_NOT_FOUND', { id: text, matches: found.map(({ id }) => id) })
  return only
}
