import { lookUp } from '../../base/look-up.ts'
import { SESSION_WAIT_MS } from './claude.ts'
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
  texts,
  type Verdict,
  wish,
} from './event.ts'
import { delegates, describeCall, edits, reads, type ToolRows } from './tool-call.ts'

/**
 * opencode, through the plugin in `plugins/opencode`, which forwards what it receives: `{hook, directory, input,
 * output}`, for events `{hook: "event", directory, event}`.
 */

const TOOLS: ToolRows = {
  ...reads('read', 'glob', 'grep', 'list', 'webfetch', 'websearch', 'codesearch', 'todowrite', 'todoread', 'skill'),
  ...reads('question', 'invalid', 'lsp', 'plan_enter', 'plan_exit', 'batch'),
  ...delegates('task'),
  write: edits('filePath'),
  edit: edits('filePath'),
  multiedit: edits('filePath'),
  patch: { kind: 'edit', patch: ['patchText'] },
  apply_patch: { kind: 'edit', patch: ['patchText', 'patch'] },
  bash: { kind: 'shell', command: ['command'], cwd: ['workdir'] },
  shell: { kind: 'shell', command: ['command'], cwd: ['workdir'] },
}

type Draft = Pick<GuardEvent, 'event' | 'session_id'> & Partial<GuardEvent>
type Make = (said: { input: Payload; output: Payload; event: Payload }) => Draft | undefined

const HOOKS: Readonly<Record<string, Make>> = {
  'chat.message': ({ input, output }) => prompted(input, output),
  'tool.execute.before': ({ input, output }) => called('call_start', input, output['args']),
  'tool.execute.after': ({ input, output }) => ended(input, output),
  'experimental.session.compacting': ({ input }) => ofSession('compact', input['sessionID']),
  event: ({ event }) => lookUp(EVENTS, text(event['type']) ?? '')?.(object(event['properties'])),
}

const EVENTS: Readonly<Record<string, (properties: Payload) => Draft | undefined>> = {
  'session.created': (p) => {
    const info = object(p['info'])
    const draft = ofSession('session_start', info['id'] ?? p['sessionID'])
    return draft && { ...draft, parent_session_id: text(info['parentID']), wait_ms: SESSION_WAIT_MS }
  },
  'session.idle': (p) => ofSession('turn_end', p['sessionID']),
  'session.deleted': (p) => ofSession('session_end', object(p['info'])['id'] ?? p['sessionID']),
  'message.part.updated': (p) => failed(object(p['part'])),
}

export const opencode: Guard = {
  hear: (payload: Payload, around: HookEnvironment): ParsedPayload => {
    const folder = text(payload['directory']) ?? around.project
    const make = lookUp(HOOKS, text(payload['hook']) ?? '')
    if (make === undefined || folder === undefined) return ignored('it names no hook that matters, or no folder')
    const draft = make({
      input: object(payload['input']),
      output: object(payload['output']),
      event: object(payload['event']),
    })
    if (draft === undefined) return ignored('it concerns no files')
    const common = { workspace: around.project ?? folder, client: 'opencode', cwd: folder }
    const parent = text(payload['parent'])
    const said = parent !== undefined && draft.event === 'prompt' ? delegated(draft) : draft
    return {
      events: [{ ...common, ...(parent === undefined ? {} : { parent_session_id: parent }), ...withoutNothing(said) }],
    }
  },
  reply: (_payload, verdicts: readonly Verdict[]): string => {
    const [deny, note] = [wish(verdicts, 'deny'), wish(verdicts, 'note')]
    return deny === undefined && note === undefined ? '' : JSON.stringify({ deny: deny ?? null, note: note ?? null })
  },
}

const withoutNothing = (draft: Draft): Draft =>
  Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== undefined)) as Draft

const ofSession = (event: GuardEvent['event'], id: unknown): Draft | undefined => {
  const session_id = text(id)
  return session_id === undefined ? undefined : { event, session_id }
}

/** A message from a session to one that it started is no person's prompt. */
const delegated = ({ session_id, prompt }: Draft): Draft => ({
  event: 'session_start',
  session_id,
  task_hint: prompt?.slice(0, 500),
})

function prompted(input: Payload, output: Payload): Draft | undefined {
  const message = object(output['message'])
  const draft = ofSession('prompt', input['sessionID'] ?? message['sessionID'])
  const parts = list(output['parts'])
    .map(object)
    .filter((part) => part['type'] === 'text' && part['synthetic'] !== true)
  return (
    draft && { ...draft, prompt_id: text(message['id']), prompt: parts.flatMap((p) => texts(p['text'])).join('\n') }
  )
}

function called(event: 'call_start' | 'call_end', input: Payload, args: unknown): Draft | undefined {
  const draft = ofSession(event, input['sessionID'])
  const tool = text(input['tool']) ?? 'unknown'
  return draft && { ...draft, call_id: text(input['callID']), ...describeCall(TOOLS, tool, args) }
}

/** A failed command reports its exit code; it has ended all the same. */
function ended(input: Payload, output: Payload): Draft | undefined {
  const draft = called('call_end', input, input['args'] ?? object(output)['args'])
  const exit = object(output['metadata'])['exit']
  return (
    draft && (typeof exit === 'number' && exit !== 0 ? { ...draft, failed: true, error: `exit code ${exit}` } : draft)
  )
}

/** No end is reported for a tool that failed or was denied; its part of the message shows it. */
function failed(part: Payload): Draft | undefined {
  const state = object(part['state'])
  if (part['type'] !== 'tool' || state['status'] !== 'error') return undefined
  const draft = called('call_end', part, state['input'])
  return draft && { ...draft, failed: true, error: errorText(state['error']) }
}
