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

/** Claude Code, and Codex, whose hooks are shaped like its. */

/** An event without what all of a payload's have in common. */
type Draft = Pick<GuardEvent, 'event'> & Partial<GuardEvent>

interface Dialect {
  readonly client: 'claude' | 'codex'
  readonly tools: ToolRows
  /** The field that names the prompt in force. */
  readonly prompt: string
  /** The end of an edit is not told, or late, and nothing else runs beside one. */
  readonly endsLate: boolean
}

/** So long a client waits for a session to begin; a large tree goes on being captured afterwards. */
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
  // A hook that is itself an agent runs tools to make up its mind; they are looked at by nobody.
  if (agent?.startsWith('hook-agent-')) return ignored('it is of an agent that is a hook')
  // Compaction is done by an agent without a kind, which has no session of its own.
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

/** A sub-agent of Codex has turns of its own, which no person began: the prompt in force is its parent's. */
const promptOf = (payload: Payload, { client, prompt }: Dialect, isSub: boolean): { prompt_id?: string | undefined } =>
  client === 'codex' && isSub ? {} : { prompt_id: text(payload[prompt]) }

const withoutNothing = (draft: Draft): Draft =>
  Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== undefined)) as Draft

const NOTIFICATION = /^\s*<task-notification>/

/** A prompt, unless it is the client that tells the model of a command in the background, or a parent its sub-agent. */
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

/** Whether a command goes on when its call is over: it was asked to, or was sent there. */
const background = (p: Payload): { background?: true } =>
  object(p['tool_input'])['run_in_background'] === true ||
  text(object(p['tool_response'])['backgroundTaskId']) !== undefined ||
  p['tool_name'] === 'Monitor'
    ? { background: true }
    : {}

const wasInterrupted = (p: Payload): boolean => object(p['tool_response'])['interrupted'] === true

/** When the turn ends and nothing runs, whatever was in the background is over, told or not. */
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
