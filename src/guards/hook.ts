import { asFault, isFault } from '../base/fault.ts'
import {
  type Answered,
  type Around,
  type ClientName,
  type GuardEvent,
  object,
  type Payload,
  type Verdict,
} from './event.ts'
import { GUARDS } from './guards.ts'
import type { Missed } from './missed.ts'
import { OpenCalls } from './open-calls.ts'

/** What a hook needs of the house. */
export interface HookRooms {
  /** Runs a tool. Throws `Fault`. */
  call(tool: string, input: object): Promise<{ readonly output: object }>
  /** Writes a line for whoever wonders what a guard did. Does not throw. */
  log(message: string, data: object): void
  readonly missed: Missed
}

/** A hook that has been understood: what is to be recorded, and how its client is answered. */
interface Understood {
  readonly events: readonly GuardEvent[]
  readonly answer: (verdicts: readonly Verdict[]) => string
  /** Those of some calls that are over all the same. */
  readonly answered: (calls: readonly string[]) => readonly Answered[]
}

/**
 * Does what one call of a client's hook asks for, and returns what the client expects on its standard input. Never
 * throws: what goes wrong is written down, and the client goes on as if there were no guard.
 */
export async function runHook(
  client: ClientName,
  bytes: Uint8Array,
  around: Around,
  rooms: HookRooms,
): Promise<string> {
  return serve(understand(client, bytes, around, rooms), rooms)
}

/**
 * The hooks of a daemon. Those of one session are served in the order in which they came. The end of a call is answered at
 * once if there will be nothing to say: the next call waits until what this one left is captured.
 */
export class HookDesk {
  readonly #rooms: HookRooms
  readonly #speaks: (folder: string) => boolean
  /** Of each session, the last one. */
  readonly #last = new Map<string, Promise<string>>()
  readonly #open = new OpenCalls()

  /** `speaks`: whether an agent that works in this folder may be told something when a call has ended. */
  constructor(rooms: HookRooms, speaks: (folder: string) => boolean) {
    this.#rooms = rooms
    this.#speaks = speaks
  }

  async run(client: ClientName, bytes: Uint8Array, around: Around): Promise<string> {
    const { answer, answered, ...heard } = understand(client, bytes, around, this.#rooms)
    const hook = { events: this.#open.note(heard.events, answered), answer }
    const session = hook.events[0]?.session_id
    if (session === undefined) return ''
    const canWait = hook.events.every((event) => this.#canWait(event))
    const before = Promise.all([this.#last.get(session), canWait ? untilAnswered() : undefined])
    const served = before.then(() => serve(hook, this.#rooms))
    this.#last.set(session, served)
    void served.then(() => this.#last.get(session) === served && this.#last.delete(session))
    return canWait ? '' : served
  }

  /** Of an edit there is never anything to say. */
  #canWait({ event, kind, workspace }: GuardEvent): boolean {
    return event === 'call_end' && (kind === 'edit' || !this.#speaks(workspace))
  }
}

/** What is ready to be said is said before anything else is begun. */
const untilAnswered = (): Promise<void> => new Promise((done) => setImmediate(done))

const NOTHING: Understood = { events: [], answer: () => '', answered: () => [] }

function understand(client: ClientName, bytes: Uint8Array, around: Around, rooms: HookRooms): Understood {
  try {
    const payload = parse(bytes)
    if (payload === undefined) return nothing(rooms, client, 'it is no JSON object')
    const { events, ignored } = GUARDS[client].hear(payload, around)
    if (ignored !== undefined && client === 'generic') return nothing(rooms, client, ignored)
    const guard = GUARDS[client]
    return {
      events,
      answer: (verdicts) => guard.reply(payload, verdicts),
      answered: (calls) => guard.answered?.(payload, calls) ?? [],
    }
  } catch (error) {
    return nothing(rooms, client, String(error))
  }
}

async function serve({ events, answer }: Pick<Understood, 'events' | 'answer'>, rooms: HookRooms): Promise<string> {
  try {
    const verdicts: Verdict[] = []
    for (const event of events) verdicts.push(...(await tell(event, rooms)))
    return answer(verdicts)
  } catch (error) {
    rooms.log('a hook could not be served', { why: String(error) })
    return ''
  }
}

function nothing(rooms: HookRooms, client: string, why: string): Understood {
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
async function tell(event: GuardEvent, rooms: HookRooms): Promise<Verdict[]> {
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
async function record(event: GuardEvent, rooms: HookRooms): Promise<object> {
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
async function confess(rooms: HookRooms): Promise<void> {
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
