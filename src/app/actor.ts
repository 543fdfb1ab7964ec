import type { Cause } from '../schema/cause.ts'
import type { ToolCall } from './handler.ts'

/**
 * On whose behalf a tool changes something: the session, the actor, and the newest prompt of the session. A session
 * that no client reported is recorded here.
 */
export function actorOf(
  call: ToolCall,
  workspace: { readonly id: string },
  { session_id, actor }: { readonly session_id?: string | undefined; readonly actor?: string | undefined },
): Pick<Cause, 'session_id' | 'prompt_id' | 'actor'> {
  const { sessions, prompts } = call.app.records
  if (session_id && sessions.get(workspace.id, session_id) === undefined)
    sessions.meet({ id: session_id, workspace: workspace.id, at: call.app.clock.now() })
  const prompt = session_id ? prompts.newest(workspace.id, session_id) : undefined
  return {
    ...(session_id ? { session_id } : {}),
    ...(prompt ? { prompt_id: prompt.id } : {}),
    ...(actor ? { actor } : {}),
  }
}
