import type { GitKeepRecord } from '../../records/git-keeps.ts'

const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS
/** So many are kept however old they are. */
const NEWEST = 20

/** Why a state was kept that nothing threatened. */
export const IN_PASSING = { snapshot: 'with a snapshot', schedule: 'on schedule' } as const
const PASSING: ReadonlySet<string> = new Set(Object.values(IN_PASSING))

/**
 * Which keeps of one workspace go: those that are neither among the newest nor young. Of those kept in passing more than a day
 * ago the last of each hour is enough. `keeps` are the newest first.
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
