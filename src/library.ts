/**
 * The library: the same tools as the command line, with their types.
 *
 *     import { openTimewarp } from 'timewarp'
 *     const timewarp = openTimewarp({ home: '/home/me/.timewarp', cwd: '/home/me/project' })
 *     const { snapshot_id } = await timewarp.call('snapshot', { label: 'before' })
 *     await timewarp.call('restore', { snapshot_id })
 *     await timewarp.close()
 *
 * What is listed here is the public surface.
 */
import type { z } from 'zod'
import { openHouse } from './app/app.ts'
import type { Blame } from './protocol/blame.ts'
import type {
  ApplyEditBlock,
  ApplyEdits,
  ApplyRangedEdit,
  ApplyUnifiedDiff,
  ApplyWholeFileEdit,
  CreateDirectory,
  Delete,
  Rename,
} from './protocol/edits.ts'
import type { ExperimentList, ExperimentNote, ExperimentReplay, ExperimentRun } from './protocol/experiments.ts'
import type { Export } from './protocol/export.ts'
import type { GitKeep, GitRescue } from './protocol/git-rescue.ts'
import type { Cat, Diff, FileHistory, GetEditHistory, ReadSnapshotDiff, Show } from './protocol/history.ts'
import type { IssueGet, IssueList, IssueReport, IssueUpdate } from './protocol/issues.ts'
import type { Forget, Fsck, Gc, Label, Mirror, Pin, Prune, StoreStats, Unpin } from './protocol/keeping.ts'
import type {
  CreateMilestone,
  DeleteMilestone,
  DetectMilestones,
  GetMilestones,
  ShowMilestone,
  TagMilestone,
} from './protocol/milestones.ts'
import type { RecordEvent } from './protocol/record-event.ts'
import type { Redact } from './protocol/redact.ts'
import type { Materialise, Redo, Restore, Undo } from './protocol/restore.ts'
import type { ReverseOp } from './protocol/reverse.ts'
import type { Rewind, SessionList } from './protocol/sessions.ts'
import type { ConfigTool, Status, Uninstall, WorkspaceInit, WorkspaceList } from './protocol/setup.ts'
import type { Snapshot } from './protocol/snapshot.ts'
import type { Acknowledge, Return, SessionStart, Travel } from './protocol/travel.ts'
import { callTool } from './tools/call.ts'

export { Fault, type FaultCode } from './base/fault.ts'

/** Every tool by name. */
export interface Tools {
  workspace_init: typeof WorkspaceInit
  snapshot: typeof Snapshot
  status: typeof Status
  get_edit_history: typeof GetEditHistory
  read_snapshot_diff: typeof ReadSnapshotDiff
  show: typeof Show
  diff: typeof Diff
  file_history: typeof FileHistory
  cat: typeof Cat
  blame: typeof Blame
  export: typeof Export
  restore: typeof Restore
  undo: typeof Undo
  redo: typeof Redo
  materialise: typeof Materialise
  reverse_op: typeof ReverseOp
  session_list: typeof SessionList
  rewind: typeof Rewind
  record_event: typeof RecordEvent
  redact: typeof Redact
  apply_edit_block: typeof ApplyEditBlock
  apply_whole_file_edit: typeof ApplyWholeFileEdit
  apply_ranged_edit: typeof ApplyRangedEdit
  apply_unified_diff: typeof ApplyUnifiedDiff
  delete: typeof Delete
  create_directory: typeof CreateDirectory
  rename: typeof Rename
  apply_edits: typeof ApplyEdits
  create_milestone: typeof CreateMilestone
  get_milestones: typeof GetMilestones
  show_milestone: typeof ShowMilestone
  tag_milestone: typeof TagMilestone
  detect_milestones: typeof DetectMilestones
  delete_milestone: typeof DeleteMilestone
  git_keep: typeof GitKeep
  git_rescue: typeof GitRescue
  timewarp_session_start: typeof SessionStart
  timewarp_issue_report: typeof IssueReport
  timewarp_issue_list: typeof IssueList
  timewarp_issue_get: typeof IssueGet
  timewarp_issue_update: typeof IssueUpdate
  timewarp_travel: typeof Travel
  timewarp_return: typeof Return
  timewarp_acknowledge: typeof Acknowledge
  timewarp_experiment_note: typeof ExperimentNote
  timewarp_experiment_run: typeof ExperimentRun
  timewarp_experiment_replay: typeof ExperimentReplay
  timewarp_experiment_list: typeof ExperimentList
  pin: typeof Pin
  unpin: typeof Unpin
  label: typeof Label
  prune: typeof Prune
  gc: typeof Gc
  fsck: typeof Fsck
  stats: typeof StoreStats
  forget: typeof Forget
  mirror: typeof Mirror
  config: typeof ConfigTool
  workspace_list: typeof WorkspaceList
  uninstall: typeof Uninstall
}

export interface Timewarp {
  /** Runs a tool. Fails with a `Fault`. */
  call<N extends keyof Tools>(name: N, input?: z.input<Tools[N]['input']>): Promise<z.output<Tools[N]['output']>>
  /** Makes everything durable and lets go of the store. */
  close(): Promise<void>
}

export interface TimewarpOptions {
  /** The store's folder. */
  readonly home: string
  /** The folder whose workspace is meant when a call names none. */
  readonly cwd: string
  readonly progress?: (message: string, done?: number, total?: number) => void
}

export function openTimewarp({ home, cwd, progress = () => {} }: TimewarpOptions): Timewarp {
  const house = openHouse({ home, daemon: false })
  return {
    call: async (name, input) => (await callTool({ house, cwd, progress }, name, input ?? {})).output as never,
    close: async () => {
      await house.settle()
      house.close()
    },
  }
}
