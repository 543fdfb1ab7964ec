/** What the daemon does by itself, decided from facts alone. */

export interface WorkspaceFacts {
  readonly id: string
  /** Whether it is kept in mind, as far as it can be; the rest is known only then. */
  readonly watched: boolean
  /** Whether anything was told to have happened since the last look. */
  readonly changed: boolean
  readonly busy: boolean
  /** When the newest snapshot was taken. */
  readonly newest: number
  /** When the daemon last captured it by itself. */
  readonly captured: number
  /** When the daemon last looked whether the state of git is to be kept. */
  readonly gitKept: number
  /** When something last happened in it. */
  readonly lastEvent: number
}

export interface SchedulePace {
  readonly everyMs: number
  readonly debounceMs: number
}

export interface SystemLoad {
  /** Runnable processes per processor. */
  readonly load: number
  readonly onBattery: boolean
}

/** Whether the store has packs that should be merged. */
export type SmallPacks = 'few' | 'many' | 'far too many'

export type DueTask =
  | { readonly do: 'take up' | 'capture' | 'settle' | 'keep git'; readonly workspace: string }
  | { readonly do: 'upkeep' }
  | { readonly do: 'merge' }

const UPKEEP_MS = 3_600_000
/** Nothing happened for this long: there is time for what is not urgent. */
const QUIET_MS = 20_000
const BUSY_LOAD = 2

const isQuiet = (now: number, workspaces: readonly WorkspaceFacts[], lastCall: number): boolean =>
  now - lastCall > QUIET_MS && workspaces.every(({ lastEvent, busy }) => now - lastEvent > QUIET_MS && !busy)

/** Whether what is not urgent may be done: nothing happens, and the machine has power and time. */
export const hasTime = (
  now: number,
  workspaces: readonly WorkspaceFacts[],
  strain: SystemLoad,
  lastCall: number,
): boolean => isQuiet(now, workspaces, lastCall) && strain.load <= BUSY_LOAD && !strain.onBattery

/** At most one capture or taking up at a time: the next turn brings the next. */
export function dueTasks(
  now: number,
  workspaces: readonly WorkspaceFacts[],
  pace: SchedulePace,
  strain: SystemLoad,
  lastCall: number,
  lastUpkeep: number,
  packs: SmallPacks = 'few',
): DueTask[] {
  const isLoaded = strain.load > BUSY_LOAD
  const heavy: DueTask[] = isLoaded ? [] : workspaces.flatMap((facts) => heavyDuty(now, facts, pace)).slice(0, 1)
  // However much others have to do: git is run seldom, and gives way to everybody.
  const keep: DueTask[] = workspaces.flatMap((facts) => keepDuty(now, facts, pace)).slice(0, 1)
  const settle: DueTask[] = workspaces
    .filter((facts) => facts.watched && !facts.busy)
    .map(({ id }) => ({ do: 'settle', workspace: id }))
  const isUpkeepDue = now - lastUpkeep > UPKEEP_MS && hasTime(now, workspaces, strain, lastCall)
  const upkeep: DueTask[] = isUpkeepDue && heavy.length === 0 ? [{ do: 'upkeep' }] : []
  // In a pause a merge holds up no capture, however much others have to do. Far too many packs do not wait for one.
  const mayMerge = (isQuiet(now, workspaces, lastCall) && !strain.onBattery) || (packs === 'far too many' && !isLoaded)
  const isMerging = packs !== 'few' && heavy.length === 0 && mayMerge
  const merge: DueTask[] = isMerging ? [{ do: 'merge' }] : []
  return [...heavy, ...keep, ...settle, ...merge, ...upkeep]
}

function heavyDuty(now: number, facts: WorkspaceFacts, pace: SchedulePace): DueTask[] {
  const { id: workspace, busy } = facts
  if (busy) return []
  if (!facts.watched) return mayCapture(now, facts.newest, pace) ? [{ do: 'take up', workspace }] : []
  const isDue = pace.everyMs > 0 && now - Math.max(facts.captured, facts.newest) >= pace.everyMs
  return facts.changed && isDue && mayCapture(now, facts.newest, pace) ? [{ do: 'capture', workspace }] : []
}

/** What happens in git's folder is not told: it is looked at as often as a capture may be taken. */
function keepDuty(now: number, { id, busy, gitKept }: WorkspaceFacts, { everyMs }: SchedulePace): DueTask[] {
  const isDue = everyMs > 0 && now - gitKept >= everyMs
  return !busy && isDue ? [{ do: 'keep git', workspace: id }] : []
}

/** Automatic captures keep a distance from the newest snapshot; those somebody asks for do not. */
const mayCapture = (now: number, newest: number, { debounceMs }: SchedulePace): boolean => now - newest >= debounceMs
