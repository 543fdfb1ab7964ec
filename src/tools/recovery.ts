import { count } from '../base/text.ts'
import { carryOn } from '../timeline/restore.ts'
import type { Workspace } from '../timeline/workspace.ts'
import type { Call } from './handler.ts'
import { captureRoom } from './place.ts'

/**
 * Finishes what a crash cut short, before anything else looks at the workspace.
 * Another process may be at it already; then there is nothing to do here.
 */
export async function recoverFirst(call: Call, workspace: Workspace): Promise<string[]> {
  const told: string[] = []
  for (const journal of call.house.records.journals.abandoned(workspace.id)) {
    const receipt = await carryOn(captureRoom(call), workspace, journal)
    told.push(
      receipt
        ? `a ${journal.plan.act} that was interrupted has been finished: ${count(receipt.restored.length, 'path')} restored, ` +
            `${receipt.deleted.length} deleted, ${receipt.skipped.length + receipt.conflicts.length} left alone; ` +
            `the state before it: ${journal.plan.backup}`
        : `a ${journal.plan.act} that was interrupted could not be finished; the state before it: ${journal.plan.backup}`,
    )
  }
  return told
}
