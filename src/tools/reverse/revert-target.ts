import type { ToolCall } from '../../app/handler.ts'
import { findSnapshotOfWorkspace } from '../../app/workspace-lookup.ts'
import { Fault } from '../../base/fault.ts'
import { LEAST_OF_ID } from '../../base/faults/guards.ts'
import type { MilestoneRecord } from '../../records/milestones.ts'
import type { SnapshotRecord } from '../../records/snapshot-record.ts'
import { type Candidate, type Cause, certaintyOf } from '../../schema/cause.ts'
import type { RelPath } from '../../schema/path.ts'

/** Some snapshots, and those that may belong to them. */
export interface RevertTarget {
  readonly snapshots: readonly SnapshotRecord[]
  readonly doubtful: readonly SnapshotRecord[]
  /** By id of a certain snapshot: paths in it that another author may have changed. */
  readonly doubted: ReadonlyMap<string, readonly RelPath[]>
}

/** The recorded author of a change. */
type Maker = Pick<Cause, 'session_id' | 'prompt_id' | 'call_id' | 'actor'>
type IsWhose = (maker: Maker) => boolean

/**
 * The snapshots that `what` stands for: one by its id, those of a milestone, `session:ID` with the sessions it started,
 * `prompt:ID`, `call:ID` or `actor:NAME`. The beginning of an id is enough.
 */
export function resolveRevertTarget(call: ToolCall, workspace: { id: string }, what: string): RevertTarget {
  if (what.startsWith('m_')) {
    const ids = findMilestone(call, workspace, what).snapshot_ids
    return named(ids.map((id) => findSnapshotOfWorkspace(call, workspace, id)))
  }
  const [, kind, name] = /^(session|prompt|call|actor):(.*)$/s.exec(what) ?? []
  if (kind !== undefined && name === '') throw new Fault('BAD_INPUT', { problem: whichOf(kind) })
  if (kind === undefined || name === undefined) return named([findSnapshotOfWorkspace(call, workspace, what)])
  const changes = call.app.records.snapshots.all(workspace.id).filter(({ cause }) => cause.role === 'change')
  return snapshotsBy(call, changes, WHOSE[kind as keyof typeof WHOSE](call, workspace, name, changes))
}

const whichOf = (kind: string): string =>
  kind === 'actor'
    ? 'Say which actor: actor:NAME.'
    : `Say which ${kind}: ${kind}:ID, or at least ${LEAST_OF_ID} characters of the id.`

/** A snapshot that is named is reverted as a whole. */
const named = (snapshots: readonly SnapshotRecord[]): RevertTarget => ({ snapshots, doubtful: [], doubted: new Map() })

type Whose = (call: ToolCall, workspace: { id: string }, name: string, changes: readonly SnapshotRecord[]) => IsWhose

const WHOSE = {
  session: (call, workspace, name, changes) => {
    const told = call.app.records.sessions.list(workspace.id, LOOKED_AT).map(({ id }) => id)
    const all = withStarted(
      call,
      workspace,
      onlyId('SESSION_NOT_FOUND', name, [...told, ...idsIn(changes, 'session_id')]),
    )
    return ({ session_id }) => session_id !== undefined && all.has(session_id)
  },
  prompt: (call, workspace, name, changes) => {
    const told = call.app.records.prompts.list(workspace.id, undefined, LOOKED_AT).map(({ id }) => id)
    const id = onlyId('PROMPT_NOT_FOUND', name, [...told, ...idsIn(changes, 'prompt_id')])
    return ({ prompt_id }) => prompt_id === id
  },
  call: (_call, _workspace, name, changes) => {
    const id = onlyId('CALL_NOT_FOUND', name, idsIn(changes, 'call_id'))
    return ({ call_id }) => call_id === id
  },
  actor:
    (_call, _workspace, name) =>
    ({ actor }) =>
      actor === name,
} satisfies Record<string, Whose>

/** How many sessions and prompts are searched. */
const LOOKED_AT = 10_000

/** The only id that `text` is, or is the beginning of. */
function onlyId(
  fault: 'SESSION_NOT_FOUND' | 'PROMPT_NOT_FOUND' | 'CALL_NOT_FOUND',
  text: string,
  ids: readonly string[],
): string {
  const all = new Set(ids)
  if (all.has(text)) return text
  const matches = text.length < LEAST_OF_ID ? [] : [...all].filter((id) => id.startsWith(text))
  const [only] = matches
  if (only === undefined || matches.length > 1) throw new Fault(fault, { id: text, matches })
  return only
}

/** The ids of all that made, or may have made, some changes. */
const idsIn = (changes: readonly SnapshotRecord[], key: 'session_id' | 'prompt_id' | 'call_id'): string[] =>
  changes.flatMap(({ cause }) => [cause, ...(cause.shared ?? [])].flatMap((maker) => maker[key] ?? []))

/** A session, those it started, and so on downwards. */
function withStarted(call: ToolCall, workspace: { id: string }, name: string): Set<string> {
  const all = new Set([name])
  for (const id of all)
    for (const { id: started } of call.app.records.sessions.startedBy(workspace.id, id)) all.add(started)
  return all
}

/** Those of some changes that the given author made, and those that it may have made. */
export function snapshotsBy(call: ToolCall, changes: readonly SnapshotRecord[], isWhose: IsWhose): RevertTarget {
  const isSure = ({ cause }: SnapshotRecord): boolean =>
    certaintyOf(cause) === 'shared' ? (cause.shared?.every((one) => isWhose(makerOf(one))) ?? false) : isWhose(cause)
  const snapshots = changes.filter(isSure)
  const dropped = snapshots.find(({ content }) => !content)
  if (dropped) throw new Fault('SNAPSHOT_DROPPED', { id: dropped.id })
  const mayBe = ({ cause }: SnapshotRecord): boolean => cause.shared?.some((one) => isWhose(makerOf(one))) ?? false
  const doubted = snapshots.map(({ id }) => [id, call.app.records.doubts.of(id)] as const)
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
export function findMilestone(call: ToolCall, workspace: { id: string }, text: string): MilestoneRecord {
  const all = call.app.records.milestones.all(workspace.id)
  const found = all.filter(({ id }) => id === text || (text.length >= 3 && id.startsWith(text)))
  const [only] = found
  if (only === undefined || found.length > 1)
    throw new Fault('MILESTONE_NOT_FOUND', { id: text, matches: found.map(({ id }) => id) })
  return only
}
