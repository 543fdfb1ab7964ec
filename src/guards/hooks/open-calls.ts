import type { Answered, GuardEvent } from '../clients/event.ts'

type AreAnswered = (calls: readonly string[]) => readonly Answered[]

/** The calls of each session whose end was not reported yet. For a denied call it never is. */
export class OpenCalls {
  /** By session and call id: the event of the start. */
  readonly #of = new Map<string, Map<string, GuardEvent>>()

  /**
   * Records the events of a hook. Before a call starts or a turn ends, it adds an event for the open calls that have
   * been over for a while according to `answered`; a call that runs in parallel with a new one is not over. Edits that
   * succeeded are left out: their end is detected from the file.
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

  /** Whether the call that started with this event is open; another call may have its id by now. */
  has(begun: GuardEvent): boolean {
    return this.#of.get(begun.session_id)?.get(begun.call_id ?? '') === begun
  }

  hasAny(session: string): boolean {
    return (this.#of.get(session)?.size ?? 0) > 0
  }

  /** The end of the call that started with this event was detected. */
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

/** The event that reports the end of some calls of a session. */
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

/** Background calls are not tracked: they have a result although they are not over. */
const canBeForgotten = ({ event, kind, background }: GuardEvent): boolean =>
  event === 'call_start' && kind !== 'read' && kind !== 'delegate' && background !== true

const ASKS: ReadonlySet<string> = new Set(['call_start', 'turn_end'])
const ENDS_ALL: ReadonlySet<string> = new Set(['session_start', 'prompt', 'turn_end', 'session_end'])
