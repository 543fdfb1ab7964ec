import { expect, test } from 'vitest'
import { z } from 'zod'
import { FAULTS, KINDS } from '../../src/base/fault.ts'
import { CATALOGUE } from '../../src/protocol/catalogue.ts'
import { configSchema, mergeConfig } from '../../src/schema/config.ts'
import { loadHandler } from '../../src/tools/handlers.ts'

test('pin: exit codes', () => {
  const exits = Object.fromEntries(Object.entries(KINDS).map(([kind, { exit }]) => [kind, exit]))
  expect(exits).toEqual({ usage: 2, missing: 3, conflict: 4, busy: 5, corrupt: 20, cancelled: 130, bug: 70 })
})

test('pin: tools and verbs', () => {
  expect(CATALOGUE.map(({ tool, verb }) => (tool === verb ? tool : `${verb}=${tool}`))).toEqual([
    'init=workspace_init',
    'snapshot',
    'status',
    'log=get_edit_history',
    'changes=read_snapshot_diff',
    'show',
    'diff',
    'history=file_history',
    'cat',
    'blame',
    'export',
    'restore',
    'undo',
    'redo',
    'materialise',
    'revert=reverse_op',
    'edit=apply_edit_block',
    'write=apply_whole_file_edit',
    'edit-lines=apply_ranged_edit',
    'patch=apply_unified_diff',
    'rm=delete',
    'mkdir=create_directory',
    'mv=rename',
    'apply_edits',
    'milestone=create_milestone',
    'milestones=get_milestones',
    'show-milestone=show_milestone',
    'tag-milestone=tag_milestone',
    'detect-milestones=detect_milestones',
    'delete-milestone=delete_milestone',
    'sessions=session_list',
    'rewind',
    'record-event=record_event',
    'git-keep=git_keep',
    'git-rescue=git_rescue',
    'guard-judge=guard_judge',
    'shell-event=shell_event',
    'redact',
    'session-start=timewarp_session_start',
    'issue=timewarp_issue_report',
    'issues=timewarp_issue_list',
    'show-issue=timewarp_issue_get',
    'update-issue=timewarp_issue_update',
    'travel=timewarp_travel',
    'return=timewarp_return',
    'acknowledge=timewarp_acknowledge',
    'experiment-note=timewarp_experiment_note',
    'experiment-run=timewarp_experiment_run',
    'replay=timewarp_experiment_replay',
    'experiments=timewarp_experiment_list',
    'pin',
    'unpin',
    'label',
    'prune',
    'gc',
    'fsck',
    'stats',
    'forget',
    'mirror',
    'config',
    'trust',
    'workspaces=workspace_list',
    'uninstall',
  ])
})

test('pin: fault codes', () => {
  expect(Object.keys(FAULTS).sort()).toEqual([
    'ALREADY_IN_PAST',
    'BAD_INPUT',
    'CALL_NOT_FOUND',
    'CANCELLED',
    'CAPTURE_UNSETTLED',
    'CONFIG_BAD',
    'CONFIRM_DECLINED',
    'CONFIRM_NEEDED',
    'CONFIRM_WRONG',
    'CRITERIA_VAGUE',
    'DAEMON_FAILED',
    'DAEMON_LOST',
    'DAEMON_RUNNING',
    'DAEMON_STOPPED',
    'DAEMON_STUCK',
    'EDIT_INTERRUPTED',
    'EDIT_STUCK',
    'EXPERIMENT_NOT_FOUND',
    'EXPORT_REFUSED',
    'FILE_BINARY',
    'FILE_CHANGED',
    'FILE_NOT_UTF8',
    'FOLDER_NOT_EMPTY',
    'FOLDER_REFUSED',
    'FORGETS_EVERYTHING',
    'GIT_FAILED',
    'GIT_KEEP_NOT_FOUND',
    'GIT_LOCKED',
    'GIT_RESCUE_REFUSED',
    'GUARD_SETTINGS',
    'HOME_BAD',
    'HOME_DIFFERS',
    'HUNK_AMBIGUOUS',
    'HUNK_UNKNOWN',
    'INTERNAL',
    'INVALID_ISSUE_ID',
    'ISSUE_BAD_MOVE',
    'ISSUE_NEEDS_REASON',
    'ISSUE_NOT_FOUND',
    'MILESTONE_EMPTY',
    'MILESTONE_NOT_FOUND',
    'MIRROR_BAD',
    'NOTHING_TO_FORGET',
    'NOTHING_TO_REDO',
    'NOTHING_TO_REVERT',
    'NOTHING_TO_UNDO',
    'NOT_IN_PAST',
    'NO_PERMISSION',
    'NO_SPACE',
    'OBJECT_DAMAGED',
    'OBJECT_MISSING',
    'PACK_DAMAGED',
    'PATCH_BAD',
    'PATCH_MISMATCH',
    'PATH_DAMAGED',
    'PATH_EXCLUDED',
    'PATH_EXISTS',
    'PATH_KIND',
    'PATH_MISSING',
    'PATH_NOT_FOUND',
    'PATH_OUTSIDE',
    'PATH_PROTECTED',
    'PATH_SYMLINK',
    'PATH_TOO_LONG',
    'PERSON_NEEDED',
    'PROMPT_NOT_FOUND',
    'RANGE_OUTSIDE',
    'READ_ONLY',
    'RECORDS_BEHIND',
    'RECORDS_DAMAGED',
    'RENAME_INSIDE',
    'RESTORE_DAMAGED',
    'RESTORE_FAILED',
    'RETENTION_UNKNOWN',
    'ROOT_LINKED',
    'ROOT_MISSING',
    'ROOT_REPLACED',
    'SEARCH_AMBIGUOUS',
    'SEARCH_EMPTY',
    'SEARCH_NOT_FOUND',
    'SEARCH_OCCURRENCE',
    'SESSION_NOT_FOUND',
    'SESSION_NOT_STARTED',
    'SHELL_FAILED',
    'SNAPSHOT_AMBIGUOUS',
    'SNAPSHOT_DROPPED',
    'SNAPSHOT_FOREIGN',
    'SNAPSHOT_NOT_FOUND',
    'STORE_BUSY',
    'STORE_MISSING',
    'STORE_NEWER',
    'TOOL_NOT_OFFERED',
    'TOOL_SET_UNKNOWN',
    'TOO_MANY_FILES',
    'TRAVEL_FAILED',
    'UNKNOWN_COMMAND',
    'UNKNOWN_TOOL',
    'WORKSPACE_BUSY',
    'WORKSPACE_FIXED',
    'WORKSPACE_REFUSED',
    'WORKSPACE_UNKNOWN',
    'WORKSPACE_UNNAMED',
  ])
})

test('pin: defaults of the settings', () => {
  expect(configSchema().parse({})).toEqual(mergeConfig([]))
  expect(mergeConfig([])).toMatchObject({ max_file_bytes: 268435456, retention: { mode: 'tiers', edits_days: 90 } })
})

test('every tool has a handler for its own spec, and every field a description', async () => {
  for (const { tool, verb, load } of CATALOGUE) {
    const spec = await load()
    expect([spec.name, spec.verb?.name ?? spec.name]).toEqual([tool, verb])
    expect((await loadHandler(tool)).spec).toBe(spec)
    const { properties = {} } = z.toJSONSchema(spec.input, { io: 'input' })
    for (const [name, field] of Object.entries(properties))
      expect((field as { description?: string }).description, `${tool}.${name}`).toBeTruthy()
  }
})

test('pin: facts about tools', async () => {
  const specs = await Promise.all(CATALOGUE.map(({ load }) => load()))
  const named = (fact: 'ownProcess' | 'repeatable' | 'usesWatch' | 'meetsSession' | 'guardedSession'): string[] =>
    specs.filter((spec) => spec[fact]).map(({ name }) => name)
  expect(named('ownProcess').sort()).toEqual([
    'export',
    'forget',
    'fsck',
    'gc',
    'git_rescue',
    'materialise',
    'mirror',
    'prune',
    'stats',
    'timewarp_experiment_run',
    'trust',
    'uninstall',
  ])
  expect(named('repeatable')).toEqual(['snapshot', 'record_event'])
  expect(named('usesWatch').sort()).toEqual([
    'diff',
    'record_event',
    'redo',
    'restore',
    'shell_event',
    'snapshot',
    'status',
    'undo',
    'workspace_init',
  ])
  expect(named('meetsSession')).toEqual(['record_event'])
  expect(named('guardedSession')).toEqual(['rewind', 'timewarp_issue_report'])
})

test('no two tools share a name or an alias', () => {
  const names = CATALOGUE.flatMap(({ tool, aliases }) => [tool, ...aliases])
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
})
