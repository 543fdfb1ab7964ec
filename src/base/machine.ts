/** A state machine as data: per state, the next state of each event. */
export type Machine<State extends string, Event extends string> = Readonly<
  Record<State, Readonly<Partial<Record<Event, State>>>>
>

/** The next state. For an event that is not allowed, throws what `refuse` makes of the allowed ones. */
export function next<State extends string, Event extends string>(
  machine: Machine<State, Event>,
  state: State,
  event: Event,
  refuse: (allowed: Event[]) => Error,
): State {
  const to = machine[state][event]
  if (to === undefined) throw refuse(Object.keys(machine[state]) as Event[])
  return to
}
