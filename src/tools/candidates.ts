import type { ToolCall } from '../app/handler.ts'
import { firstLine } from '../base/visible.ts'
import type { SharedBy } from '../protocol/shapes.ts'
import type { Cause } from '../schema/cause.ts'

/** The sessions that may have made a change, with client and prompt, where the author is not certain; else empty. */
export function candidatesOf(call: ToolCall, workspace: string, { shared = [] }: Cause): SharedBy[] {
  const { sessions, prompts } = call.app.records
  return shared.map(({ session_id, call_id, prompt_id, title = null }) => {
    const asked = prompt_id === null ? undefined : prompts.get(workspace, prompt_id)?.text
    return {
      session_id,
      call_id,
      prompt_id,
      title,
      client: session_id === null ? null : (sessions.get(workspace, session_id)?.client ?? null),
      prompt: asked === undefined ? null : firstLine(asked),
    }
  })
}
