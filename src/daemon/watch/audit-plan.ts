/** Decides when a workspace is audited, from facts alone. */

export interface AuditFacts {
  readonly id: string
  /** Whether it is warm; if not, its next capture scans everything anyway. */
  readonly isWarm: boolean
  readonly busy: boolean
  /** When the last event in it arrived, or a caller last asked about it. */
  readonly lastActive: number
  /** When its last audit began, and how long to wait for the next one without activity. */
  readonly audited: number
  readonly auditEvery: number
}

/** Processor time that audits may still take; negative after an expensive one. */
export interface AuditBudget {
  readonly at: number
  readonly leftMs: number
}

/** The daemon ticks every ten seconds, so a workspace with activity is audited within a minute. */
const ACTIVE_MS = 30_000
/** The share of one processor core that audits of all workspaces together may take. */
const SHARE = 0.02
/** The budget of at most this much time accumulates, so that several small workspaces can be audited in a row. */
const KEPT_MS = 60_000
/** How long to wait between audits without activity. */
export const IDLE_AUDIT = { first: 10 * 60_000, longest: 6 * 3_600_000 } as const

export const budgetAt = (now: number, { at, leftMs }: AuditBudget): AuditBudget => ({
  at: now,
  leftMs: Math.min(SHARE * KEPT_MS, leftMs + SHARE * Math.max(0, now - at)),
})

export const spend = ({ at, leftMs }: AuditBudget, costMs: number): AuditBudget => ({ at, leftMs: leftMs - costMs })

/** The workspace to audit now, if any. `hasTime`: the machine is idle, so work that is not urgent may run. */
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

/** How long to wait for the next audit without activity: twice as long after each audit that found nothing. */
export const idleAuditAfter = (every: number, found: boolean): number =>
  found ? IDLE_AUDIT.first : Math.min(IDLE_AUDIT.longest, every * 2)
