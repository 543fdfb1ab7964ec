import { lookUp } from '../../base/look-up.ts'
import { announcedBy } from './claude-edits.ts'
import { CLAUDE_TOOLS, CODEX_TOOLS } from './claude-tools.ts'
import { answeredCalls } from './claude-transcript.ts'
import {
  errorText,
  type Guard,
  type GuardEvent,
  type HookEnvironment,
  ignored,
  list,
  object,
  type ParsedPayload,
  type Payload,
  text,
  type Verdict,
  wish,
} from './event.ts'
import { describeCall, type ToolRows } from './tool-call.ts'

/** Claude Code, and Codex, whose hooks have the same form. */

/** An event without the fields that all events of a payload share. */
type Draft = Pick<GuardEvent, 'event'> & Partial<GuardEvent>

interface Dialect {
  readonly client: 'claude' | 'codex'
  readonly tools: ToolRows
  /** The payload field with the id of the prompt in force. */
  readonly prompt: string
  /** Whether the end of an edit is reported late or not at all, and no other call runs in parallel with an edit. */
  readonly endsLate: boolean
}

/** How long a client waits when a session starts; the capture of a large tree goes on afterwards. */
export const SESSION_WAIT_MS = 1500

const EVENTS: Readonly<Record<string, (payload: Payload, dialect: Dialect) => readonly Draft[]>> = {
  SessionStart: (p) => (p['source'] === 'compact' ? [] : [{ event: 'session_start', wait_ms: SESSION_WAIT_MS }]),
  UserPromptSubmit: prompted,
  PreToolUse: (p, dialect) => [
    {
      event: 'call_start',
      ...callOf(p, dialect),
      ...background(p),
      ...(dialect.endsLate ? { after_edits: true } : {}),
    },
  ],
  PostToolUse: (p, dialect) => [
    { event: 'call_end', ...callOf(p, dialect), ...background(p), ...(wasInterrupted(p) ? { interrupted: true } : {}) },
  ],
  PostToolUseFailure: (p, dialect) => [
    {
      event: 'call_end',
      ...callOf(p, dialect),
      failed: true,
      error: errorText(p['error']),
      ...(p['is_interrupt'] === true ? { interrupted: true } : {}),
    },
  ],
  Stop: (p) => [...backgroundOver(p), { event: 'turn_end' }],
  StopFailure: (p) => [{ event: 'turn_end', failed: true, error: errorText(p['error']) }],
  SubagentStart: (p) => [{ event: 'session_start', wait_ms: SESSION_WAIT_MS, task_hint: text(p['agent_type']) }],
  SubagentStop: () => [{ event: 'turn_end' }, { event: 'session_end' }],
  PreCompact: () => [{ event: 'compact' }],
  SessionEnd: () => [{ event: 'session_end' }],
}

const NOTED: ReadonlySet<string> = new Set(['SessionStart', 'UserPromptSubmit', 'PostToolUse'])

function guardOf(dialect: Dialect): Guard {
  return { hear: (payload, around) => hear(payload, around, dialect), reply }
}

export const claude: Guard = {
  ...guardOf({ client: 'claude', tools: CLAUDE_TOOLS, prompt: 'prompt_id', endsLate: true }),
  announced: announcedBy,
  answered: answeredCalls,
}
export const codex: Guard = guardOf({ client: 'codex', tools: CODEX_TOOLS, prompt: 'turn_id', endsLate: false })

function hear(payload: Payload, around: HookEnvironment, dialect: Dialect): ParsedPayload {
  const name = text(payload['hook_event_name']) ?? ''
  const session = text(payload['session_id'])
  const cwd = text(payload['cwd'])
  const agent = text(payload['agent_id'])
  const make = lookUp(EVENTS, name)
  if (make === undefined) return ignored(`${name || 'an event without a name'} concerns no files`)
  if (session === undefined || cwd === undefined) return ignored('it names no session or no folder')
  // A hook that is itself an agent runs tools of its own; they are not recorded.
  if (agent?.startsWith('hook-agent-')) return ignored('it is of an agent that is a hook')
  // Compaction runs in an agent without a type, which has no session of its own.
  if (name.startsWith('Subagent') && (agent === undefined || payload['agent_type'] === ''))
    return ignored('it is of no sub-agent')
  const common = {
    workspace: around.project ?? cwd,
    client: dialect.client,
    cwd,
    ...(agent === undefined ? { session_id: session } : { session_id: agent, parent_session_id: session }),
    ...promptOf(payload, dialect, agent !== undefined),
    ...(agent === undefined ? { transcript: text(payload['transcript_path']) } : {}),
  }
  const drafts = make(payload, dialect)
  return { events: drafts.map((draft) => ({ ...common, ...withoutNothing(draft) })) }
}

/** A sub-agent of Codex has turns of its own, which no person started: the prompt in force is its parent's. */
const promptOf = (payload: Payload, { client, prompt }: Dialect, isSub: boolean): { prompt_id?: string | undefined } =>
  client === 'codex' && isSub ? {} : { prompt_id: text(payload[prompt]) }

const withoutNothing = (draft: Draft): Draft =>
  Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== undefined)) as Draft

const NOTIFICATION = /^\s*<task-notification>/

/**
 * A prompt, unless the client reports the end of a background command to the model, or a parent instructs its
 * sub-agent.
 */
function prompted(p: Payload): readonly Draft[] {
  const said = text(p['prompt']) ?? ''
  if (NOTIFICATION.test(said)) return notified(said)
  if (text(p['agent_id']) !== undefined) return [{ event: 'session_start', task_hint: said.slice(0, 500) }]
  return [{ event: 'prompt', prompt: said }]
}

function notified(said: string): readonly Draft[] {
  const ids = [...said.matchAll(/<tool-use-id>([^<]+)<\/tool-use-id>/g)].map((match) => match[1] ?? '')
  const statuses = [...said.matchAll(/<status>([^<]+)<\/status>/g)].map((match) => match[1])
  return ids.flatMap((call_id, i) => (statuses[i] === 'running' ? [] : [{ event: 'background_end', call_id } as const]))
}

const callOf = (p: Payload, { tools }: Dialect): Partial<GuardEvent> => ({
  call_id: text(p['tool_use_id']),
  ...describeCall(tools, text(p['tool_name']) ?? 'unknown', p['tool_input']),
})

/** Whether a command goes on after its call: it was started in the background, or was moved there. */
const background = (p: Payload): { background?: true } =>
  object(p['tool_input'])['run_in_background'] === true ||
  text(object(p['tool_response'])['backgroundTaskId']) !== undefined ||
  p['tool_name'] === 'Monitor'
    ? { background: true }
    : {}

const wasInterrupted = (p: Payload): boolean => object(p['tool_response'])['interrupted'] === true

/** When a turn ends and no background task runs, all background calls are over, reported or not. */
const backgroundOver = (p: Payload): readonly Draft[] => {
  const tasks = p['background_tasks']
  const runs = list(tasks)
    .map(object)
    .some((task) => task['status'] === 'running')
  return Array.isArray(tasks) && !runs ? [{ event: 'background_end' }] : []
}

function reply(payload: Payload, verdicts: readonly Verdict[]): string {
  const hookEventName = text(payload['hook_event_name']) ?? ''
  const deny = wish(verdicts, 'deny')
  if (hookEventName === 'PreToolUse' && deny !== undefined)
    return answer({ hookEventName, permissionDecision: 'deny', permissionDecisionReason: deny })
  const note = wish(verdicts, 'note')
  return note !== undefined && NOTED.has(hookEventName) ? answer({ hookEventName, additionalContext: note }) : ''
}

const answer = (hookSpecificOutput: object): string => JSON.stringify({ hookSpecificOutput })
