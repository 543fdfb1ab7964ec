import { isUnwritable, translateError } from '../../host/faults.ts'
import type { CaptureRoom } from '../../timeline/scan/context.ts'
import type { Workspace } from '../../timeline/workspace/workspace.ts'
import { settleIssues } from '../issues/issue-folder.ts'
import { drawState } from './state-file.ts'
import { settleAfterCrash } from './travel.ts'

/**
 * Before any command looks at the workspace: makes the move that a crash left to be made, draws state.json and the
 * folders of issues again where they are missing, and takes in what was written there by hand.
 * Returns what somebody should know.
 */
export async function settle(room: CaptureRoom, workspace: Workspace): Promise<string[]> {
  await settleAfterCrash(room, workspace)
  try {
    drawState(room.records, workspace)
    return await settleIssues(room, workspace)
  } catch (error) {
    const fault = translateError(error, workspace.root)
    // What cannot be written now is written by a later command: the truth is in the records.
    if (isUnwritable(fault)) return [`.timewarp could not be brought up to date: ${fault.message}`]
    throw fault
  }
}
