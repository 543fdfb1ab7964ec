import type { CaptureContext } from '../../timeline/scan/context.ts'
import type { Workspace } from '../../timeline/workspace/workspace.ts'
import { audit } from './audit.ts'
import { type AuditBudget, auditNow, budgetAt, IDLE_AUDIT, idleAuditAfter, spend } from './audit-plan.ts'
import type { WatchedWorkspace } from './watched-workspace.ts'

export interface AuditorOptions {
  readonly watched: () => readonly WatchedWorkspace[]
  /** Undefined when it is no longer recorded. */
  readonly workspace: (id: string) => Workspace | undefined
  readonly ctx: () => CaptureContext
  /** Called with what was found: folders in which something changed that was never reported. */
  readonly onDrift: (workspace: string, folders: readonly string[]) => void
}

interface LastAudit {
  audited: number
  auditEvery: number
}

/** Looks for what was never reported, within the processor time that audits may take. */
export class Auditor {
  readonly #options: AuditorOptions
  readonly #last = new Map<string, LastAudit>()
  #budget: AuditBudget = { at: Date.now(), leftMs: 0 }

  constructor(options: AuditorOptions) {
    this.#options = options
  }

  /** Audits whatever is due; returns the workspaces in which something was found. */
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
