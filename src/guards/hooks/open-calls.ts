import type { Answered, GuardEvent } from '../clients/event.ts'

type AreAnswered = (calls: readonly string[]) => readonly Answered[]

/** The calls of each session whose end was not told yet. Of a call that is denied it never is. */
export class OpenCalls {
  /** By session and id, how each of them began. */
  readonly #of = new Map<string, Map<string, GuardEvent>>()

  /**
   * Takes note of what a hook tells. Before a call begins, or a turn ends, it says which of the open ones have been over for a
   * while, as far as `answered` can tell: a call that runs beside a new one is not. Of an edit that went well nothing need be
   * said: its file shows it.
   */
  note(events: readonly GuardEvent[], answered: AreAnswered): readonly GuardEvent[] {
    return events.flatMap((event) => [...this.#overBefore(event, answered), this.#noted(event)])
  }

  #overBefore(event: GuardEvent, answered: AreAnswered): GuardEvent[] {
    const open = this.#of.get(event.session_id)
    if (!ASKS.has(event.event) || open === undefined) return []
    const over = answered([...open.keys()])
    const call_ids = over.flatMap(({ id, failed }) => (failed || open.get(id)?.kind !== 'edit' ? id : []))
    for (const { id } of over) open.delete(id)
    if (event.after_edits) for (const [id, { kind }] of open) if (kind === 'edit') open.delete(id)
    return call_ids.length === 0 ? [] : [doneEvent(event, call_ids, true)]
  }

  /** Whether the call that began so is; another may have its id by now. */
  has(begun: GuardEvent): boolean {
    return this.#of.get(begun.session_id)?.get(begun.call_id ?? '') === begun
  }

  hasAny(session: string): boolean {
    return (this.#of.get(session)?.size ?? 0) > 0
  }

  /** The end of the call that began so was found. */
  end(begun: GuardEvent): void {
    if (this.has(begun)) this.#of.get(begun.session_id)?.delete(begun.call_id ?? '')
  }

  #noted(event: GuardEvent): GuardEvent {
    const { session_id, call_id } = event
    if (call_id !== undefined && canBeForgotten(event)) {
      const open = this.#of.get(session_id) ?? new Map<string, GuardEvent>()
      this.#of.set(session_id, open.set(call_id, event))
    } else if (event.event === 'call_end' && call_id !== undefined) this.#of.get(session_id)?.delete(call_id)
    else if (ENDS_ALL.has(event.event) || this.#of.get(session_id)?.size === 0) this.#of.delete(session_id)
    return event
  }
}

/** Tells that some calls of the session of an event are over. */
export const doneEvent = (
  { workspace, session_id, client, parent_session_id }: GuardEvent,
  call_ids: readonly string[],
  overdue: boolean,
): GuardEvent => ({
  event: 'calls_done',
  workspace,
  session_id,
  client,
  parent_session_id,
  call_ids,
  ...(overdue ? { overdue } : {}),
})

/** What goes on in the background has been answered, and is not over. */
const canBeForgotten = ({ event, kind, background }: GuardEvent): boolean =>
  event === 'call_start' && kind !== 'read' && kind !== 'delegate' && background !== true

const ASKS: ReadonlySet<string> = new Set(['call_start', 'turn_end'])
const ENDS_ALL: ReadonlySet<string> = new Set(['session_start', 'prompt', 'turn_end', 'session_end'])
