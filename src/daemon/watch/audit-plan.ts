/** When a workspace is audited, decided from facts alone. */

export interface AuditFacts {
  readonly id: string
  /** Whether it is warm; any other is looked at as a whole by its next capture. */
  readonly isWarm: boolean
  readonly busy: boolean
  /** When something last happened in it, or a caller last asked about it. */
  readonly lastActive: number
  /** When its last audit began, and how long to wait for the next one if nothing happens. */
  readonly audited: number
  readonly auditEvery: number
}

/** Processor time that audits may still take; less than none after an expensive one. */
export interface AuditBudget {
  readonly at: number
  readonly leftMs: number
}

/** With a turn of the daemon every ten seconds, what happens is audited within a minute. */
const ACTIVE_MS = 30_000
/** Of one processor core, for all workspaces together. */
const SHARE = 0.02
/** What is not used up is kept for this long, so that several small workspaces can follow each other. */
const KEPT_MS = 60_000
/** Without activity. */
export const IDLE_AUDIT = { first: 10 * 60_000, longest: 6 * 3_600_000 } as const

export const budgetAt = (now: number, { at, leftMs }: AuditBudget): AuditBudget => ({
  at: now,
  leftMs: Math.min(SHARE * KEPT_MS, leftMs + SHARE * Math.max(0, now - at)),
})

export const spend = ({ at, leftMs }: AuditBudget, costMs: number): AuditBudget => ({ at, leftMs: leftMs - costMs })

/** The workspace to be audited now. `hasTime`: nothing happens anywhere, so what can wait may be done. */
export function auditNow(
  now: number,
  workspaces: readonly AuditFacts[],
  budget: AuditBudget,
  hasTime: boolean,
): string | undefined {
  if (budgetAt(now, budget).leftMs <= 0) return undefined
  const isDue = ({ isWarm, busy, lastActive, audited, auditEvery }: AuditFacts): boolean => {
    const pause = now - audited
    return isWarm && !busy && ((lastActive >= audited && pause >= ACTIVE_MS) || (hasTime && pause >= auditEvery))
  }
  return workspaces.filter(isDue).sort((a, b) => a.audited - b.audited)[0]?.id
}

/** How long to wait for the next audit if nothing happens: longer each time in which nothing was found. */
export const idleAuditAfter = (every: number, found: boolean): number =>
  found ? IDLE_AUDIT.first : Math.min(IDLE_AUDIT.longest, every * 2)
