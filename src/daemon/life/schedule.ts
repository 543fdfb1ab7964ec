/** Decides what the daemon does on its own, from facts alone. */

export interface WorkspaceFacts {
  readonly id: string
  /** False: this daemon has not scanned it yet, or has lost its events; a capture makes it watched. */
  readonly watched: boolean
  /** Whether events reported a change since the last scan. */
  readonly changed: boolean
  readonly busy: boolean
  /** When the newest snapshot was taken. */
  readonly newest: number
  /** When the daemon last captured it by itself. */
  readonly captured: number
  /** When the daemon last checked whether to keep the state of git. */
  readonly gitKept: number
  /** When the last event in it arrived. */
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
/** Without activity for this long, work that is not urgent may run. */
const QUIET_MS = 20_000
const BUSY_LOAD = 2

const isQuiet = (now: number, workspaces: readonly WorkspaceFacts[], lastCall: number): boolean =>
  now - lastCall > QUIET_MS && workspaces.every(({ lastEvent, busy }) => now - lastEvent > QUIET_MS && !busy)

/** Whether work that is not urgent may run: there is no activity, and the machine is neither loaded nor on battery. */
export const hasTime = (
  now: number,
  workspaces: readonly WorkspaceFacts[],
  strain: SystemLoad,
  lastCall: number,
): boolean => isQuiet(now, workspaces, lastCall) && strain.load <= BUSY_LOAD && !strain.onBattery

/** At most one capture per tick, including the first capture of a workspace; the next tick brings the next one. */
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
  // Also on a loaded machine: git runs seldom, and at low priority.
  const keep: DueTask[] = workspaces.flatMap((facts) => keepDuty(now, facts, pace)).slice(0, 1)
  const settle: DueTask[] = workspaces
    .filter((facts) => facts.watched && !facts.busy)
    .map(({ id }) => ({ do: 'settle', workspace: id }))
  const isUpkeepDue = now - lastUpkeep > UPKEEP_MS && hasTime(now, workspaces, strain, lastCall)
  const upkeep: DueTask[] = isUpkeepDue && heavy.length === 0 ? [{ do: 'upkeep' }] : []
  // Without activity a merge delays no capture, even on a loaded machine. Far too many packs do not wait for a pause.
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

/** The daemon does not watch git's folder: it checks it as often as it may capture. */
function keepDuty(now: number, { id, busy, gitKept }: WorkspaceFacts, { everyMs }: SchedulePace): DueTask[] {
  const isDue = everyMs > 0 && now - gitKept >= everyMs
  return !busy && isDue ? [{ do: 'keep git', workspace: id }] : []
}

/** Automatic captures keep a distance from the newest snapshot; captures on request do not. */
const mayCapture = (now: number, newest: number, { debounceMs }: SchedulePace): boolean => now - newest >= debounceMs
