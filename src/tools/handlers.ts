import type { Handler } from '../app/handler.ts'
import { Fault } from '../base/fault.ts'
import { lookUp } from '../base/look-up.ts'
import type { Tools } from '../protocol/catalogue.ts'

const history = () => import('./history.ts')
const restore = () => import('./restore.ts')
const keeping = () => import('./keeping.ts')
const setup = () => import('./setup.ts')
const edits = () => import('./edits.ts')
const milestones = () => import('./milestones.ts')
const git = () => import('./git/git-rescue.ts')
const travel = () => import('./travel/travel.ts')
const issues = () => import('./travel/issues.ts')
const experiments = () => import('./travel/experiments.ts')

/** A handler for each tool: a missing one, or one of another spec, does not compile. */
type Handlers = {
  readonly [Name in keyof Tools]: () => Promise<Handler<Tools[Name]['input'], Tools[Name]['output']>>
}

/** The module of each tool's handler. Loaded when the tool is called. */
const HANDLERS: Handlers = {
  workspace_init: () => setup().then((m) => m.workspaceInit),
  snapshot: () => import('./snapshot.ts').then((m) => m.snapshot),
  status: () => setup().then((m) => m.status),
  get_edit_history: () => history().then((m) => m.getEditHistory),
  read_snapshot_diff: () => history().then((m) => m.readSnapshotDiff),
  show: () => history().then((m) => m.show),
  diff: () => history().then((m) => m.diff),
  file_history: () => history().then((m) => m.fileHistory),
  cat: () => history().then((m) => m.cat),
  blame: () => import('./blame.ts').then((m) => m.blame),
  export: () => import('./export.ts').then((m) => m.exportTool),
  restore: () => restore().then((m) => m.restore),
  undo: () => restore().then((m) => m.undo),
  redo: () => restore().then((m) => m.redo),
  materialise: () => restore().then((m) => m.materialise),
  reverse_op: () => import('./reverse/reverse.ts').then((m) => m.reverseOp),
  apply_edit_block: () => edits().then((m) => m.applyEditBlock),
  apply_whole_file_edit: () => edits().then((m) => m.applyWholeFileEdit),
  apply_ranged_edit: () => edits().then((m) => m.applyRangedEdit),
  apply_unified_diff: () => edits().then((m) => m.applyUnifiedDiff),
  delete: () => edits().then((m) => m.remove),
  create_directory: () => edits().then((m) => m.createDirectory),
  rename: () => edits().then((m) => m.rename),
  apply_edits: () => edits().then((m) => m.applyEdits),
  create_milestone: () => milestones().then((m) => m.createMilestone),
  get_milestones: () => milestones().then((m) => m.getMilestones),
  show_milestone: () => milestones().then((m) => m.showMilestone),
  tag_milestone: () => milestones().then((m) => m.tagMilestone),
  detect_milestones: () => milestones().then((m) => m.detectMilestones),
  delete_milestone: () => milestones().then((m) => m.deleteMilestone),
  session_list: () => import('./sessions.ts').then((m) => m.sessionList),
  rewind: () => import('./sessions.ts').then((m) => m.rewind),
  record_event: () => import('./events/record-event.ts').then((m) => m.recordEvent),
  git_keep: () => git().then((m) => m.gitKeep),
  git_rescue: () => git().then((m) => m.gitRescue),
  guard_judge: () => import('./events/guard-judge.ts').then((m) => m.guardJudge),
  shell_event: () => import('./events/shell-event.ts').then((m) => m.shellEvent),
  redact: () => import('./redact.ts').then((m) => m.redact),
  timewarp_session_start: () => import('./travel/session-start.ts').then((m) => m.sessionStart),
  timewarp_issue_report: () => issues().then((m) => m.issueReport),
  timewarp_issue_list: () => issues().then((m) => m.issueList),
  timewarp_issue_get: () => issues().then((m) => m.issueGet),
  timewarp_issue_update: () => issues().then((m) => m.issueUpdate),
  timewarp_travel: () => travel().then((m) => m.travel),
  timewarp_return: () => travel().then((m) => m.comeBack),
  timewarp_acknowledge: () => travel().then((m) => m.acknowledge),
  timewarp_experiment_note: () => issues().then((m) => m.experimentNote),
  timewarp_experiment_run: () => experiments().then((m) => m.experimentRun),
  timewarp_experiment_replay: () => import('./reverse/replay.ts').then((m) => m.experimentReplay),
  timewarp_experiment_list: () => experiments().then((m) => m.experimentList),
  pin: () => keeping().then((m) => m.pin),
  unpin: () => keeping().then((m) => m.unpin),
  label: () => keeping().then((m) => m.label),
  prune: () => keeping().then((m) => m.prune),
  gc: () => keeping().then((m) => m.gc),
  fsck: () => keeping().then((m) => m.fsck),
  stats: () => keeping().then((m) => m.stats),
  forget: () => keeping().then((m) => m.forget),
  mirror: () => keeping().then((m) => m.mirror),
  config: () => import('./config.ts').then((m) => m.config),
  trust: () => import('./trust.ts').then((m) => m.trust),
  workspace_list: () => setup().then((m) => m.workspaceList),
  uninstall: () => setup().then((m) => m.uninstall),
}

export async function loadHandler(tool: string): Promise<Handler> {
  const load = lookUp(HANDLERS as Readonly<Record<string, () => Promise<unknown>>>, tool)
  if (load === undefined) throw new Fault('UNKNOWN_TOOL', { name: tool })
  return (await load()) as Handler
}
