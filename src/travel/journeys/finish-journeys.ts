import { isUnwritable, translateError } from '../../host/faults.ts'
import type { CaptureContext } from '../../timeline/scan/context.ts'
import type { Workspace } from '../../timeline/workspace/workspace.ts'
import { settleIssues } from '../issues/issue-folder.ts'
import { writeStateFile } from './state-file.ts'
import { finishAfterCrash } from './travel.ts'

/**
 * Before any command looks at the workspace: makes the move that a crash left to be made, draws state.json and the
 * folders of issues again where they are missing, and takes in what was written there by hand.
 * Returns what somebody should know.
 */
export async function finishJourneys(ctx: CaptureContext, workspace: Workspace): Promise<string[]> {
  await finishAfterCrash(ctx, workspace)
  try {
    writeStateFile(ctx.records, workspace)
    return await settleIssues(ctx, workspace)
  } catch (error) {
    const fault = translateError(error, workspace.root)
    // What cannot be written now is written by a later command: the truth is in the records.
    if (isUnwritable(fault)) return [`.timewarp could not be brought up to date: ${fault.message}`]
    throw fault
  }
}
