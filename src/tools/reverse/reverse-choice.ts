import type { ToolCall } from '../../app/handler.ts'
import { findSnapshotOfWorkspace } from '../../app/workspace-lookup.ts'
import { Fault, isFault } from '../../base/fault.ts'
import { reasonOf } from '../../protocol/reasons.ts'
import type { SnapshotRecord } from '../../records/snapshot-record.ts'
import { certaintyOf } from '../../schema/cause.ts'
import type { RelPath } from '../../schema/path.ts'
import type { Workspace } from '../../timeline/workspace/workspace.ts'
import { type RevertTarget, resolveRevertTarget } from './revert-target.ts'

/** The snapshots to be reverted, and those left alone because another session may have made them. */
export interface RevertChoice {
  /** The newest first. */
  readonly chosen: readonly SnapshotRecord[]
  readonly left: readonly Left[]
  /** Paths of a chosen snapshot that are left alone. */
  readonly stays: ReadonlyMap<string, readonly RelPath[]>
}

/** A change, or some paths of it, that is left alone. */
interface Left {
  readonly snapshot: SnapshotRecord
  /** Undefined: all that it changed. */
  readonly only?: readonly RelPath[]
  readonly certainty: 'likely' | 'shared'
  readonly reason: string
}

interface Care {
  readonly include_shared: boolean
  readonly only_certain: boolean
}

/** The snapshots that the input names. */
export function choose(
  call: ToolCall,
  workspace: Workspace,
  input: Care & { snapshot_id?: string | undefined; target_snapshot?: string | undefined },
): RevertChoice {
  if (input.include_shared && input.only_certain)
    throw new Fault('BAD_INPUT', { problem: 'include_shared and only_certain contradict each other.' })
  if (input.target_snapshot !== undefined) {
    const target = findSnapshotOfWorkspace(call, workspace, input.target_snapshot)
    const since = call.app.records.snapshots.all(workspace.id).filter(({ seq }) => seq > target.seq)
    return { chosen: since.reverse(), left: [], stays: new Map() }
  }
  if (input.snapshot_id === undefined)
    throw new Fault('BAD_INPUT', {
      problem: 'Say what to take back: a snapshot, a milestone, session:ID, prompt:ID, call:ID, actor:NAME or last.',
    })
  return sortOut(allMeant(call, workspace, input.snapshot_id), input)
}

/** Several targets are separated by commas. A client's id may itself contain commas, and blanks at its ends. */
function allMeant(call: ToolCall, workspace: Workspace, text: string): RevertTarget[] {
  try {
    if (/^(session|prompt|call|actor):.*[,\s]/s.test(text)) return [resolveRevertTarget(call, workspace, text)]
  } catch (error) {
    if (!UNKNOWN.some((code) => isFault(error, code))) throw error
  }
  return text.split(',').map((what) => resolveRevertTarget(call, workspace, what.trim()))
}

const UNKNOWN = ['SESSION_NOT_FOUND', 'PROMPT_NOT_FOUND', 'CALL_NOT_FOUND'] as const

/**
 * Certain and likely changes are reverted. Shared ones, and paths that another session edited afterwards, only on
 * request.
 */
export function sortOut(found: readonly RevertTarget[], { include_shared, only_certain }: Care): RevertChoice {
  const sure = newestFirst(found.flatMap(({ snapshots }) => snapshots))
  const isSure = new Set(sure.map(({ id }) => id))
  const doubtful = newestFirst(found.flatMap((one) => one.doubtful)).filter(({ id }) => !isSure.has(id))
  const isTooUnsure = ({ cause }: SnapshotRecord): boolean => only_certain && certaintyOf(cause) === 'likely'
  const chosen = newestFirst(include_shared ? [...sure, ...doubtful] : sure).filter((one) => !isTooUnsure(one))
  const stays = new Map(include_shared ? [] : found.flatMap(({ doubted }) => [...doubted]))
  const left = [
    ...sure.filter(isTooUnsure).map((snapshot) => leftAs('likely', snapshot)),
    ...(include_shared ? [] : doubtful).map((snapshot) => leftAs('shared', snapshot)),
    ...chosen.flatMap((snapshot) => doubted(snapshot, stays.get(snapshot.id))),
  ]
  return { chosen, left: left.sort((a, b) => b.snapshot.seq - a.snapshot.seq), stays }
}

const leftAs = (certainty: Left['certainty'], snapshot: SnapshotRecord): Left => ({
  snapshot,
  certainty,
  reason: whyUnsure(snapshot),
})

/** Why it is not certain who made a change. */
export const whyUnsure = ({ cause, description }: SnapshotRecord): string =>
  reasonOf(cause, description) ?? 'it cannot be told who made it'

const doubted = (snapshot: SnapshotRecord, only: readonly RelPath[] | undefined): Left[] =>
  only === undefined
    ? []
    : [{ snapshot, only, certainty: 'shared', reason: `${whyUnsure(snapshot)}; you edited it just after` }]

const newestFirst = (snapshots: readonly SnapshotRecord[]): SnapshotRecord[] =>
  [...new Map(snapshots.map((snapshot) => [snapshot.id, snapshot])).values()].sort((a, b) => b.seq - a.seq)
