import { lookUp } from '../base/look-up.ts'
import type { Spec } from './spec.ts'

/** A row of the catalogue. Code is loaded when a tool is called: `load` imports only the file of its spec. */
export interface CatalogueEntry {
  readonly tool: string
  /** Its name on the command line. */
  readonly verb: string
  /**
   * Other names that `call` accepts. Here and not in the spec, because a name is resolved before anything is loaded.
   */
  readonly aliases: readonly string[]
  readonly load: () => Promise<Spec>
}

const entry = <N extends string, S>(
  tool: N,
  verb: string,
  load: () => Promise<S>,
  aliases: readonly string[] = [],
) => ({ tool, verb, load, aliases })

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

const TOOLS = [
  entry('workspace_init', 'init', () => setup().then((m) => m.WorkspaceInit)),
  entry('snapshot', 'snapshot', () => import('./snapshot.ts').then((m) => m.Snapshot)),
  entry('status', 'status', () => setup().then((m) => m.Status)),
  entry('get_edit_history', 'log', () => history().then((m) => m.GetEditHistory), ['list', 'GetEditHistory']),
  entry('read_snapshot_diff', 'changes', () => history().then((m) => m.ReadSnapshotDiff), ['ReadSnapshotDiff']),
  entry('show', 'show', () => history().then((m) => m.Show)),
  entry('diff', 'diff', () => history().then((m) => m.Diff)),
  entry('file_history', 'history', () => history().then((m) => m.FileHistory)),
  entry('cat', 'cat', () => history().then((m) => m.Cat)),
  entry('blame', 'blame', () => import('./blame.ts').then((m) => m.Blame)),
  entry('export', 'export', () => import('./export.ts').then((m) => m.Export)),
  entry('restore', 'restore', () => restore().then((m) => m.Restore)),
  entry('undo', 'undo', () => restore().then((m) => m.Undo)),
  entry('redo', 'redo', () => restore().then((m) => m.Redo)),
  entry('materialise', 'materialise', () => restore().then((m) => m.Materialise), ['materialize']),
  entry('reverse_op', 'revert', () => import('./reverse.ts').then((m) => m.ReverseOp), ['ReverseOp', 'revert']),
  entry('apply_edit_block', 'edit', () => edits().then((m) => m.ApplyEditBlock), ['ApplyEditBlock']),
  entry('apply_whole_file_edit', 'write', () => edits().then((m) => m.ApplyWholeFileEdit), ['ApplyWholeFileEdit']),
  entry('apply_ranged_edit', 'edit-lines', () => edits().then((m) => m.ApplyRangedEdit), ['ApplyRangedEdit']),
  entry('apply_unified_diff', 'patch', () => edits().then((m) => m.ApplyUnifiedDiff), ['ApplyUnifiedDiff']),
  entry('delete', 'rm', () => edits().then((m) => m.Delete), ['Delete']),
  entry('create_directory', 'mkdir', () => edits().then((m) => m.CreateDirectory), ['CreateDirectory']),
  entry('rename', 'mv', () => edits().then((m) => m.Rename), ['Rename']),
  entry('apply_edits', 'apply_edits', () => edits().then((m) => m.ApplyEdits), ['ApplyEdits']),
  entry('create_milestone', 'milestone', () => milestones().then((m) => m.CreateMilestone), ['CreateMilestone']),
  entry('get_milestones', 'milestones', () => milestones().then((m) => m.GetMilestones), ['GetMilestones']),
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
  entry('timewarp_session_start', 'session-start', () => travel().then((m) => m.SessionStart), [
    'session_start',
    'on_session_start',
  ]),
  entry('timewarp_issue_report', 'issue', () => issues().then((m) => m.IssueReport), ['issue_report']),
  entry('timewarp_issue_list', 'issues', () => issues().then((m) => m.IssueList), ['issue_list']),
  entry('timewarp_issue_get', 'show-issue', () => issues().then((m) => m.IssueGet), ['issue_get']),
  entry('timewarp_issue_update', 'update-issue', () => issues().then((m) => m.IssueUpdate), ['issue_update']),
  entry('timewarp_travel', 'travel', () => travel().then((m) => m.Travel), ['travel']),
  entry('timewarp_return', 'return', () => travel().then((m) => m.Return), ['return']),
  entry('timewarp_acknowledge', 'acknowledge', () => travel().then((m) => m.Acknowledge), ['acknowledge']),
  entry('timewarp_experiment_note', 'experiment-note', () => experiments().then((m) => m.ExperimentNote), [
    'experiment_note',
  ]),
  entry('timewarp_experiment_run', 'experiment-run', () => experiments().then((m) => m.ExperimentRun), [
    'experiment_run',
  ]),
  entry('timewarp_experiment_replay', 'replay', () => experiments().then((m) => m.ExperimentReplay), [
    'experiment_replay',
  ]),
  entry('timewarp_experiment_list', 'experiments', () => experiments().then((m) => m.ExperimentList), [
    'experiment_list',
  ]),
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

/** Every tool by name, with its spec. */
export type Tools = {
  readonly [Row in (typeof TOOLS)[number] as Row['tool']]: Awaited<ReturnType<Row['load']>>
}

export const CATALOGUE = TOOLS as readonly CatalogueEntry[]

const NAMES: Readonly<Record<string, CatalogueEntry>> = Object.fromEntries(
  CATALOGUE.flatMap((row) => [row.tool, ...row.aliases].map((name) => [name, row])),
)

/** `name` may be an alias. */
export const findTool = (name: string): CatalogueEntry | undefined => lookUp(NAMES, name)
export const findVerb = (verb: string): CatalogueEntry | undefined => CATALOGUE.find((row) => row.verb === verb)
