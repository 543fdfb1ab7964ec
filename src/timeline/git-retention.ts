import type { GitKeepRecord } from '../records/git-keeps.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** So many are kept however old they are. */
const NEWEST = 20

/** Which keeps of one workspace go: those that are neither among the newest nor young. `keeps` are the newest first. */
export const outdatedKeeps = (keeps: readonly GitKeepRecord[], days: number, now: number): string[] =>
  keeps
    .slice(NEWEST)
    .filter(({ created_at }) => created_at < now - days * DAY_MS)
    .map(({ id }) => id)
