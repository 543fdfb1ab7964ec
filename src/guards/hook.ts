import { asFault, isFault } from '../base/fault.ts'
import { stampOf, untilEdited } from './edit-end.ts'
import {
  type Answered,
  type Around,
  type ClientName,
  type Edit,
  type GuardEvent,
  object,
  type Payload,
  type Verdict,
} from './event.ts'
import { GUARDS } from './guards.ts'
import type { Missed } from './missed.ts'
import { doneEvent, OpenCalls } from './open-calls.ts'

/** What a hook needs of the house. */
export interface HookRooms {
  /** Runs a tool. Throws `Fault`. */
  call(tool: string, input: object): Promise<{ readonly output: object }>
  /** Writes a line for whoever wonders what a guard did. Does not throw. */
  log(message: string, data: object): void
  readonly missed: Missed
  /** An edit begins; somebody else is to see to its end, whom it helps to know how its file was before. */
  leaveEdit?(since: string): void
}

/** A hook that has been understood: what is to be recorded, and how its client is answered. */
interface Understood {
  readonly events: readonly GuardEvent[]
  readonly answer: (verdicts: readonly Verdict[]) => string
  /** Those of some calls that are over all the same. */
  readonly answered: (calls: readonly string[]) => readonly Answered[]
  readonly pending?: Pending | undefined
}

/** An edit that begins now and whose end has to be found. */
interface Pending {
  readonly edit: Edit
  /** How its file was before. */
  readonly since: string
  readonly begun: GuardEvent
}

/** A client's permission may take a person minutes. In the end the session's next event ends the edit. */
const EDIT_MS = { inDaemon: 30 * 60_000, alone: 2 * 60_000 }

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
  const hook = understand(client, bytes, around, rooms)
  const said = await serve(hook, rooms)
  if (hook.pending) rooms.leaveEdit?.(hook.pending.since)
  return said
}

/** Waits for the edit that a hook announced to be made, and records its end: what a daemon does by itself. Never throws. */
export async function endEdit(
  client: ClientName,
  bytes: Uint8Array,
  around: Around,
  rooms: HookRooms,
  since: string,
): Promise<void> {
  const { pending, answered } = understand(client, bytes, around, rooms)
  if (pending === undefined) return
  const isOpen = (): boolean => true
  const ended = await endOf({ ...pending, since }, { isOpen, answered, longestMs: EDIT_MS.alone })
  if (ended) await serve(ended, rooms)
}

/** What tells of the end of an edit, when it has come. */
async function endOf(
  { edit, since, begun }: Pending,
  about: { isOpen: () => boolean; answered: Understood['answered']; longestMs: number },
): Promise<Pick<Understood, 'events' | 'answer'> | undefined> {
  const call_id = begun.call_id ?? ''
  const ended = await untilEdited(edit, since, { ...about, answered: () => about.answered([call_id])[0] })
  return ended && { events: [doneEvent(begun, [call_id], ended === 'failed')], answer: () => '' }
}

/** What the desk has to know to answer quickly. */
export interface HookManners {
  /** Whether an agent that works in this folder may be told something when a call has ended. */
  readonly speaks: (folder: string) => boolean
  /** Whether a command that runs in this folder changes nothing anywhere. In doubt: no. */
  readonly isHarmless: (command: string, cwd: string) => boolean
}

/**
 * The hooks of a daemon. Those of one session are served in the order in which they came. The end of a call is answered at
 * once if there will be nothing to say: the next call waits until what this one left is captured. Of commands that only
 * read nothing need be recorded.
 */
export class HookDesk {
  readonly #rooms: HookRooms
  readonly #manners: HookManners
  /** Of each session, the last one. */
  readonly #last = new Map<string, Promise<string>>()
  readonly #open = new OpenCalls()

  /** When each session was last served. */
  readonly #heard = new Map<string, number>()
  /** The last command that was found to change nothing, and where. */
  #harmless: string | undefined

  constructor(rooms: HookRooms, manners: HookManners) {
    this.#rooms = rooms
    this.#manners = manners
  }

  async run(client: ClientName, bytes: Uint8Array, around: Around): Promise<string> {
    const { answer, answered, pending, ...told } = understand(client, bytes, around, this.#rooms)
    const session = told.events[0]?.session_id
    if (session === undefined || told.events.every((event) => this.#isIdle(event))) return ''
    const hook = { events: this.#open.note(told.events, answered), answer }
    const canWait = hook.events.every((event) => this.#canWait(event))
    const served = this.#inTurn(session, hook, canWait ? untilAnswered() : undefined)
    if (pending) void served.then(() => this.#seeTo(pending, answered))
    return canWait ? '' : served
  }

  /** Those of a session one after the other. */
  #inTurn(session: string, hook: Pick<Understood, 'events' | 'answer'>, after?: Promise<void>): Promise<string> {
    const served = Promise.all([this.#last.get(session), after]).then(() => serve(hook, this.#rooms))
    this.#last.set(session, served)
    if (hook.events.some(({ event }) => event === 'session_end')) this.#heard.delete(session)
    else this.#heard.set(session, Date.now())
    void served.then(() => this.#last.get(session) === served && this.#last.delete(session))
    return served
  }

  /** Records the end of an edit when its file shows it. */
  async #seeTo(pending: Pending, answered: Understood['answered']): Promise<void> {
    const { begun } = pending
    const isOpen = (): boolean => this.#open.has(begun)
    const ended = await endOf(pending, { isOpen, answered, longestMs: EDIT_MS.inDaemon })
    if (ended === undefined || !isOpen()) return
    this.#open.end(begun)
    await this.#inTurn(begun.session_id, ended)
  }

  /** Of an edit there is never anything to say. */
  #canWait({ event, kind, workspace }: GuardEvent): boolean {
    return event === 'call_end' && (kind === 'edit' || !this.#manners.speaks(workspace))
  }

  /** Whether nothing comes of it: a command that only reads, of a session that was heard of a moment ago and waits for nothing. */
  #isIdle({ event, session_id, kind, command, cwd, workspace }: GuardEvent): boolean {
    if (kind !== 'shell' || command === undefined || (event !== 'call_start' && event !== 'call_end')) return false
    const isMet = Date.now() - (this.#heard.get(session_id) ?? 0) < HEARD_MS
    if (!isMet || this.#open.hasAny(session_id)) return false
    // It is told twice, when it begins and when it ends.
    const [where, key] = [cwd ?? workspace, JSON.stringify([command, cwd, workspace])]
    if (key !== this.#harmless && !this.#manners.isHarmless(command, where)) return false
    this.#harmless = key
    return true
  }
}

/** A session that was heard of so long ago is heard of again, whatever it does. */
const HEARD_MS = 30_000

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
    const [begun] = events
    const edit = begun?.call_id === undefined ? undefined : guard.edit?.(payload)
    return {
      events,
      pending: begun && edit && { edit, begun, since: stampOf(edit.file) },
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
