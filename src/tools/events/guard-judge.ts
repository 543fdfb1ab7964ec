import { homedir } from 'node:os'
import { isAbsolute, relative, resolve } from 'node:path'
import { handler, type ToolCall } from '../../app/handler.ts'
import { findWorkspace, type WorkspaceSelector } from '../../app/workspace-lookup.ts'
import { isFault } from '../../base/fault.ts'
import { GuardJudge } from '../../protocol/guard.ts'
import type { WorkspaceRecord } from '../../records/workspaces.ts'
import { judge } from '../../shell/judge.ts'

export const guardJudge = handler(GuardJudge, async (call, input) => {
  const { cwd, workspace } = whereOf(call, input)
  const { paths, named: _, ...said } = judge(input.command, { cwd, workspace, home: homedir(), store: call.app.home })
  return { ...said, paths: paths && [...paths] }
})

/**
 * A folder that is no workspace is judged as if it were one. For a caller outside of the workspace, its root is the
 * current folder.
 */
function whereOf(
  call: ToolCall,
  input: WorkspaceSelector & { cwd?: string | undefined },
): { cwd: string; workspace: string } {
  const asked = input.cwd === undefined ? undefined : resolve(call.cwd, input.cwd)
  const folder = input.workspace ?? asked ?? call.cwd
  const workspace = knownWorkspace(call, { workspace: folder })?.root ?? resolve(call.cwd, folder)
  return { cwd: asked ?? (isIn(call.cwd, workspace) ? call.cwd : workspace), workspace }
}

function isIn(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith('../') && !isAbsolute(way)
}

/** The named workspace; undefined if there is none. */
export function knownWorkspace(call: ToolCall, where: WorkspaceSelector): WorkspaceRecord | undefined {
  try {
    return findWorkspace(call, where)
  } catch (error) {
    if (isFault(error, 'WORKSPACE_UNKNOWN') || isFault(error, 'ROOT_MISSING')) return undefined
    throw error
  }
}
