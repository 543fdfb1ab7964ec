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

/** What a hook needs of the house. */
export interface HookServices {
  /** Runs a tool. Throws `Fault`. */
  call(tool: string, input: object): Promise<{ readonly output: object }>
  /** Writes a line for whoever wonders what a guard did. Does not throw. */
  log(message: string, data: object): void
  readonly missed: MissedEvents
  /** An edit begins; somebody else is to see to its end. */
  leaveEdit?(pending: Pending): void
}

/** A hook that has been understood: what is to be recorded, and how its client is answered. */
export interface ParsedHook {
  readonly events: readonly GuardEvent[]
  readonly answer: (verdicts: readonly Verdict[]) => string
  /** Those of some calls that are over all the same. */
  readonly answered: (calls: readonly string[]) => readonly Answered[]
  readonly pending?: Pending | undefined
}

/** What is recorded, and answered then. */
export type HookReply = Pick<ParsedHook, 'events' | 'answer'>

/** An edit that begins now and whose end has to be found. It may be waited for long, so it holds nothing that is large. */
export interface Pending {
  readonly client: ClientName
  readonly edit: AwaitedEdit
  readonly begun: GuardEvent
  /** Where its client writes down how it ended. */
  readonly source: Payload
}

/** A client's permission may take a person minutes. In the end the session's next event ends the edit. */
export const EDIT_MS = { inDaemon: 30 * 60_000, alone: 60_000 }

/**
 * Does what one call of a client's hook asks for, and returns what the client expects on its standard input. Never
 * throws: what goes wrong is written down, and the client goes on as if there were no guard.
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

/** What tells of the end of an edit, when it has come; undefined when nobody need wait any longer. Never throws. */
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

/** More than anybody edits. */
const LARGEST = 8 << 20

/** An edit of a file, as it is now. How it is comes first: if it changes in between, that shows. */
function editIn(announced: Announced | undefined, { cwd, workspace }: GuardEvent): AwaitedEdit | undefined {
  if (announced === undefined) return undefined
  const file = resolve(cwd ?? workspace, announced.file)
  const stamp = stampOf(file)
  const before = readRegular(file, LARGEST)
  const made = before === undefined && stamp !== 'absent' ? undefined : announced.makes(before)
  return { file, stamp, made: made && madeOf(made) }
}

/** Of a call without an id nobody could say that it is over. */
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

/** Records one event; nothing when that failed. */
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
    // A folder that is no workspace, and may not be one, has no records to be missing from.
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

/** A folder becomes a workspace when somebody begins to work in it: that is what the guard was installed for. */
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

/** Now that records can be written again: what was missed before. */
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
