import * as fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newWorkspace, type Workspace, whenPassing } from '../kit/workspace.ts'

const GOOD = {
  task_context: 'The user asked for a release',
  symptom: 'The changelog was forgotten twice',
  success_criteria: 'npm run release exits 1 when CHANGELOG.md has no entry',
}

async function started(): Promise<{ workspace: Workspace; snapshot_id: string }> {
  const workspace = newWorkspace({ 'a.txt': 'a\n' })
  const { snapshot_id } = await workspace.call('timewarp_session_start', { session_id: 'sess_1' })
  return { workspace, snapshot_id }
}

async function faultOf(act: Promise<unknown>): Promise<{ code: string; hint?: string; data?: unknown }> {
  try {
    await act
  } catch (error) {
    return error as { code: string }
  }
  return { code: 'none' }
}

const fileOf = (workspace: Workspace, id: string, name: string): string =>
  fs.readFileSync(join(workspace.root, '.timewarp/issues', id, name), 'utf8')

test('a session captures its beginning, with what it was run with, once', async () => {
  const workspace = newWorkspace({ 'a.txt': 'a\n' })
  const first = await workspace.call('timewarp_session_start', {
    session_id: 'any string',
    client: 'claude',
    initial_task_hint: 'Mend it',
  })
  const shown = await workspace.call('show', { snapshot_id: first.snapshot_id })
  expect(shown).toMatchObject({
    session_id: 'any string',
    label: 'claude-session-start',
    workspace_root: workspace.root,
    initial_task_hint: 'Mend it',
  })
  expect(Object.keys(shown.env_fingerprint).sort()).toEqual(['git', 'go', 'node', 'platform', 'python'])
  expect(shown.exclude_globs).toContain('.timewarp/')
  const again = await workspace.call('timewarp_session_start', { session_id: 'any string' })
  expect(again).toMatchObject({ snapshot_id: first.snapshot_id, already: true })
  const other = await workspace.call('timewarp_session_start', {})
  expect(other.session_id).toMatch(/^sess_/)
  expect(other.snapshot_id).not.toBe(first.snapshot_id)
  expect(JSON.parse(workspace.read('.timewarp/state.json'))).toMatchObject({
    session_id: other.session_id,
    session_snapshot_id: other.snapshot_id,
  })
})

test('with the rule of issues, a new session leaves only what an issue needs, and itself', async () => {
  const { workspace, snapshot_id } = await started()
  workspace.write({
    '.timewarp/config.json': JSON.stringify({ retention: { mode: 'issues', undo_steps: 0 } }),
  })
  workspace.trust()
  await workspace.call('timewarp_issue_report', GOOD)
  for (const n of ['1', '2', '3']) {
    workspace.write({ 'a.txt': n })
    await workspace.snapshot(n)
  }
  const next = await workspace.call('timewarp_session_start', { session_id: 'sess_2' })
  // What was found before the first session, and the three since.
  expect(next.removed).toHaveLength(4)
  const { snapshots } = await workspace.call('get_edit_history')
  expect(snapshots.map((one) => one.snapshot_id)).toEqual([next.snapshot_id, snapshot_id])
  const { kept } = await workspace.call('prune')
  expect(kept.map(({ reason }) => reason)).toEqual([expect.stringMatching(/^needed by issue i_/), expect.any(String)])
})

test('an unknown session is created by whichever tool names it', async () => {
  const workspace = newWorkspace({ 'a.txt': 'a\n' })
  await workspace.call('snapshot', { session_id: 'somebody' })
  const { sessions } = await workspace.call('session_list')
  expect(sessions.map(({ session_id }) => session_id)).toEqual(['somebody'])
})

test('a report makes three files, all as they should be, or nothing', async () => {
  const { workspace, snapshot_id } = await started()
  const { issue_id } = await workspace.call('timewarp_issue_report', { ...GOOD, chat_summary: 'Twice forgotten.' })
  expect(issue_id).toMatch(/^i_\d{8}_\d{6}_[0-9a-z]{6}$/)
  expect(JSON.parse(fileOf(workspace, issue_id, 'issue.json'))).toEqual({
    ...GOOD,
    issue_id,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    status: 'open',
    snapshot_id,
    chat_file: 'chat.md',
    chat_summary: 'Twice forgotten.',
    experiment_file: 'experiment.md',
    session_id: 'sess_1',
  })
  expect(fileOf(workspace, issue_id, 'chat.md')).toMatch(
    /^session_id: sess_1\ncaptured_at: \S+Z\nselection: none\nredaction: applied\n\n---\n/,
  )
  expect(fileOf(workspace, issue_id, 'experiment.md')).toBe(
    `# Experiment\n\n## Issue\n- id: ${issue_id}\n- snapshot_id: ${snapshot_id}\n\n## Success Criteria\n${GOOD.success_criteria}\n\n` +
      '## Repro\n\n## Changes\n\n## Validation\n\n## Result\n',
  )
  expect(fs.readdirSync(workspace.at('.timewarp/issues'))).toEqual([issue_id])
  const got = await workspace.call('timewarp_issue_get', { issue_id })
  expect(got).toMatchObject({ ...GOOD, issue_id, snapshot_id, status: 'open' })
  for (const path of [got.issue_path, got.chat_path, got.experiment_path]) expect(fs.existsSync(path)).toBe(true)
})

test.each(['issue:taken', 'store:published'])('a report that fails at %s leaves nothing', async (point) => {
  const { workspace } = await started()
  whenPassing(point, () => {
    throw new Error('the disk is gone')
  })
  expect((await faultOf(workspace.call('timewarp_issue_report', GOOD))).code).not.toBe('none')
  expect((await workspace.call('timewarp_issue_list', { status: 'all' })).issues).toEqual([])
  expect(fs.readdirSync(workspace.at('.timewarp/issues'))).toEqual([])
})

test.each(['smoother', '更顺畅', 'works better', 'The agent should be faster.', 'It works as expected', '体验更好'])(
  'a criterion such as "%s" is refused with advice',
  async (success_criteria) => {
    const { workspace } = await started()
    const fault = await faultOf(workspace.call('timewarp_issue_report', { ...GOOD, success_criteria }))
    expect(fault.code).toBe('CRITERIA_VAGUE')
    expect(fault.hint).toContain('the path that triggers it')
  },
)

test.each([
  'npm test passes',
  '在用户要求执行 X 任务时，Agent 不应再次漏掉 Y 前置步骤；一次尝试内完成，且不会出现 Z 错误',
  'No ENOENT',
  'at most 1 retry',
  'Тесты проходят без ошибок',
])('a criterion such as "%s" is taken', async (success_criteria) => {
  const { workspace } = await started()
  expect(await workspace.call('timewarp_issue_report', { ...GOOD, success_criteria })).toMatchObject({ ok: true })
})

test('a report without a session snapshot says what to do; with one named it needs no session', async () => {
  const workspace = newWorkspace({ 'a.txt': 'a\n' })
  const snapshot_id = await workspace.snapshot()
  expect(await faultOf(workspace.call('timewarp_issue_report', GOOD))).toMatchObject({
    code: 'SESSION_NOT_STARTED',
    hint: expect.stringContaining('on_session_start'),
  })
  const unknown = await faultOf(workspace.call('timewarp_issue_report', { ...GOOD, session_id: 'nobody' }))
  expect(unknown).toMatchObject({ code: 'SESSION_NOT_STARTED', data: { session_id: 'nobody' } })
  expect(await workspace.call('timewarp_issue_report', { ...GOOD, snapshot_id })).toMatchObject({ snapshot_id })
})

test('ids of the wrong form and unknown ones are told apart', async () => {
  const { workspace } = await started()
  const code = async (issue_id: string) => (await faultOf(workspace.call('timewarp_issue_get', { issue_id }))).code
  for (const id of ['', 'x', '../../etc/passwd', 'i_2026', 'i_20260228_153500_EF34GH', 's_20260228_153500_ef34gh'])
    expect(await code(id), id).toBe('INVALID_ISSUE_ID')
  expect(await code('i_20260228_153500_ef34gh')).toBe('ISSUE_NOT_FOUND')
  expect((await faultOf(workspace.call('timewarp_travel', { issue_id: 'x' }))).code).toBe('INVALID_ISSUE_ID')
})

test('issues are listed by rank; those like each other are linked, and the same one told twice is one', async () => {
  const { workspace } = await started()
  const low = await workspace.call('timewarp_issue_report', { ...GOOD, impact: 1, frequency: 1, reproducibility: 1 })
  const high = await workspace.call('timewarp_issue_report', {
    task_context: 'Install',
    symptom: 'The port was taken',
    success_criteria: 'curl :8080 answers 200',
    impact: 5,
    frequency: 4,
    reproducibility: 5,
  })
  const twin = await workspace.call('timewarp_issue_report', {
    ...GOOD,
    symptom: 'The changelog was forgotten again',
    impact: 1,
  })
  expect(twin.similar_to).toEqual([low.issue_id])
  expect(await workspace.call('timewarp_issue_report', GOOD)).toMatchObject({ already: true, issue_id: low.issue_id })
  const { issues } = await workspace.call('timewarp_issue_list')
  expect(issues.map(({ issue_id }) => issue_id)).toEqual([high.issue_id, twin.issue_id, low.issue_id])
  expect(issues[2]?.similar_to).toEqual([twin.issue_id])
  expect(JSON.parse(fileOf(workspace, low.issue_id, 'issue.json')).similar_to).toEqual([twin.issue_id])
  await workspace.call('timewarp_issue_update', { issue_id: high.issue_id, status: 'wontfix' })
  expect((await workspace.call('timewarp_issue_list')).issues).toHaveLength(2)
  expect((await workspace.call('timewarp_issue_list', { status: 'wontfix' })).issues).toHaveLength(1)
  expect((await workspace.call('timewarp_issue_list', { status: 'all' })).issues).toHaveLength(3)
})

test('whoever moves an issue back says why; what is not allowed is refused with what is', async () => {
  const { workspace } = await started()
  const { issue_id } = await workspace.call('timewarp_issue_report', GOOD)
  const move = (status: 'open' | 'investigating' | 'fixed' | 'wontfix', reason?: string) =>
    workspace.call('timewarp_issue_update', { issue_id, status, ...(reason === undefined ? {} : { reason }) })
  await move('investigating')
  await move('fixed')
  expect(await move('fixed')).toMatchObject({ already: true })
  expect((await faultOf(move('open'))).code).toBe('ISSUE_NEEDS_REASON')
  expect(await faultOf(move('wontfix'))).toMatchObject({
    code: 'ISSUE_BAD_MOVE',
    data: { allowed: ['open', 'investigating'] },
  })
  await move('open', 'It came back')
  const { history } = await workspace.call('timewarp_issue_get', { issue_id })
  expect(history.map(({ from, to, reason }) => [from, to, reason])).toEqual([
    ['open', 'investigating', null],
    ['investigating', 'fixed', null],
    ['fixed', 'open', 'It came back'],
  ])
})

test('the folder comes back, whole or in part, with the next command; the packs alone bring the issue back', async () => {
  const { workspace } = await started()
  const { issue_id } = await workspace.call('timewarp_issue_report', GOOD)
  await workspace.call('timewarp_experiment_note', {
    issue_id,
    changes: 'x',
    validation: 'y',
    result: 'z',
    conclusion: 'w',
  })
  const names = ['issue.json', 'chat.md', 'experiment.md']
  const before = names.map((name) => fileOf(workspace, issue_id, name))
  for (const gone of ['', '/issues', `/issues/${issue_id}`, `/issues/${issue_id}/experiment.md`]) {
    fs.rmSync(workspace.at(`.timewarp${gone}`), { recursive: true })
    await workspace.call('snapshot')
    expect(names.map((name) => fileOf(workspace, issue_id, name))).toEqual(before)
  }
  await workspace.call('gc')
  expect(await workspace.call('fsck', { rebuild: true })).toMatchObject({ ok: true })
  fs.rmSync(workspace.at('.timewarp'), { recursive: true })
  await workspace.call('timewarp_issue_list')
  expect(names.map((name) => fileOf(workspace, issue_id, name))).toEqual(before)
})

test('what is written into the folder by hand is taken in and never lost', async () => {
  const { workspace } = await started()
  const { issue_id } = await workspace.call('timewarp_issue_report', GOOD)
  const path = workspace.at('.timewarp/issues', issue_id, 'experiment.md')
  fs.appendFileSync(path, '\nby hand\n')
  await workspace.call('status')
  fs.rmSync(workspace.at('.timewarp'), { recursive: true })
  await workspace.call('status')
  expect(fileOf(workspace, issue_id, 'experiment.md')).toMatch(/## Result\n\nby hand\n$/)
  await workspace.call('timewarp_experiment_note', { issue_id, changes: 'x', validation: 'y', result: 'z' })
  const text = fileOf(workspace, issue_id, 'experiment.md')
  expect(text).toContain('by hand')
  expect(text).toContain('## Round 1')
  const json = JSON.parse(fileOf(workspace, issue_id, 'issue.json'))
  fs.writeFileSync(
    workspace.at('.timewarp/issues', issue_id, 'issue.json'),
    JSON.stringify({ ...json, status: 'fixed' }),
  )
  expect(await workspace.call('timewarp_issue_get', { issue_id })).toMatchObject({ status: 'fixed' })
  fs.writeFileSync(workspace.at('.timewarp/issues', issue_id, 'issue.json'), 'no longer JSON')
  const { warnings } = await workspace.call('timewarp_issue_list')
  expect(warnings.join()).toContain('issue.json.edited')
  expect(fileOf(workspace, issue_id, 'issue.json.edited')).toBe('no longer JSON')
  expect(JSON.parse(fileOf(workspace, issue_id, 'issue.json')).status).toBe('fixed')
})

test('a round that was recorded, and a line written by hand before it reached the file, both stay', async () => {
  const { workspace } = await started()
  const { issue_id } = await workspace.call('timewarp_issue_report', GOOD)
  whenPassing('issue:spread', () => {
    throw new Error('the disk is gone')
  })
  await faultOf(workspace.call('timewarp_experiment_note', { issue_id, changes: 'x', validation: 'y', result: 'z' }))
  expect(fileOf(workspace, issue_id, 'experiment.md')).not.toContain('Round 1')
  const path = workspace.at('.timewarp/issues', issue_id, 'experiment.md')
  fs.writeFileSync(path, fs.readFileSync(path, 'utf8').split('## Repro\n').join('## Repro\nby hand\n'))
  await workspace.call('status')
  expect(fileOf(workspace, issue_id, 'experiment.md')).toContain('## Repro\nby hand\n')
  expect(fileOf(workspace, issue_id, 'experiment.md')).toContain('## Round 1')
})

test('secrets get into no file, no record and no answer', async () => {
  const { workspace } = await started()
  const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'
  workspace.write({ '.env': 'DATABASE_PASSWORD=correct-horse-battery-9\n' })
  const { issue_id } = await workspace.call('timewarp_issue_report', {
    ...GOOD,
    symptom: `The push failed with ${secret}`,
    chat_summary: 'correct-horse-battery-9 was refused',
  })
  await workspace.call('timewarp_experiment_note', { issue_id, changes: secret, validation: 'y', result: 'z' })
  const run = await workspace.call('timewarp_experiment_run', {
    issue_id,
    command: `echo ${secret}; cat .env`,
    where: 'present',
  })
  const all = JSON.stringify([
    ...['issue.json', 'chat.md', 'experiment.md'].map((name) => fileOf(workspace, issue_id, name)),
    await workspace.call('timewarp_issue_get', { issue_id }),
    run.results,
  ])
  expect(all).toContain('***REDACTED***')
  expect(all).not.toContain(secret)
  expect(all).not.toContain('correct-horse-battery-9')
})

test('chat.md holds the conversation: handed in, from a transcript, whole or a window; without one it says so', async () => {
  const { workspace } = await started()
  const chatOf = async (more: object): Promise<{ text: string; warnings: string[] }> => {
    const symptom = `The ${Math.random()} was forgotten`
    const { issue_id, warnings } = await workspace.call('timewarp_issue_report', { ...GOOD, symptom, ...more })
    return { text: fileOf(workspace, issue_id, 'chat.md'), warnings }
  }
  const messages = ['one', 'two', 'three'].map((content) => ({ role: 'user', content }))
  const secret = { role: 'tool', name: 'bash', content: 'token ghp_0123456789abcdefghijABCDEFGHIJ012345' }
  const whole = (await chatOf({ messages: [...messages, secret] })).text
  expect(whole).toMatch(
    /^session_id: sess_1\ncaptured_at: \S+Z\nselection: whole\nredaction: applied\n\n---\n\n\[user\] one/,
  )
  expect(whole).toContain('***REDACTED***')
  const some = (await chatOf({ messages, chat_before: 1, chat_after: 0 })).text
  expect(some).toContain('selection: window(before=1, after=0)')
  expect([some.includes('[user] one'), some.includes('[user] three')]).toEqual([false, true])
  const line = { type: 'user', message: { role: 'user', content: 'from the transcript' } }
  workspace.write({ 'chat.jsonl': `${JSON.stringify(line)}\n` })
  expect((await chatOf({ transcript: 'chat.jsonl' })).text).toContain('[user] from the transcript')
  await workspace.call('timewarp_session_start', { session_id: 'sess_2', transcript: workspace.at('chat.jsonl') })
  expect((await chatOf({ session_id: 'sess_2' })).text).toContain('[user] from the transcript')
  const missing = await chatOf({ session_id: 'sess_1', transcript: 'nowhere.jsonl' })
  expect(missing.text).toContain('selection: none')
  expect(missing.warnings.join()).toContain('nowhere.jsonl')
})

test('sessions and what began them survive in the packs', async () => {
  const { workspace, snapshot_id } = await started()
  await workspace.close()
  for (const name of ['timewarp.db', 'timewarp.db-wal', 'timewarp.db-shm'])
    fs.rmSync(join(workspace.home, name), { force: true })
  await workspace.call('fsck', { rebuild: true })
  expect(await workspace.call('timewarp_issue_report', { ...GOOD, session_id: 'sess_1' })).toMatchObject({
    snapshot_id,
  })
  await workspace.call('fsck', { rebuild: true })
  expect(await workspace.call('timewarp_session_start', { session_id: 'sess_1' })).toMatchObject({
    already: true,
    snapshot_id,
  })
})

test('nothing is written through a link', async () => {
  const { workspace } = await started()
  const outside = join(workspace.temp, 'outside')
  fs.mkdirSync(outside)
  fs.symlinkSync(outside, workspace.at('.timewarp/issues'))
  expect((await faultOf(workspace.call('timewarp_issue_report', GOOD))).code).toBe('FOLDER_REFUSED')
  fs.rmSync(workspace.at('.timewarp/issues'))
  const { issue_id } = await workspace.call('timewarp_issue_report', GOOD)
  fs.rmSync(workspace.at('.timewarp/issues', issue_id), { recursive: true })
  fs.symlinkSync(outside, workspace.at('.timewarp/issues', issue_id))
  expect((await workspace.call('timewarp_issue_list')).warnings.join()).toContain('not a folder of its own')
  fs.rmSync(workspace.at('.timewarp/issues'), { recursive: true })
  fs.symlinkSync(outside, workspace.at('.timewarp/issues'))
  await workspace.call('status')
  expect(fs.readdirSync(outside)).toEqual([])
})

test('damage in the store is told, and keeps nobody from working', async () => {
  const { workspace } = await started()
  const { issue_id } = await workspace.call('timewarp_issue_report', GOOD)
  await workspace.close()
  for (const name of fs.readdirSync(join(workspace.home, 'objects'))) {
    const pack = fs.readFileSync(join(workspace.home, 'objects', name))
    fs.writeFileSync(join(workspace.home, 'objects', name), pack.fill(0, 64))
  }
  fs.rmSync(workspace.at('.timewarp/issues'), { recursive: true })
  expect((await workspace.call('snapshot')).warnings.join()).toContain(issue_id)
  expect((await workspace.call('timewarp_issue_list')).issues).toMatchObject([{ issue_id }])
  const { problems } = await workspace.call('fsck')
  expect(JSON.stringify(problems)).toContain(issue_id)
})
