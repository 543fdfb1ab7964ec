import { homedir } from 'node:os'
import { judge } from '../privacy/judge.ts'
import type { GuardEvent } from './event.ts'

/** Those of some calls that are over, whoever told it. */
type Answered = (calls: readonly string[]) => readonly string[]

/** So long the end of a call may be on its way. Of one that was denied it never comes. */
const LATE_MS = 100

/** The calls of each session whose end was not told yet. */
export class OpenCalls {
  /** By session and id, how they began. */
  readonly #of = new Map<string, Map<string, GuardEvent>>()
  /** Who waits for an end, of whatever call. */
  readonly #waiting = new Set<() => void>()

  /**
   * Takes note of what a hook tells. Before a call begins, or a turn ends, it says which of the open ones have been over for a
   * while, as far as `answered` can tell: a call that runs beside a new one is not.
   */
  note(events: readonly GuardEvent[], answered: Answered): readonly GuardEvent[] {
    return events.flatMap((event) => [...this.#overBefore(event, answered), this.#noted(event)])
  }

  /**
   * Before a call begins, or a turn ends: waits a moment for ends that must be on their way. They are those of calls that have
   * been answered, and of calls beside which nothing of their session runs.
   */
  async untilTold(events: readonly GuardEvent[], answered: Answered): Promise<void> {
    const asking = events.find(({ event }) => ASKS.has(event))
    const open = asking && this.#of.get(asking.session_id)
    if (open === undefined || open.size === 0) return
    const over = new Set(answered([...open.keys()]))
    const late = [...open.values()].filter((call) => over.has(call.call_id ?? '') || runsAlone(call))
    for (const end = Date.now() + LATE_MS; late.some((call) => this.#isOpen(call)); ) {
      const left = end - Date.now()
      if (left <= 0) return
      await this.#nextEnd(left)
    }
  }

  #isOpen({ session_id, call_id }: GuardEvent): boolean {
    return this.#of.get(session_id)?.has(call_id ?? '') === true
  }

  #nextEnd(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        this.#waiting.delete(done)
        resolve()
      }
      const timer = setTimeout(done, ms)
      this.#waiting.add(done)
    })
  }

  #overBefore(event: GuardEvent, answered: Answered): GuardEvent[] {
    const open = this.#of.get(event.session_id)
    if (!ASKS.has(event.event) || open === undefined) return []
    const call_ids = answered([...open.keys()])
    for (const id of call_ids) open.delete(id)
    const { workspace, session_id, client, parent_session_id } = event
    return call_ids.length === 0
      ? []
      : [{ event: 'calls_done', overdue: true, workspace, session_id, client, parent_session_id, call_ids }]
  }

  #noted(event: GuardEvent): GuardEvent {
    const { session_id, call_id } = event
    if (call_id !== undefined && canBeForgotten(event)) {
      const open = this.#of.get(session_id) ?? new Map<string, GuardEvent>()
      this.#of.set(session_id, open.set(call_id, event))
    } else if (event.event === 'call_end' && call_id !== undefined) this.#of.get(session_id)?.delete(call_id)
    else if (ENDS_ALL.has(event.event) || this.#of.get(session_id)?.size === 0) this.#of.delete(session_id)
    if (event.event !== 'call_start') for (const done of this.#waiting) done()
    return event
  }
}

/** What goes on in the background has been answered, and is not over. */
const canBeForgotten = ({ event, kind, background }: GuardEvent): boolean =>
  event === 'call_start' && kind !== 'read' && kind !== 'delegate' && background !== true

/** An agent changes files with one call at a time; what only looks, and what is not known, it may run beside others. */
const runsAlone = ({ kind, command, cwd, workspace }: GuardEvent): boolean =>
  kind === 'edit' ||
  (kind === 'shell' && judge(command ?? '', { cwd: cwd ?? workspace, workspace, home: homedir() }).modifies)

const ASKS: ReadonlySet<string> = new Set(['call_start', 'turn_end'])
const ENDS_ALL: ReadonlySet<string> = new Set(['session_start', 'prompt', 'turn_end', 'session_end'])
