import { handler, type ToolCall } from '../app/handler.ts'
import { writeDown } from '../app/record-note.ts'
import { findWorkspace } from '../app/workspace-lookup.ts'
import { Fault } from '../base/fault.ts'
import { outPath } from '../base/quote.ts'
import { countLines, writeDiff } from '../diff/unified.ts'
import {
  CreateMilestone,
  DeleteMilestone,
  DetectMilestones,
  GetMilestones,
  type Milestone,
  ShowMilestone,
  TagMilestone,
} from '../protocol/milestones.ts'
import type { MilestoneRecord } from '../records/milestones.ts'
import type { SnapshotRecord } from '../records/snapshot-record.ts'
import { Trees } from '../timeline/capture/trees.ts'
import { pathsOf } from '../timeline/history/listing.ts'
import { combine, membersOf, unclaimed } from '../timeline/retention/milestone.ts'
import {
  type DetectedStep,
  detectMilestones as detect,
  type MilestoneProposal,
} from '../timeline/retention/milestone-detect.ts'
import { diffFields, storedContents } from './diff-text.ts'
import { findMilestone, resolveRevertTarget } from './reverse/revert-target.ts'

const iso = (ms: number): string => new Date(ms).toISOString()

export const createMilestone = handler(CreateMilestone, async (call, input) => {
  const workspace = findWorkspace(call, input)
  const chosen =
    input.snapshot_ids.length === 0
      ? unclaimed(call.app.records, workspace.id).filter((snapshot) => touched(call, snapshot).length > 0)
      : input.snapshot_ids.flatMap((what) => resolveRevertTarget(call, workspace, what.trim()).snapshots)
  if (chosen.length === 0)
    throw new Fault('MILESTONE_EMPTY', {
      why: input.snapshot_ids.length === 0 ? 'every change is in one' : 'what was named has no snapshots',
    })
  const { title, description, tags } = input
  return told(call, make(call, workspace.id, chosen, { title, description, tags, origin: 'manual' }), false)
})

/** Retention may have run since the members were selected: they are read again inside the write transaction. */
function make(
  call: ToolCall,
  workspace: string,
  chosen: readonly SnapshotRecord[],
  what: Pick<MilestoneRecord, 'title' | 'description' | 'tags' | 'origin'>,
): MilestoneRecord {
  const { app } = call
  const created_at = app.clock.now()
  const inOrder = [...chosen].sort((a, b) => a.seq - b.seq).map(({ id }) => id)
  const milestone: MilestoneRecord = {
    ...what,
    id: app.newId('m'),
    workspace,
    snapshot_ids: [...new Set(inOrder)],
    tags: [...new Set(what.tags)],
    created_at,
  }
  writeDown(call, () => {
    for (const id of milestone.snapshot_ids)
      if (!app.records.snapshots.get(id)?.content) throw new Fault('SNAPSHOT_DROPPED', { id })
    app.records.milestones.put(milestone)
    return { note: 'milestone', at: created_at, ...milestone }
  })
  return milestone
}

export const getMilestones = handler(GetMilestones, async (call, input) => {
  const workspace = findWorkspace(call, input)
  const found = call.app.records.milestones
    .all(workspace.id)
    .filter(({ tags }) => input.tags.every((tag) => tags.includes(tag)))
  return { milestones: found.map((milestone) => told(call, milestone, input.include_diffs)) }
})

export const showMilestone = handler(ShowMilestone, async (call, input) => {
  const milestone = findMilestone(call, findWorkspace(call, input), input.milestone_id)
  return {
    combined_diff: '',
    ...told(call, milestone, true),
    operations: membersOf(call.app.records, milestone).map(({ id, created_at, cause, description }) => ({
      snapshot_id: id,
      created_at: iso(created_at),
      tool: cause.tool ?? null,
      description,
    })),
  }
})

function told(call: ToolCall, milestone: MilestoneRecord, withDiff: boolean): Milestone & { combined_diff?: string } {
  const { records, store } = call.app
  const members = membersOf(records, milestone)
  const { paths, differences } = combine(records.snapshots, new Trees(store.reader).read, members)
  const changes = storedContents(call, differences)
  const counts = changes.map(countLines)
  const { diff, diff_base64 } = diffFields(withDiff ? writeDiff(changes, 'git') : new Uint8Array())
  return {
    id: milestone.id,
    milestone_id: milestone.id,
    title: milestone.title,
    description: milestone.description,
    created_at: iso(milestone.created_at),
    timestamp: iso(milestone.created_at),
    origin: milestone.origin,
    tags: [...milestone.tags],
    snapshot_ids: [...milestone.snapshot_ids],
    summary: {
      total_operations: milestone.snapshot_ids.length,
      affected_files: paths.map(outPath),
      lines_added: counts.reduce((sum, { added }) => sum + added, 0),
      lines_removed: counts.reduce((sum, { removed }) => sum + removed, 0),
    },
    ...(withDiff ? { combined_diff: diff } : {}),
    ...(diff_base64 === undefined ? {} : { combined_diff_base64: diff_base64 }),
  }
}

export const tagMilestone = handler(TagMilestone, async (call, input) => {
  const { app } = call
  const workspace = findWorkspace(call, input)
  const { id } = findMilestone(call, workspace, input.milestone_id)
  const answer = { milestone_id: id, tags: [] as string[], before: [] as string[] }
  // Read again inside the write transaction, so that two processes that tag at once do not overwrite each other.
  writeDown(call, () => {
    const milestone = findMilestone(call, workspace, id)
    answer.before = [...milestone.tags]
    answer.tags = [...new Set([...milestone.tags, ...input.add])].filter((tag) => !input.remove.includes(tag))
    const next = { ...milestone, tags: answer.tags }
    app.records.milestones.put(next)
    return { note: 'milestone', at: app.clock.now(), ...next }
  })
  return answer
})

export const deleteMilestone = handler(DeleteMilestone, async (call, input) => {
  const { app } = call
  const { id, title, snapshot_ids } = findMilestone(call, findWorkspace(call, input), input.milestone_id)
  writeDown(call, () => {
    app.records.milestones.remove(id)
    return { note: 'removed', id, at: app.clock.now() }
  })
  return { milestone_id: id, title, snapshot_ids: [...snapshot_ids] }
})

export const detectMilestones = handler(DetectMilestones, async (call, input) => {
  const { app } = call
  const workspace = findWorkspace(call, input)
  const changes = unclaimed(app.records, workspace.id).filter(
    ({ cause }) => input.session === undefined || cause.session_id === input.session,
  )
  const found = detect(
    changes.map((snapshot) => stepOf(call, snapshot)),
    { pauseMinutes: input.pause_minutes, now: app.clock.now() },
  )
  const byId = new Map(changes.map((snapshot) => [snapshot.id, snapshot]))
  return {
    proposals: found.map((proposal) => {
      const ids = proposal.steps.map(({ id }) => id)
      const [title, description] = [titleOf(proposal), `${proposal.rule}: ${proposal.why}`]
      const members = ids.flatMap((id) => byId.get(id) ?? [])
      return {
        rule: proposal.rule,
        why: proposal.why,
        title,
        snapshot_ids: ids,
        affected_files: [...new Set(proposal.steps.flatMap(({ paths }) => paths))].sort().map(outPath),
        from: iso(proposal.steps[0]?.created_at ?? 0),
        to: iso(proposal.steps.at(-1)?.created_at ?? 0),
        milestone_id: input.create
          ? make(call, workspace.id, members, { title, description, tags: [], origin: proposal.rule }).id
          : null,
      }
    }),
  }
})

const MOST_PATHS = 1000

function touched({ app }: ToolCall, snapshot: SnapshotRecord): string[] {
  return pathsOf(app.records.snapshots, new Trees(app.store.reader).read, snapshot, MOST_PATHS)
}

const stepOf = (call: ToolCall, snapshot: SnapshotRecord): DetectedStep => ({
  id: snapshot.id,
  created_at: snapshot.created_at,
  tool: snapshot.cause.tool ?? null,
  label: snapshot.label,
  description: snapshot.description,
  paths: touched(call, snapshot),
})

const LONGEST_TITLE = 200

/** The title of the last step that has a label or description, else the folders that changed. */
function titleOf({ steps }: MilestoneProposal): string {
  const said = steps.map(({ label, description }) => (label ?? description ?? '').split('\n')[0]).findLast(Boolean)
  const folders = new Set(
    steps.flatMap(({ paths }) => paths.map((path) => path.split('/').slice(0, -1)[0] ?? 'the root')),
  )
  return (said ?? `Changes in ${[...folders].sort().map(outPath).join(', ')}`).slice(0, LONGEST_TITLE).toWellFormed()
}
