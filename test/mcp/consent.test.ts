import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Agent, meet, overStdio, WAYS } from './kit.ts'

const FRICTION = {
  task_context: 'Building the project',
  symptom: 'The build was run three times',
  success_criteria: 'npm run build succeeds the first time',
}

/** Calls and expects to be asked; gives what confirms the call. */
async function asked(
  agent: Agent,
  tool: string,
  input: Record<string, unknown>,
): Promise<{ token: string; would: string }> {
  const { error, text } = await agent.call(tool, input)
  expect([tool, error?.code], text).toEqual([tool, 'CONFIRM_NEEDED'])
  return { token: error.data.confirm, would: error.data.would }
}

describe.each(WAYS)('%s, %s', (...way) => {
  test('a command is run only when exactly this one is confirmed, once', async () => {
    const { agent, live } = await meet(way)
    await agent.call('snapshot')
    const proof = join(live.workspace.temp, 'proof')
    const command = `echo ran >> ${proof}${' '.repeat(5000)}# to the end`
    const input = { command, where: 'present' }
    const { token, would } = await asked(agent, 'timewarp_experiment_run', input)
    // All of it is shown, however long.
    expect(would).toContain(command)
    const wrong = [
      { ...input, command: `${command} `, confirm: token },
      { ...input, confirm: token },
    ]
    for (const other of wrong)
      expect((await agent.call('timewarp_experiment_run', other)).error.code).toBe('CONFIRM_WRONG')
    expect(existsSync(proof)).toBe(false)
    const again = await asked(agent, 'timewarp_experiment_run', input)
    const done = await agent.call('timewarp_experiment_run', { ...input, confirm: again.token })
    expect(done.isError, done.text).toBe(false)
    expect((await agent.call('timewarp_experiment_run', { ...input, confirm: again.token })).error.code).toBe(
      'CONFIRM_WRONG',
    )
    expect(readFileSync(proof, 'utf8')).toBe('ran\n')
  })
})

test('files are written into a folder of their own only when it is confirmed', async () => {
  const { agent, live } = await meet(['stdio', 'legacy'], {}, { '.env': 'TOKEN=xyzzy\n', 'a.txt': 'a\n' })
  const { snapshot_id } = (await agent.call('snapshot')).out
  const outside = join(live.workspace.temp, 'outside')
  for (const dir of [outside, live.workspace.at('inside'), `${live.root}/../outside`]) {
    const { would } = await asked(agent, 'materialise', { snapshot_id, dir })
    expect(would).toContain(dir)
    expect(would).toContain('secrets')
  }
  const { would } = await asked(agent, 'timewarp_travel', { snapshot_id, into: outside })
  expect(would).toContain(outside)
  expect([existsSync(outside), live.workspace.has('inside')]).toEqual([false, false])
  const { token } = await asked(agent, 'materialise', { snapshot_id, dir: outside })
  expect((await agent.call('materialise', { snapshot_id, dir: outside, confirm: token })).isError).toBe(false)
  expect(readFileSync(join(outside, '.env'), 'utf8')).toContain('xyzzy')
})

test('of the conversations on this machine, only those of this workspace are read unasked', async () => {
  const { agent, live } = await meet(['stdio', 'legacy'])
  await agent.call('timewarp_session_start', {})
  const said = (text: string): string =>
    `${JSON.stringify({ type: 'user', message: { role: 'user', content: text }, timestamp: '2026-01-01T00:00:00Z' })}\n`
  const theirs = join(live.workspace.temp, 'other.jsonl')
  writeFileSync(theirs, said('a word of another project'))
  symlinkSync(theirs, live.workspace.at('link.jsonl'))
  live.workspace.write({ 'own.jsonl': said('a word of our own') })
  for (const transcript of [theirs, `${live.root}/../other.jsonl`, live.workspace.at('link.jsonl')]) {
    const { would } = await asked(agent, 'timewarp_issue_report', { ...FRICTION, transcript })
    expect(would).toContain(transcript)
    await asked(agent, 'timewarp_session_start', { session_id: 'another', transcript })
  }
  const own = await agent.call('timewarp_issue_report', { ...FRICTION, transcript: live.workspace.at('own.jsonl') })
  expect(own.isError, own.text).toBe(false)
  expect(live.workspace.read(`.timewarp/issues/${own.out.issue_id}/chat.md`)).toContain('a word of our own')
  // A hook of the client reported it, so it belongs to this workspace.
  await live.workspace.call('record_event', { event: 'session_start', session_id: 'hooked', transcript: theirs })
  await live.workspace.close()
  const known = await agent.call('timewarp_issue_report', { ...FRICTION, symptom: 'Another', transcript: theirs })
  expect(known.isError, known.text).toBe(false)
})

test('a link put in the place of a conversation later is not followed out of the workspace', async () => {
  const { agent, live } = await meet(['stdio', 'legacy'])
  live.workspace.write({ 'own.jsonl': '' })
  const session = { session_id: 'mine', transcript: live.workspace.at('own.jsonl') }
  expect((await agent.call('timewarp_session_start', session)).isError).toBe(false)
  const theirs = join(live.workspace.temp, 'other.jsonl')
  writeFileSync(theirs, '{"type":"user","message":{"role":"user","content":"a word of another project"}}\n')
  await agent.call('delete', {
    path: 'own.jsonl',
    confirm: (await asked(agent, 'delete', { path: 'own.jsonl' })).token,
  })
  symlinkSync(theirs, live.workspace.at('own.jsonl'))
  const { out } = await agent.call('timewarp_issue_report', { ...FRICTION, session_id: 'mine' })
  const chat = out ? live.workspace.read(`.timewarp/issues/${out.issue_id}/chat.md`) : ''
  expect(chat).not.toContain('another project')
})

test('what the user is asked cannot steer their terminal', async () => {
  let message = ''
  const user = (request: { params: { message: string } }) => {
    message = request.params.message
    return { action: 'decline' as const }
  }
  const { agent, live } = await meet(['stdio', 'legacy'], { user })
  live.workspace.write({ 'n\x1b[2J\u202e\nUndo with: nothing': 'x' })
  await agent.call('snapshot')
  live.workspace.destroy()
  await agent.call('restore', { snapshot_id: 'latest' })
  expect(message).toContain('\\033[2J')
  await agent.call('timewarp_experiment_run', { command: 'echo \x1b[2J\u202e\r' })
  expect(message).toContain('echo ^[[2J<U+202E>^M')
})

test('no tool of the default sets reaches outside, runs a command or changes what exists without a question', async () => {
  const { agent } = await meet(['stdio', 'legacy'])
  const { tools } = await agent.client.listTools()
  const asks = tools.filter(({ inputSchema }) => 'confirm' in (inputSchema.properties ?? {})).map(({ name }) => name)
  const open = tools.filter(({ annotations }) => annotations?.openWorldHint).map(({ name }) => name)
  expect(open.sort()).toEqual([
    'materialise',
    'timewarp_experiment_run',
    'timewarp_issue_report',
    'timewarp_return',
    'timewarp_session_start',
    'timewarp_travel',
  ])
  expect(asks).toEqual(expect.arrayContaining(open))
  const destructive = tools.filter(({ annotations }) => annotations?.destructiveHint).map(({ name }) => name)
  expect(destructive).toContain('timewarp_experiment_run')
  // Edits are what they are called for, and each is taken back by its record.
  const edits = [
    'apply_edit_block',
    'apply_whole_file_edit',
    'apply_ranged_edit',
    'apply_unified_diff',
    'rename',
    'apply_edits',
  ]
  expect(destructive.filter((name) => !asks.includes(name))).toEqual(edits)
  // Whoever names a path of the machine says so: no other field looks like one.
  const suspects = tools.flatMap(({ name, inputSchema }) =>
    Object.keys(inputSchema.properties ?? {})
      .filter((field) => /^(?:dir|into|transcript|command|folder|file|mirror|home)$/.test(field))
      .map((field) => `${name}.${field}`),
  )
  expect(suspects.map((one) => one.replace(/\..*/, '')).sort()).toEqual(open)
})

test('over standard input and output, the answer to a question is for one call', async () => {
  const { live } = await meet(['stdio', 'legacy'])
  const agent = await overStdio(live, { user: () => ({ action: 'accept', content: { confirm: true } }) })
  await agent.call('snapshot')
  mkdirSync(join(live.workspace.temp, 'elsewhere'))
  for (const dir of ['one', 'two'])
    expect(
      (await agent.call('materialise', { snapshot_id: 'latest', dir: join(live.workspace.temp, dir) })).isError,
    ).toBe(false)
})
