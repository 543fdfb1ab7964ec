import { isUnwritable, translateError } from '../../host/faults.ts'
import type { CaptureContext } from '../../timeline/scan/context.ts'
import type { Workspace } from '../../timeline/workspace/workspace.ts'
import { settleIssues } from '../issues/issue-folder.ts'
import { writeStateFile } from './state-file.ts'
import { finishAfterCrash } from './travel.ts'

/**
 * Runs before any command reads the workspace: completes the state change that a crash left open, writes state.json and
 * the folders of issues again where they are missing, and records what was written there by hand. Returns warnings.
 */
export async function finishJourneys(ctx: CaptureContext, workspace: Workspace): Promise<string[]> {
  await finishAfterCrash(ctx, workspace)
  try {
    writeStateFile(ctx.records, workspace)
    return await settleIssues(ctx, workspace)
  } catch (error) {
    const fault = translateError(error, workspace.root)
    // What cannot be written now is written by a later command: the records are authoritative.
    if (isUnwritable(fault)) return [`.timewarp could not be brought up to date: ${fault.message}`]
    throw fault
  }
}
