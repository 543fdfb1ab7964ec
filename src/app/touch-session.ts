import { isFault } from '../base/fault.ts'
import type { WorkspaceRecord } from '../records/workspaces.ts'
import type { ToolCall } from './handler.ts'
import { findWorkspace } from './workspace-lookup.ts'

/** A session that was active within this time is not recorded as active again. */
const A_MINUTE = 60_000

/**
 * Records that a session is active. Every tool may be called on behalf of a session; one that no client reported is
 * recorded all the same.
 */
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

/** Undefined when the tool is called outside of every workspace. */
function placeOf(call: ToolCall, workspace: string | undefined): WorkspaceRecord | undefined {
  try {
    return findWorkspace(call, { workspace })
  } catch (error) {
    if (isFault(error, 'WORKSPACE_UNKNOWN') || isFault(error, 'ROOT_MISSING')) return undefined
    throw error
  }
}
