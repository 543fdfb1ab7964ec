import { lookUp } from '../../base/look-up.ts'
import { SESSION_WAIT_MS } from './claude.ts'
import {
  errorText,
  type Guard,
  type GuardEvent,
  type HookEnvironment,
  ignored,
  object,
  type ParsedPayload,
  type Payload,
  text,
  type Verdict,
  wish,
} from './event.ts'
import { delegates, describeCall, edits, reads, type ToolRows } from './tool-call.ts'

/** Gemini CLI. Its calls have no ids: an end belongs to the newest open call of the same tool. */

const TOOLS: ToolRows = {
  ...reads('read_file', 'read_many_files', 'glob', 'search_file_content', 'grep_search', 'list_directory', 'ls'),
  ...reads('web_fetch', 'google_web_search', 'write_todos', 'ask_user', 'activate_skill', 'get_internal_docs'),
  ...reads('enter_plan_mode', 'exit_plan_mode'),
  ...delegates('delegate_to_agent', 'invoke_agent', 'codebase_investigator'),
  write_file: edits('file_path'),
  replace: edits('file_path'),
  run_shell_command: { kind: 'shell', command: ['command'], cwd: ['dir_path', 'directory'] },
}

type Draft = Pick<GuardEvent, 'event'> & Partial<GuardEvent>

const EVENTS: Readonly<Record<string, (payload: Payload) => Draft>> = {
  SessionStart: () => ({ event: 'session_start', wait_ms: SESSION_WAIT_MS }),
  BeforeAgent: (p) => ({ event: 'prompt', prompt: promptText(p) }),
  BeforeTool: (p) => ({ event: 'call_start', ...callOf(p) }),
  AfterTool: (p) => ({ event: 'call_end', ...callOf(p), ...failure(p) }),
  AfterAgent: () => ({ event: 'turn_end' }),
  SessionEnd: () => ({ event: 'session_end' }),
}

export const gemini: Guard = {
  hear: (payload: Payload, around: HookEnvironment): ParsedPayload => {
    const name = text(payload['hook_event_name']) ?? ''
    const session = text(payload['session_id'])
    const cwd = text(payload['cwd'])
    const make = lookUp(EVENTS, name)
    if (make === undefined) return ignored(`${name || 'an event without a name'} concerns no files`)
    if (session === undefined || cwd === undefined) return ignored('it names no session or no folder')
    const common = { workspace: around.project ?? cwd, client: 'gemini', session_id: session, cwd }
    return { events: [{ ...common, transcript: text(payload['transcript_path']), ...make(payload) }] }
  },
  reply,
}

/** The text that a person typed, without the context that hooks put before it. */
const promptText = (p: Payload): string =>
  (text(p['prompt']) ?? '').replace(/^(\s*<hook_context>[\s\S]*?<\/hook_context>\s*)+/, '')

const callOf = (p: Payload): Partial<GuardEvent> => {
  const input = object(p['tool_input'])
  return {
    ...describeCall(TOOLS, text(p['tool_name']) ?? 'unknown', p['tool_input']),
    ...(input['is_background'] === true ? { background: true } : {}),
  }
}

function failure(p: Payload): { failed?: true; error?: string | undefined } {
  const error = object(p['tool_response'])['error']
  const said = text(error) ?? text(object(error)['message'])
  return said === undefined ? {} : { failed: true, error: errorText(said) }
}

function reply(payload: Payload, verdicts: readonly Verdict[]): string {
  const hookEventName = text(payload['hook_event_name']) ?? ''
  const deny = wish(verdicts, 'deny')
  if (hookEventName === 'BeforeTool' && deny !== undefined) return JSON.stringify({ decision: 'deny', reason: deny })
  const note = wish(verdicts, 'note')
  return note !== undefined && ['SessionStart', 'BeforeAgent', 'AfterTool'].includes(hookEventName)
    ? JSON.stringify({ hookSpecificOutput: { hookEventName, additionalContext: note } })
    : ''
}
