import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { isFault } from '../base/fault.ts'
import { judge } from '../privacy/judge.ts'
import { GuardJudge } from '../protocol/guard.ts'
import type { WorkspaceRecord } from '../records/workspaces.ts'
import { type Call, handler } from './handler.ts'
import { findWorkspace, type Where } from './place.ts'

export const guardJudge = handler(GuardJudge, async (call, input) => {
  const cwd = resolve(call.cwd, input.cwd ?? '')
  // A folder that is no workspace is judged as if it were one.
  const workspace =
    knownWorkspace(call, { workspace: input.workspace ?? cwd })?.root ?? resolve(cwd, input.workspace ?? '')
  const { paths, ...said } = judge(input.command, { cwd, workspace, home: homedir(), store: call.house.home })
  return { ...said, paths: paths && [...paths] }
})

/** The workspace meant, if there is one. */
export function knownWorkspace(call: Call, where: Where): WorkspaceRecord | undefined {
  try {
    return findWorkspace(call, where)
  } catch (error) {
    if (isFault(error, 'WORKSPACE_UNKNOWN') || isFault(error, 'ROOT_MISSING')) return undefined
    throw error
  }
}
