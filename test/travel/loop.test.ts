import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newWorkspace, shell, type Workspace } from '../kit/workspace.ts'
import { stateOf } from '../kit/world.ts'

/** The whole loop: friction noted, work done, the past visited, a fix tried there, home, the fix done here. */

const git = (workspace: Workspace, ...args: string[]): void => {
  const { status, stderr } = spawnSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args], {
    cwd: workspace.root,
  })
  if (status !== 0) throw new Error(stderr.toString())
}

const CHECK = `test "$(sh add.sh 2 3)" = 5`

/** A small project under git, with a fault in it, and with everything that people fear to lose. */
function project(): Workspace {
  const workspace = newWorkspace({
    'add.sh': '#!/bin/sh\n# adds\necho $(($1 - $2))\n# end\n',
    'README.md': 'Adds numbers.\n',
    '.gitignore': '.env\ncache/\n',
    '.env': 'MODE=first\n',
    'package-lock.json': '{"first":1}\n',
    'empty/': '',
  })
  git(workspace, 'init', '-q')
  git(workspace, 'add', '.')
  git(workspace, 'commit', '-qm', 'first')
  return workspace
}

/** Work that goes on after the friction was noted. */
function workOn(workspace: Workspace): void {
  workspace.write({
    'README.md': 'Adds numbers.\n\nNow with a manual.\n',
    'docs/manual.md': 'Run add.sh.\n',
    '.env': 'MODE=second\n',
    'cache/ignored.bin': Buffer.alloc(5000, 3),
    'untracked.txt': 'untracked\n',
    'package-lock.json': '{"second":2}\n',
    'another-empty/inner/': '',
    'add.sh': '#!/bin/sh\n# adds\necho $(($1 - $2))\n# end\n# a remark of somebody else\n',
  })
  fs.rmSync(workspace.at('empty'), { recursive: true })
  fs.symlinkSync('README.md', workspace.at('link'))
  fs.chmodSync(workspace.at('add.sh'), 0o755)
  fs.utimesSync(workspace.at('untracked.txt'), 1_700_000_000, 1_700_000_000)
  git(workspace, 'add', 'README.md', 'docs')
  git(workspace, 'commit', '-qm', 'second')
}

test('friction noted, gone back to, mended there in three rounds, done again at home, verified', async () => {
  const workspace = project()
  const session = await workspace.call('timewarp_session_start', {
    session_id: 'sess_1',
    client: 'claude',
    initial_task_hint: 'Make adding work',
  })
  expect(session).toMatchObject({ session_id: 'sess_1', already: false, mode: 'present' })
  const state = () => JSON.parse(workspace.read('.timewarp/state.json'))
  expect(state()).toEqual({
    workspace_root: workspace.root,
    session_id: 'sess_1',
    session_snapshot_id: session.snapshot_id,
    mode: 'present',
    current_snapshot_id: null,
    backup_path: null,
    entered_at: null,
    guard_token: null,
  })
  const reported = await workspace.call('timewarp_issue_report', {
    task_context: 'The user wanted the sum of 2 and 3',
    symptom: 'add.sh printed -1, and the agent tried three times',
    success_criteria: 'sh add.sh 2 3 prints 5 and exits 0',
    suspected_cause: 'the wrong operator',
    chat_summary: 'Asked for a sum, got a difference.',
    impact: 4,
  })
  expect(reported).toMatchObject({ ok: true, snapshot_id: session.snapshot_id, already: false })
  const { issue_id } = reported
  workOn(workspace)
  const before = stateOf(workspace.root)
  const head = fs.readFileSync(workspace.at('.git/HEAD'), 'utf8')

  const there = await workspace.call('timewarp_travel', { issue_id })
  expect(there).toMatchObject({ mode: 'past', snapshot_id: session.snapshot_id, issue_id, conflicts: [], skipped: [] })
  expect(there.lock_files).toEqual(['package-lock.json'])
  expect(there.warnings.join()).toContain('installed dependencies may not match')
  expect(state()).toMatchObject({
    mode: 'past',
    current_snapshot_id: session.snapshot_id,
    backup_path: there.backup_path,
    guard_token: there.guard_token,
  })
  expect(workspace.read('.env')).toBe('MODE=first\n')
  expect([workspace.has('untracked.txt'), workspace.has('cache/ignored.bin'), workspace.has('empty')]).toEqual([
    false,
    false,
    true,
  ])
  expect(await workspace.call('status')).toMatchObject({
    mode: 'past',
    past: { current_snapshot_id: session.snapshot_id, backup_path: there.backup_path, issue_id },
  })

  const runs = await workspace.call('timewarp_experiment_run', { command: CHECK, timeout: 20 })
  expect(runs.results.map(({ where, exit_code }) => [where, exit_code])).toEqual([
    ['past', 1],
    ['present', 1],
  ])
  const rounds = [
    ['echo $(($1 * $2))', 'prints 6'],
    ['echo $(($1 + $1))', 'prints 4'],
    ['echo $(($1 + $2))', 'prints 5'],
  ] as const
  for (const [line, result] of rounds) {
    workspace.write({ 'add.sh': `#!/bin/sh\n# adds\n${line}\n# end\n` })
    const noted = await workspace.call('timewarp_experiment_note', {
      issue_id,
      changes: line,
      validation: 'sh add.sh 2 3',
      result,
    })
    expect(noted.round).toBe(rounds.findIndex(([other]) => other === line) + 1)
  }
  workspace.write({ 'test.sh': `${CHECK}\n` })
  const last = await workspace.call('timewarp_experiment_run', { command: CHECK, where: 'past' })
  expect(last.results[0]?.exit_code).toBe(0)

  const home = await workspace.call('timewarp_return', {})
  expect(home).toMatchObject({ mode: 'present', verified: true, differences: [], issue_id, conflicts: [], skipped: [] })
  expect(home.changed.sort()).toEqual(['add.sh', 'test.sh'])
  expect(stateOf(workspace.root)).toEqual(before)
  expect(fs.readFileSync(workspace.at('.git/HEAD'), 'utf8')).toBe(head)
  expect(state()).toMatchObject({ mode: 'present', current_snapshot_id: null, backup_path: null, guard_token: null })
  const notes = fs.readFileSync(home.experiment_path ?? '', 'utf8')
  expect(notes.match(/^## Round \d/gm)).toEqual(['## Round 1', '## Round 2', '## Round 3'])
  expect(notes).toContain('sh add.sh 2 3 prints 5 and exits 0')

  const shown = await workspace.call('timewarp_experiment_replay', { issue_id, dry_run: true })
  expect(shown).toMatchObject({ affected_files: ['add.sh', 'test.sh'], conflicts: [], new_snapshot_id: null })
  expect(shown.diff).toContain('+echo $(($1 + $2))')
  expect(stateOf(workspace.root)).toEqual(before)
  const done = await workspace.call('timewarp_experiment_replay', { issue_id })
  expect(done.new_snapshot_id).not.toBeNull()
  expect(workspace.read('add.sh')).toBe('#!/bin/sh\n# adds\necho $(($1 + $2))\n# end\n# a remark of somebody else\n')
  expect(shell(`cd "$1" && ${CHECK} && echo good`, workspace.root)).toBe('good\n')
  await workspace.call('timewarp_issue_update', { issue_id, status: 'fixed' })
  expect(await workspace.call('timewarp_issue_get', { issue_id })).toMatchObject({
    status: 'fixed',
    experiments: [home.experiment_id],
  })
  const file = JSON.parse(fs.readFileSync(join(workspace.root, '.timewarp/issues', issue_id, 'issue.json'), 'utf8'))
  expect(file).toMatchObject({ issue_id, status: 'fixed', chat_file: 'chat.md', experiment_file: 'experiment.md' })
  expect(await workspace.call('fsck', {})).toMatchObject({ ok: true, problems: [] })
}, 60_000)
