import { resolve } from 'node:path'
import { asFault, isFault } from '../../base/fault.ts'
import { readRegular } from '../../host/files/fs.ts'
import { GUARDS } from '../clients/clients.ts'
import {
  type Announced,
  type Answered,
  type ClientName,
  type GuardEvent,
  type HookEnvironment,
  object,
  type Payload,
  type Verdict,
} from '../clients/event.ts'
import { type AwaitedEdit, madeOf, stampOf, untilEdited } from './edit-end.ts'
import type { MissedEvents } from './missed.ts'
import { doneEvent } from './open-calls.ts'

/** What a hook needs of the app. */
export interface HookServices {
  /** Runs a tool. Throws `Fault`. */
  call(tool: string, input: object): Promise<{ readonly output: object }>
  /** Writes a line to the log. Does not throw. */
  log(message: string, data: object): void
  readonly missed: MissedEvents
  /** Hands over an edit that begins, so that another process detects its end. */
  leaveEdit?(pending: Pending): void
}

/** A parsed hook: the events to record, and how to answer its client. */
export interface ParsedHook {
  readonly events: readonly GuardEvent[]
  readonly answer: (verdicts: readonly Verdict[]) => string
  /** Those of some calls that are over although no end was reported. */
  readonly answered: (calls: readonly string[]) => readonly Answered[]
  readonly pending?: Pending | undefined
}

/** The events to record, and the answer afterwards. */
export type HookReply = Pick<ParsedHook, 'events' | 'answer'>

/** An edit that begins now and whose end has to be detected. It may be waited for long, so it holds no contents. */
export interface Pending {
  readonly client: ClientName
  readonly edit: AwaitedEdit
  readonly begun: GuardEvent
  /** The payload fields that lead to the client's transcript, which shows how the edit ended. */
  readonly source: Payload
}

/** A person may take minutes to give permission. If the time is up, the session's next event ends the edit. */
export const EDIT_MS = { inDaemon: 30 * 60_000, alone: 60_000 }

/**
 * Serves one call of a client's hook, and returns the answer for the client. Never throws: errors are logged, and the
 * client goes on as if there were no guard.
 */
export async function runHook(
  client: ClientName,
  bytes: Uint8Array,
  around: HookEnvironment,
  rooms: HookServices,
): Promise<string> {
  const hook = understand(client, bytes, around, rooms)
  const said = await serve(hook, rooms)
  if (hook.pending) rooms.leaveEdit?.(hook.pending)
  return said
}

/**
 * Waits for the end of an edit and returns the event that reports it; undefined when the call is closed or the time is
 * up. Never throws.
 */
export async function endOf(
  { client, edit, begun, source }: Pending,
  about: { readonly isOpen: () => boolean; readonly longestMs: number },
): Promise<HookReply | undefined> {
  const ids = [begun.call_id ?? '']
  const answered = () => GUARDS[client].answered?.(source, ids)[0]
  const ended = await untilEdited(edit, { ...about, answered })
  return ended && { events: [doneEvent(begun, ids, ended === 'doubtful')], answer: () => '' }
}

const NOTHING: ParsedHook = { events: [], answer: () => '', answered: () => [] }

export function understand(
  client: ClientName,
  bytes: Uint8Array,
  around: HookEnvironment,
  rooms: HookServices,
): ParsedHook {
  try {
    const payload = parse(bytes)
    if (payload === undefined) return nothing(rooms, client, 'it is no JSON object')
    const guard = GUARDS[client]
    const { events, ignored } = guard.hear(payload, around)
    if (ignored !== undefined && client === 'generic') return nothing(rooms, client, ignored)
    const [told] = events
    const edit = told && editIn(guard.announced?.(payload), told)
    const begun = edit && { ...told, makes: edit.made?.hash ?? '' }
    return {
      events: begun ? [begun] : events,
      pending: begun && pendingOf(client, edit, begun, payload),
      answer: (verdicts) => guard.reply(payload, verdicts),
      answered: (calls) => guard.answered?.(payload, calls) ?? [],
    }
  } catch (error) {
    return nothing(rooms, client, String(error))
  }
}

export async function serve({ events, answer }: HookReply, rooms: HookServices): Promise<string> {
  try {
    const verdicts: Verdict[] = []
    for (const event of events) verdicts.push(...(await tell(event, rooms)))
    return answer(verdicts)
  } catch (error) {
    rooms.log('a hook could not be served', { why: String(error) })
    return ''
  }
}

/** Larger files are not read. */
const LARGEST = 8 << 20

/** The awaited edit of a file. The stat values are read before the content, so that a change in between is detected. */
function editIn(announced: Announced | undefined, { cwd, workspace }: GuardEvent): AwaitedEdit | undefined {
  if (announced === undefined) return undefined
  const file = resolve(cwd ?? workspace, announced.file)
  const stamp = stampOf(file)
  const before = readRegular(file, LARGEST)
  const made = before === undefined && stamp !== 'absent' ? undefined : announced.makes(before)
  return { file, stamp, made: made && madeOf(made) }
}

/** Undefined for a call without an id: its end could not be reported. */
function pendingOf(client: ClientName, edit: AwaitedEdit, begun: GuardEvent, payload: Payload): Pending | undefined {
  const { transcript_path, agent_id } = payload
  return begun.call_id === undefined ? undefined : { client, edit, begun, source: { transcript_path, agent_id } }
}

function nothing(rooms: HookServices, client: string, why: string): ParsedHook {
  rooms.log('a hook could not be understood', { client, why })
  return NOTHING
}

function parse(bytes: Uint8Array): Payload | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8').decode(bytes))
    return value === object(value) ? (value as Payload) : undefined
  } catch {
    return undefined
  }
}

/** Records one event; empty when that failed. */
async function tell(event: GuardEvent, rooms: HookServices): Promise<Verdict[]> {
  try {
    const verdict = (await record(event, rooms)) as Verdict
    if (event.event === 'session_start') rooms.missed.reserve()
    await confess(rooms)
    return [verdict]
  } catch (error) {
    const fault = asFault(error)
    const { workspace, session_id, client, event: what, tool } = event
    const facts = { workspace, session_id, client, event: what, tool }
    rooms.log('an event was not recorded', { ...facts, code: fault.code, why: fault.message })
    // A folder that is no workspace, or must not become one, has no records that could have a gap.
    if (!NOT_GUARDED.has(fault.code)) rooms.missed.add({ at: Date.now(), ...facts, reason: fault.message })
    return what === 'session_start' && isFault(fault, 'WORKSPACE_REFUSED') ? [unguarded(fault.message)] : []
  }
}

const NOT_GUARDED: ReadonlySet<string> = new Set(['WORKSPACE_REFUSED', 'WORKSPACE_UNKNOWN'])

const unguarded = (why: string): Verdict => ({
  covered: false,
  reason: why,
  deny: null,
  note: `Timewarp does not guard this session: ${why}`,
})

/** A folder becomes a workspace when an agent starts to work in it: that is what the guard was installed for. */
async function record(event: GuardEvent, rooms: HookServices): Promise<object> {
  try {
    return (await rooms.call('record_event', event)).output
  } catch (error) {
    const begins = event.event === 'session_start' || event.event === 'prompt'
    if (!begins || !isFault(error, 'WORKSPACE_UNKNOWN')) throw error
    await rooms.call('workspace_init', { workspace: event.workspace, snapshot: false })
    return (await rooms.call('record_event', event)).output
  }
}

/** Records what was missed as gaps, now that the records can be written again. */
async function confess(rooms: HookServices): Promise<void> {
  for (const { workspace, session_id, client, event, tool, reason, at } of rooms.missed.take())
    await rooms
      .call('record_event', {
        workspace,
        session_id,
        client,
        event: 'gap',
        tool,
        error: `${new Date(at).toISOString()} ${event}: ${reason}`,
      })
      .catch((error: unknown) => rooms.log('a gap was not recorded', { workspace, why: asFault(error).message }))
}
