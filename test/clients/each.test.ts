import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withClient } from './kit.ts'
import type { Conversation } from './model.ts'
import { newTheatre, REPOSITORY, type Theatre, TIMEWARP } from './theatre.ts'

/** Each client begins, edits, runs a command that works and one that fails, and ends. */

const PROMPT = 'make the hello file'

/** The changes of a file, as `tool session` each. */
async function changesOf(theatre: Theatre, path: string) {
  return (await theatre.timeline())
    .filter(({ cause, affected_files }) => cause.role === 'change' && affected_files.includes(path))
    .map(({ cause }) => cause)
}

async function expectStory(
  theatre: Theatre,
  client: string,
  tools: { write: string; edit: string; shell: string },
): Promise<void> {
  const { sessions } = await theatre.call('session_list')
  const [session] = sessions
  expect(sessions).toHaveLength(1)
  expect(session).toMatchObject({ client, ended_at: expect.any(String) })
  expect(session.prompts.map(({ text }: { text: string }) => text)).toEqual([expect.stringContaining(PROMPT)])
  const session_id = session.session_id
  const prompt_id = session.prompts[0].prompt_id
  expect(await changesOf(theatre, 'hello.txt')).toEqual([
    expect.objectContaining({ tool: tools.write, session_id, prompt_id }),
    expect.objectContaining({ tool: tools.edit, session_id, prompt_id }),
  ])
  expect(await changesOf(theatre, 'made.txt')).toEqual([
    expect.objectContaining({ tool: tools.shell, session_id, prompt_id }),
  ])
  expect(theatre.read('hello.txt')).toBe('hello\nthere\n')
  const blame = theatre.tw('blame', 'hello.txt').lines
  expect(blame.map(({ prompt_id: by }: { prompt_id: string }) => by)).toEqual([prompt_id, prompt_id])
  const labels = (await theatre.timeline()).map(({ label }) => label)
  expect(labels).toContain(`${client}-session-start`)
  expect(theatre.tw('status').gaps).toEqual([])
  theatre.tw('revert', `session:${session_id}`)
  expect(theatre.read('other.txt')).toBe('mine\n')
  expect(() => theatre.read('hello.txt')).toThrow()
  expect(() => theatre.read('made.txt')).toThrow()
}

withClient('claude', () => {
  test('Claude Code', async () => {
    const theatre = newTheatre({ 'other.txt': 'mine\n' })
    theatre.guard('claude')
    const at = `${theatre.ws}/hello.txt`
    const script: Conversation = {
      turns: [
        { tools: [{ name: 'Write', input: { file_path: at, content: 'hello\nworld\n' } }] },
        { tools: [{ name: 'Edit', input: { file_path: at, old_string: 'world', new_string: 'there' } }] },
        { tools: [{ name: 'Bash', input: { command: 'echo made > made.txt', description: 'x' } }] },
        { tools: [{ name: 'Bash', input: { command: 'exit 3', description: 'x' } }] },
        { text: 'Done.' },
      ],
    }
    const { first, heard } = await theatre.play([script], theatre.actor('claude', PROMPT))
    expect(first).toMatchObject({ code: 0 })
    expect(heard.join()).toContain('Timewarp records every change')
    await expectStory(theatre, 'claude', { write: 'Write', edit: 'Edit', shell: 'Bash' })
  })
})

withClient('claude', () => {
  test('Claude Code with the plugin instead of settings: hooks, tools, skill and commands', async () => {
    const theatre = newTheatre({ 'other.txt': 'mine\n' })
    const own = 'mcp__plugin_timewarp_timewarp__'
    const script: Conversation = {
      turns: [
        { tools: [{ name: 'Bash', input: { command: 'echo made > made.txt', description: 'x' } }] },
        { tools: [{ name: `${own}apply_whole_file_edit`, input: { path: 'tool.txt', content: 'by a tool\n' } }] },
        { text: 'Done.' },
      ],
    }
    const flags = ['--plugin-dir', join(REPOSITORY, 'plugins/claude'), '--output-format', 'stream-json', '--verbose']
    const allowed = ['-p', PROMPT, '--permission-mode', 'acceptEdits', '--allowedTools', 'Bash', own.slice(0, -2)]
    const { first } = await theatre.play([script], theatre.actor('claude', PROMPT, { args: [...allowed, ...flags] }))
    expect(first.code).toBe(0)
    const init = JSON.parse(first.stdout.split('\n').find((line) => line.includes('"subtype":"init"')) ?? '{}')
    expect(init.slash_commands).toEqual(expect.arrayContaining(['timewarp:undo', 'timewarp:log', 'timewarp:travel']))
    expect(init.skills).toContain('timewarp:timewarp')
    const { sessions } = await theatre.call('session_list')
    expect(sessions[0]).toMatchObject({ client: 'claude', session_id: init.session_id })
    expect(await changesOf(theatre, 'made.txt')).toMatchObject([{ tool: 'Bash', session_id: init.session_id }])
    const [edit, ...more] = await changesOf(theatre, 'tool.txt')
    expect(more).toEqual([])
    expect(edit).toMatchObject({ tool: 'apply_whole_file_edit' })
    expect(edit.shared).toBeUndefined()
    const line = spawnSync(TIMEWARP, ['statusline'], {
      env: theatre.env,
      input: JSON.stringify({ cwd: theatre.ws, session_id: init.session_id }),
      encoding: 'utf8',
    })
    expect(line.stdout).toMatch(/^timewarp: \d changes? kept · take back: timewarp undo\n$/)
  })
})

withClient('opencode', () => {
  test('opencode', async () => {
    const theatre = newTheatre({ 'other.txt': 'mine\n' })
    theatre.guard('opencode')
    const at = `${theatre.ws}/hello.txt`
    const script: Conversation = {
      turns: [
        { tools: [{ name: 'write', input: { filePath: at, content: 'hello\nworld\n' } }] },
        { tools: [{ name: 'edit', input: { filePath: at, oldString: 'world', newString: 'there' } }] },
        { tools: [{ name: 'bash', input: { command: 'echo made > made.txt', description: 'x' } }] },
        { tools: [{ name: 'bash', input: { command: 'exit 3', description: 'x' } }] },
        { tools: [{ name: 'edit', input: { filePath: at, oldString: 'not there', newString: 'x' } }] },
        { text: 'Done.' },
      ],
    }
    const { first } = await theatre.play([script], theatre.actor('opencode', PROMPT))
    expect(first).toMatchObject({ code: 0 })
    await expectStory(theatre, 'opencode', { write: 'write', edit: 'edit', shell: 'bash' })
  })
})

withClient('codex', () => {
  test('Codex', async () => {
    const theatre = newTheatre({ 'other.txt': 'mine\n' })
    theatre.guard('codex')
    const patch = (body: string) => `*** Begin Patch\n${body}\n*** End Patch\n`
    const script: Conversation = {
      turns: [
        { tools: [{ name: 'apply_patch', input: patch('*** Add File: hello.txt\n+hello\n+world') }] },
        { tools: [{ name: 'apply_patch', input: patch('*** Update File: hello.txt\n@@\n-world\n+there') }] },
        { tools: [{ name: 'exec_command', input: { cmd: 'echo made > made.txt' } }] },
        { tools: [{ name: 'exec_command', input: { cmd: 'exit 3' } }] },
        { text: 'Done.' },
      ],
    }
    const { first } = await theatre.play([script], theatre.actor('codex', PROMPT))
    expect(first).toMatchObject({ code: 0 })
    await expectStory(theatre, 'codex', { write: 'apply_patch', edit: 'apply_patch', shell: 'Bash' })
  })
})

withClient('gemini', () => {
  test('Gemini CLI', async () => {
    const theatre = newTheatre({ 'other.txt': 'mine\n' })
    theatre.guard('gemini')
    const at = `${theatre.ws}/hello.txt`
    const script: Conversation = {
      turns: [
        { tools: [{ name: 'write_file', input: { file_path: at, content: 'hello\nworld\n' } }] },
        {
          tools: [
            { name: 'replace', input: { file_path: at, instruction: 'x', old_string: 'world', new_string: 'there' } },
          ],
        },
        { tools: [{ name: 'run_shell_command', input: { command: 'echo made > made.txt', description: 'x' } }] },
        { tools: [{ name: 'run_shell_command', input: { command: 'exit 3', description: 'x' } }] },
        { text: 'Done.' },
      ],
    }
    const { first } = await theatre.play([script], theatre.actor('gemini', PROMPT))
    expect(first).toMatchObject({ code: 0 })
    await expectStory(theatre, 'gemini', { write: 'write_file', edit: 'replace', shell: 'run_shell_command' })
  })
})
