import { isFault } from '../base/fault.ts'
import type { WorkspaceRecord } from '../records/workspaces.ts'
import type { ToolCall } from './handler.ts'
import { findWorkspace } from './workspace-lookup.ts'

/** How long a session that was heard of need not be heard of again. */
const A_MINUTE = 60_000

/** Every tool may be called on behalf of a session; one that nobody told of is one all the same. */
export function touchSession(call: ToolCall, input: { workspace?: unknown; session_id?: unknown }): void {
  const { workspace, session_id: id } = input
  if (typeof id !== 'string' || id === '' || call.app.isReadOnly) return
  const place = placeOf(call, typeof workspace === 'string' ? workspace : undefined)
  if (place === undefined) return
  const { sessions } = call.app.records
  const [known, at] = [sessions.get(place.id, id), call.app.clock.now()]
  if (isRecentlyActive(known, at)) return
  sessions.meet({ id, workspace: place.id, at })
}

export const isRecentlyActive = (session: { readonly last_at: number } | undefined, at: number): boolean =>
  session !== undefined && at - session.last_at < A_MINUTE

/** Some tools are called from outside of every workspace. */
function placeOf(call: ToolCall, workspace: string | undefined): WorkspaceRecord | undefined {
  try {
    return findWorkspace(call, { workspace })
  } catch (error) {
    if (isFault(error, 'WORKSPACE_UNKNOWN') || isFault(error, 'ROOT_MISSING')) return undefined
    throw error
  }
}
