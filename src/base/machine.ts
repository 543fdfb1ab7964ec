/** A state machine as data: for each state, which event leads where. */
export type Machine<State extends string, Event extends string> = Readonly<
  Record<State, Readonly<Partial<Record<Event, State>>>>
>

/** Where an event leads, or what `refuse` makes of the events that are allowed instead. */
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
