import type { GitKeepRecord } from '../../records/git-keeps.ts'

const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS
/** This many keeps stay, however old they are. */
const NEWEST = 20

/** Reasons of keeps that were made routinely, not before a risk. */
export const IN_PASSING = { snapshot: 'with a snapshot', schedule: 'on schedule' } as const
const PASSING: ReadonlySet<string> = new Set(Object.values(IN_PASSING))

/**
 * The keeps of one workspace to remove: those that are neither among the newest nor young enough. Of routine keeps that
 * are more than a day old, only the last of each hour stays. `keeps` must be ordered from the newest to the oldest.
 */
export function outdatedKeeps(keeps: readonly GitKeepRecord[], days: number, now: number): string[] {
  const hours = new Set<number>()
  const isFirstOfHour = (at: number): boolean => {
    const [hour, before] = [Math.floor(at / HOUR_MS), hours.size]
    return hours.add(hour).size > before
  }
  return keeps
    .slice(NEWEST)
    .filter(({ created_at: at, why }) => {
      if (at < now - days * DAY_MS) return true
      return PASSING.has(why) && at < now - DAY_MS && !isFirstOfHour(at)
    })
    .map(({ id }) => id)
}
