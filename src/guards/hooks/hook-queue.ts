import type { ClientName, GuardEvent, HookEnvironment, Verdict } from '../clients/event.ts'
import { EDIT_MS, endOf, type HookReply, type HookServices, type Pending, serve, understand } from './hook.ts'
import { OpenCalls } from './open-calls.ts'

/** What the queue has to know to answer quickly. */
export interface HookPolicy {
  /** Whether an agent that works in this folder may get a note when a call has ended. */
  readonly speaks: (folder: string) => boolean
  /** Whether a command that runs in this folder changes nothing anywhere. In doubt: false. */
  readonly isHarmless: (command: string, cwd: string) => boolean
}

/**
 * The hooks that a daemon serves. Those of one session are served in order. The end of a call is answered at once if
 * there can be no note: the next call waits until the changes of this one are captured. Commands that only read are not
 * recorded.
 */
export class HookQueue {
  readonly #rooms: HookServices
  readonly #manners: HookPolicy
  /** The last hook of each session. */
  readonly #last = new Map<string, Promise<string>>()
  readonly #open = new OpenCalls()
  /** When each session was last served. */
  readonly #heard = new Map<string, number>()
  /** The last command that was judged to change nothing, with its folder. */
  #harmless: string | undefined

  constructor(rooms: HookServices, manners: HookPolicy) {
    this.#rooms = rooms
    this.#manners = manners
  }

  async run(client: ClientName, bytes: Uint8Array, around: HookEnvironment): Promise<string> {
    const { answer, answered, pending, ...told } = understand(client, bytes, around, this.#rooms)
    const session = told.events[0]?.session_id
    if (session === undefined) return ''
    if (told.events.every((event) => this.#isIdle(event))) return answer([nothingOf(session)])
    const hook = { events: this.#open.note(told.events, answered), answer }
    const canWait = hook.events.every((event) => this.#canWait(event))
    const served = this.#inTurn(session, hook, canWait ? untilAnswered() : undefined)
    if (pending) void served.then(() => this.#seeTo(pending))
    return canWait ? '' : served
  }

  /** Serves the hooks of a session one after the other. */
  #inTurn(session: string, hook: HookReply, after?: Promise<void>): Promise<string> {
    const served = Promise.all([this.#last.get(session), after]).then(() => serve(hook, this.#rooms))
    this.#last.set(session, served)
    if (hook.events.some(({ event }) => event === 'session_end')) this.#heard.delete(session)
    else this.#heard.set(session, Date.now())
    void served.then(() => this.#last.get(session) === served && this.#last.delete(session))
    return served
  }

  /** Records the end of an edit when it is detected from its file. */
  async #seeTo(pending: Pending): Promise<void> {
    const { begun } = pending
    const ended = await endOf(pending, { isOpen: () => this.#open.has(begun), longestMs: EDIT_MS.inDaemon })
    if (ended === undefined) return
    this.#open.end(begun)
    await this.#inTurn(begun.session_id, ended)
  }

  /** There is never a note for an edit. */
  #canWait({ event, kind, workspace }: GuardEvent): boolean {
    return event === 'call_end' && (kind === 'edit' || !this.#manners.speaks(workspace))
  }

  /**
   * Whether nothing has to be recorded: a command that only reads, of a session that was served recently and has no
   * open call.
   */
  #isIdle({ event, session_id, call_id, kind, command, cwd, workspace }: GuardEvent): boolean {
    if (event !== 'call_start' && event !== 'call_end') return false
    if (kind !== 'shell' || call_id === undefined || command === undefined) return false
    const isMet = Date.now() - (this.#heard.get(session_id) ?? 0) < HEARD_MS
    if (!isMet || this.#open.hasAny(session_id)) return false
    // A command is reported twice, when it starts and when it ends.
    const [where, key] = [cwd ?? workspace, JSON.stringify([command, cwd, workspace])]
    if (key !== this.#harmless && !this.#manners.isHarmless(command, where)) return false
    this.#harmless = key
    return true
  }
}

/** The output of `record_event` for an event that changes no file. */
const nothingOf = (session_id: string): Verdict & { session_id: string; snapshot_ids: string[] } => ({
  session_id,
  covered: true,
  reason: null,
  snapshot_ids: [],
  deny: null,
  note: null,
})

/** A session that was last served longer ago is recorded as active again, whatever it does. */
const HEARD_MS = 30_000

/** Lets answers that are ready be sent before new work begins. */
const untilAnswered = (): Promise<void> => new Promise((done) => setImmediate(done))
