import { loadSettings } from '../config/settings.ts'
import { isMergeDue } from '../store/merge.ts'
import type { MaintenanceContext } from '../timeline/integrity/context.ts'
import { freeSpace, mergeSmall, prune } from '../timeline/retention/prune.ts'
import type { ToolCall } from './handler.ts'

export const maintenanceContext = ({ app }: ToolCall): MaintenanceContext => ({
  home: app.home,
  store: app.store,
  records: app.records,
  now: () => app.clock.now(),
})

const HOUR = 3_600_000

/** Prunes after the answer is given, at most once an hour. */
export function pruneLater(call: ToolCall, workspace: { id: string; root: string }): void {
  const { app } = call
  app.later('prune', async () => {
    const { retention } = loadSettings(app.home, workspace.root)
    if (!retention.auto || !app.records.workspaces.claimPrune(workspace.id, app.clock.now(), HOUR)) return
    const { removed, dropped } = prune(maintenanceContext(call), workspace.id, retention)
    if (removed.length + dropped.length > 0) await freeSpace(maintenanceContext(call), 0)
    else if (isMergeDue(app.store)) await mergeSmall(maintenanceContext(call), 0)
  })
}

/** Frees space after the answer is given, unless another process is doing so. */
export const freeLater = (call: ToolCall): void =>
  call.app.later('gc', async () => void (await freeSpace(maintenanceContext(call), 0)))
