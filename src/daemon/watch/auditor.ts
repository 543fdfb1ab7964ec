import type { CaptureContext } from '../../timeline/scan/context.ts'
import type { Workspace } from '../../timeline/workspace/workspace.ts'
import { audit } from './audit.ts'
import { type AuditBudget, auditNow, budgetAt, IDLE_AUDIT, idleAuditAfter, spend } from './audit-plan.ts'
import type { WatchedWorkspace } from './watched-workspace.ts'

export interface AuditorOptions {
  readonly watched: () => readonly WatchedWorkspace[]
  /** Undefined when the workspace is no longer recorded. */
  readonly workspace: (id: string) => Workspace | undefined
  readonly ctx: () => CaptureContext
  /** Called with the folders in which an audit found changes that no event reported. */
  readonly onDrift: (workspace: string, folders: readonly string[]) => void
}

interface LastAudit {
  audited: number
  auditEvery: number
}

/** Runs audits, which find changes that no event reported, within a budget of processor time. */
export class Auditor {
  readonly #options: AuditorOptions
  readonly #last = new Map<string, LastAudit>()
  #budget: AuditBudget = { at: Date.now(), leftMs: 0 }

  constructor(options: AuditorOptions) {
    this.#options = options
  }

  /** Runs the audits that are due; returns the workspaces in which one found unreported changes. */
  async runDue(hasTime: boolean): Promise<string[]> {
    const found: string[] = []
    for (;;) {
      const now = Date.now()
      const facts = this.#options.watched().map((watched) => ({
        id: watched.id,
        isWarm: watched.isWarm,
        busy: watched.isBusy,
        lastActive: watched.lastActive,
        ...this.#lastOf(watched.id, now),
      }))
      const id = auditNow(now, facts, this.#budget, hasTime)
      if (id === undefined) return found
      if ((await this.run(id)).length > 0) found.push(id)
    }
  }

  async run(id: string): Promise<string[]> {
    const began = Date.now()
    const last = this.#lastOf(id, began)
    last.audited = began
    const workspace = this.#options.workspace(id)
    const watched = this.#options.watched().find((one) => one.id === id)
    if (workspace === undefined || watched === undefined) return []
    const before = process.cpuUsage()
    try {
      const drifted = await audit(this.#options.ctx(), workspace, watched)
      last.auditEvery = idleAuditAfter(last.auditEvery, drifted.length > 0)
      if (drifted.length > 0) this.#options.onDrift(id, drifted)
      return drifted
    } finally {
      const { user, system } = process.cpuUsage(before)
      this.#budget = spend(budgetAt(began, this.#budget), (user + system) / 1000)
    }
  }

  #lastOf(id: string, now: number): LastAudit {
    const known = this.#last.get(id)
    if (known) return known
    const last = { audited: now, auditEvery: IDLE_AUDIT.first }
    this.#last.set(id, last)
    return last
  }
}
