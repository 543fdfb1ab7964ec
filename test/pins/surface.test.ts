import { expect, test } from 'vitest'
import { FAULTS, KINDS } from '../../src/base/fault.ts'
import { CATALOGUE } from '../../src/protocol/catalogue.ts'
import { Config } from '../../src/schema/config.ts'
import { loadHandler } from '../../src/tools/handlers.ts'

test('pin: exit codes', () => {
  const exits = Object.fromEntries(Object.entries(KINDS).map(([kind, { exit }]) => [kind, exit]))
  expect(exits).toEqual({ usage: 2, missing: 3, conflict: 4, busy: 5, corrupt: 20, bug: 70 })
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
    'workspaces=workspace_list',
    'uninstall',
  ])
})

test('pin: fault codes', () => {
  expect(Object.keys(FAULTS).sort()).toEqual([
    'BAD_INPUT',
    'CAPTURE_UNSETTLED',
    'CONFIG_BAD',
    'CONFIRM_DECLINED',
    'CONFIRM_NEEDED',
    'CONFIRM_WRONG',
    'DAEMON_FAILED',
    'DAEMON_LOST',
    'DAEMON_RUNNING',
    'DAEMON_STUCK',
    'EDIT_INTERRUPTED',
    'EDIT_STUCK',
    'EXPORT_REFUSED',
    'FILE_BINARY',
    'FILE_CHANGED',
    'FILE_NOT_UTF8',
    'FOLDER_NOT_EMPTY',
    'FOLDER_REFUSED',
    'GIT_FAILED',
    'GIT_KEEP_NOT_FOUND',
    'GIT_RESCUE_REFUSED',
    'GUARD_SETTINGS',
    'HOME_BAD',
    'HUNK_AMBIGUOUS',
    'HUNK_UNKNOWN',
    'INTERNAL',
    'MILESTONE_EMPTY',
    'MILESTONE_NOT_FOUND',
    'MIRROR_BAD',
    'NOTHING_TO_REDO',
    'NOTHING_TO_REVERT',
    'NOTHING_TO_UNDO',
    'NO_PERMISSION',
    'NO_SPACE',
    'OBJECT_DAMAGED',
    'OBJECT_MISSING',
    'PACK_DAMAGED',
    'PATCH_BAD',
    'PATCH_MISMATCH',
    'PATH_EXCLUDED',
    'PATH_EXISTS',
    'PATH_KIND',
    'PATH_MISSING',
    'PATH_NOT_FOUND',
    'PATH_OUTSIDE',
    'PATH_PROTECTED',
    'PATH_SYMLINK',
    'PROMPT_NOT_FOUND',
    'RANGE_OUTSIDE',
    'RECORDS_DAMAGED',
    'RENAME_INSIDE',
    'RESTORE_DAMAGED',
    'RESTORE_FAILED',
    'ROOT_MISSING',
    'SEARCH_AMBIGUOUS',
    'SEARCH_EMPTY',
    'SEARCH_NOT_FOUND',
    'SEARCH_OCCURRENCE',
    'SNAPSHOT_AMBIGUOUS',
    'SNAPSHOT_DROPPED',
    'SNAPSHOT_FOREIGN',
    'SNAPSHOT_NOT_FOUND',
    'STORE_BUSY',
    'STORE_NEWER',
    'TOOL_NOT_OFFERED',
    'TOOL_SET_UNKNOWN',
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
  expect(Config.parse({})).toMatchObject({ max_file_bytes: 268435456, retention: { mode: 'tiers', edits_days: 90 } })
})

test('every tool has a handler for its own spec, and every field a description', async () => {
  for (const { tool, verb, load } of CATALOGUE) {
    const spec = await load()
    expect([spec.name, spec.verb?.name ?? spec.name]).toEqual([tool, verb])
    expect((await loadHandler(tool)).spec).toBe(spec)
    for (const [name, field] of Object.entries(spec.input.shape))
      expect(field.description, `${tool}.${name}`).toBeTruthy()
  }
})
