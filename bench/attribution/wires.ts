import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Daemon } from '../daemon.ts'
import type { Program } from '../program.ts'
import type { ToldCall, Wire } from './agents.ts'

/** Where events go. */
export interface Line {
  readonly daemon: Daemon
  readonly program: Program
  readonly home: string
  readonly env: NodeJS.ProcessEnv
  readonly root: string
  readonly session: string
}

/** Claude Code: the real hook program. Of its edits it tells no end, unless they fail. */
export async function claudeWire(line: Line): Promise<Wire> {
  const hook = (event: string, more: object = {}): Promise<void> =>
    runHook(line, { session_id: line.session, hook_event_name: event, cwd: line.root, ...more })
  const call = ({ id, prompt, command, edit }: ToldCall): object => ({
    tool_use_id: id,
    prompt_id: prompt,
    tool_name: edit ? 'Write' : 'Bash',
    tool_input: edit ? { file_path: join(line.root, edit.path), content: edit.content } : { command },
    tool_response: {},
  })
  await hook('SessionStart', { source: 'startup' })
  return {
    prompt: (prompt_id, prompt) => hook('UserPromptSubmit', { prompt_id, prompt }),
    begin: (told) => hook('PreToolUse', call(told)),
    end: async (told, failed) => {
      if (failed) await hook('PostToolUseFailure', { ...call(told), error: 'failed' })
      else if (!told.edit) await hook('PostToolUse', call(told))
    },
    turnEnd: () => hook('Stop', { background_tasks: [] }),
  }
}

function runHook({ program, home, env, root }: Line, payload: object): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const script = join(program.launcher, '..', 'timewarp-hook')
  const child = spawn(script, ['claude', home], {
    env: { ...env, CLAUDE_PROJECT_DIR: root },
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  child.on('error', reject)
  child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(`${script} ended with ${String(code)}`))))
  child.stdin.end(JSON.stringify(payload))
  return promise
}

/** Any other client: it tells both ends of every call, and not what an edit makes of its file. */
export async function otherWire({ daemon, root, session }: Line): Promise<Wire> {
  const tell = async (event: string, more: object = {}): Promise<void> => {
    const common = { workspace: root, cwd: root, client: 'generic', session_id: session }
    await daemon.call('record_event', { event, ...common, ...more })
  }
  const call = ({ id, prompt, command, edit }: ToldCall): object => ({
    call_id: id,
    prompt_id: prompt,
    tool: edit ? 'patch' : 'shell',
    ...(edit ? { kind: 'edit', paths: [edit.path] } : { kind: 'shell', command }),
  })
  await tell('session_start')
  return {
    prompt: (prompt_id, prompt) => tell('prompt', { prompt_id, prompt }),
    begin: (told) => tell('call_start', call(told)),
    end: (told, failed) => tell('call_end', { ...call(told), failed }),
    turnEnd: () => tell('turn_end'),
  }
}
