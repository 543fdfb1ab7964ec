import { isAbsolute } from 'node:path'
import { Fault } from '../base/fault.ts'
import type { McpCallRequest, McpServices, WorkspaceHint } from './api.ts'

/** `named` is the absolute path of a folder, or the id of a workspace, whose root is then looked up. */
export async function workspaceHintOf(
  rooms: McpServices,
  named: string | undefined,
  cwd: string | undefined,
): Promise<WorkspaceHint> {
  return { named: named === undefined || isAbsolute(named) ? named : await rootOf(rooms, named), cwd }
}

async function rootOf(rooms: McpServices, id: string): Promise<string> {
  const asked: McpCallRequest = { cwd: '/', progress: () => {}, signal: new AbortController().signal }
  const { workspaces } = (await rooms.call('workspace_list', {}, asked)) as Listed
  const found = workspaces.find(({ workspace_id }) => workspace_id === id)
  if (found === undefined) throw new Fault('WORKSPACE_UNKNOWN', { root: id })
  return found.root
}

interface Listed {
  readonly workspaces: readonly { readonly workspace_id: string; readonly root: string }[]
}
