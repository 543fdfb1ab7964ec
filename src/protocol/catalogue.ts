import { lookUp } from '../base/look-up.ts'
import type { Spec } from './spec.ts'

/**
 * Every tool, by name, with the word that calls it on the command line.
 *
 * Code is loaded when a tool is called: `load` imports the file of its spec and nothing else.
 */
export interface Entry {
  readonly tool: string
  readonly verb: string
  readonly load: () => Promise<Spec>
}

const entry = (tool: string, verb: string, load: () => Promise<unknown>): Entry => ({
  tool,
  verb,
  load: load as () => Promise<Spec>,
})
const history = () => import('./history.ts')
const restore = () => import('./restore.ts')
const keeping = () => import('./keeping.ts')
const setup = () => import('./setup.ts')
const edits = () => import('./edits.ts')
const milestones = () => import('./milestones.ts')
const git = () => import('./git-rescue.ts')
const travel = () => import('./travel.ts')
const issues = () => import('./issues.ts')
const experiments = () => import('./experiments.ts')

export const CATALOGUE: readonly Entry[] = [
  entry('workspace_init', 'init', () => setup().then((m) => m.WorkspaceInit)),
  entry('snapshot', 'snapshot', () => import('./snapshot.ts').then((m) => m.Snapshot)),
  entry('status', 'status', () => setup().then((m) => m.Status)),
  entry('get_edit_history', 'log', () => history().then((m) => m.GetEditHistory)),
  entry('read_snapshot_diff', 'changes', () => history().then((m) => m.ReadSnapshotDiff)),
  entry('show', 'show', () => history().then((m) => m.Show)),
  entry('diff', 'diff', () => history().then((m) => m.Diff)),
  entry('file_history', 'history', () => history().then((m) => m.FileHistory)),
  entry('cat', 'cat', () => history().then((m) => m.Cat)),
  entry('blame', 'blame', () => import('./blame.ts').then((m) => m.Blame)),
  entry('export', 'export', () => import('./export.ts').then((m) => m.Export)),
  entry('restore', 'restore', () => restore().then((m) => m.Restore)),
  entry('undo', 'undo', () => restore().then((m) => m.Undo)),
  entry('redo', 'redo', () => restore().then((m) => m.Redo)),
  entry('materialise', 'materialise', () => restore().then((m) => m.Materialise)),
  entry('reverse_op', 'revert', () => import('./reverse.ts').then((m) => m.ReverseOp)),
  entry('apply_edit_block', 'edit', () => edits().then((m) => m.ApplyEditBlock)),
  entry('apply_whole_file_edit', 'write', () => edits().then((m) => m.ApplyWholeFileEdit)),
  entry('apply_ranged_edit', 'edit-lines', () => edits().then((m) => m.ApplyRangedEdit)),
  entry('apply_unified_diff', 'patch', () => edits().then((m) => m.ApplyUnifiedDiff)),
  entry('delete', 'rm', () => edits().then((m) => m.Delete)),
  entry('create_directory', 'mkdir', () => edits().then((m) => m.CreateDirectory)),
  entry('rename', 'mv', () => edits().then((m) => m.Rename)),
  entry('apply_edits', 'apply_edits', () => edits().then((m) => m.ApplyEdits)),
  entry('create_milestone', 'milestone', () => milestones().then((m) => m.CreateMilestone)),
  entry('get_milestones', 'milestones', () => milestones().then((m) => m.GetMilestones)),
  entry('show_milestone', 'show-milestone', () => milestones().then((m) => m.ShowMilestone)),
  entry('tag_milestone', 'tag-milestone', () => milestones().then((m) => m.TagMilestone)),
  entry('detect_milestones', 'detect-milestones', () => milestones().then((m) => m.DetectMilestones)),
  entry('delete_milestone', 'delete-milestone', () => milestones().then((m) => m.DeleteMilestone)),
  entry('session_list', 'sessions', () => import('./sessions.ts').then((m) => m.SessionList)),
  entry('rewind', 'rewind', () => import('./sessions.ts').then((m) => m.Rewind)),
  entry('record_event', 'record-event', () => import('./record-event.ts').then((m) => m.RecordEvent)),
  entry('git_keep', 'git-keep', () => git().then((m) => m.GitKeep)),
  entry('git_rescue', 'git-rescue', () => git().then((m) => m.GitRescue)),
  entry('guard_judge', 'guard-judge', () => import('./guard.ts').then((m) => m.GuardJudge)),
  entry('shell_event', 'shell-event', () => import('./guard.ts').then((m) => m.ShellEvent)),
  entry('redact', 'redact', () => import('./redact.ts').then((m) => m.Redact)),
  entry('timewarp_session_start', 'session-start', () => travel().then((m) => m.SessionStart)),
  entry('timewarp_issue_report', 'issue', () => issues().then((m) => m.IssueReport)),
  entry('timewarp_issue_list', 'issues', () => issues().then((m) => m.IssueList)),
  entry('timewarp_issue_get', 'show-issue', () => issues().then((m) => m.IssueGet)),
  entry('timewarp_issue_update', 'update-issue', () => issues().then((m) => m.IssueUpdate)),
  entry('timewarp_travel', 'travel', () => travel().then((m) => m.Travel)),
  entry('timewarp_return', 'return', () => travel().then((m) => m.Return)),
  entry('timewarp_acknowledge', 'acknowledge', () => travel().then((m) => m.Acknowledge)),
  entry('timewarp_experiment_note', 'experiment-note', () => experiments().then((m) => m.ExperimentNote)),
  entry('timewarp_experiment_run', 'experiment-run', () => experiments().then((m) => m.ExperimentRun)),
  entry('timewarp_experiment_replay', 'replay', () => experiments().then((m) => m.ExperimentReplay)),
  entry('timewarp_experiment_list', 'experiments', () => experiments().then((m) => m.ExperimentList)),
  entry('pin', 'pin', () => keeping().then((m) => m.Pin)),
  entry('unpin', 'unpin', () => keeping().then((m) => m.Unpin)),
  entry('label', 'label', () => keeping().then((m) => m.Label)),
  entry('prune', 'prune', () => keeping().then((m) => m.Prune)),
  entry('gc', 'gc', () => keeping().then((m) => m.Gc)),
  entry('fsck', 'fsck', () => keeping().then((m) => m.Fsck)),
  entry('stats', 'stats', () => keeping().then((m) => m.StoreStats)),
  entry('forget', 'forget', () => keeping().then((m) => m.Forget)),
  entry('mirror', 'mirror', () => keeping().then((m) => m.Mirror)),
  entry('config', 'config', () => setup().then((m) => m.ConfigTool)),
  entry('trust', 'trust', () => import('./trust.ts').then((m) => m.Trust)),
  entry('workspace_list', 'workspaces', () => setup().then((m) => m.WorkspaceList)),
  entry('uninstall', 'uninstall', () => setup().then((m) => m.Uninstall)),
]

/** Other names that `call` takes, each for the tool behind it. A test holds this to the specs' own lists. */
const ALIASES: Readonly<Record<string, string>> = {
  list: 'get_edit_history',
  GetEditHistory: 'get_edit_history',
  ReadSnapshotDiff: 'read_snapshot_diff',
  materialize: 'materialise',
  ReverseOp: 'reverse_op',
  revert: 'reverse_op',
  ApplyEditBlock: 'apply_edit_block',
  ApplyWholeFileEdit: 'apply_whole_file_edit',
  ApplyRangedEdit: 'apply_ranged_edit',
  ApplyUnifiedDiff: 'apply_unified_diff',
  Delete: 'delete',
  CreateDirectory: 'create_directory',
  Rename: 'rename',
  ApplyEdits: 'apply_edits',
  CreateMilestone: 'create_milestone',
  GetMilestones: 'get_milestones',
  session_start: 'timewarp_session_start',
  on_session_start: 'timewarp_session_start',
  issue_report: 'timewarp_issue_report',
  issue_list: 'timewarp_issue_list',
  issue_get: 'timewarp_issue_get',
  issue_update: 'timewarp_issue_update',
  travel: 'timewarp_travel',
  return: 'timewarp_return',
  acknowledge: 'timewarp_acknowledge',
  experiment_note: 'timewarp_experiment_note',
  experiment_run: 'timewarp_experiment_run',
  experiment_replay: 'timewarp_experiment_replay',
  experiment_list: 'timewarp_experiment_list',
}

export const findTool = (name: string): Entry | undefined =>
  CATALOGUE.find((entry) => entry.tool === (lookUp(ALIASES, name) ?? name))
export const findVerb = (verb: string): Entry | undefined => CATALOGUE.find((entry) => entry.verb === verb)
