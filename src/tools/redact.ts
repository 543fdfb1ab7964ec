import { handler, type ToolCall } from '../app/handler.ts'
import { findWorkspace, type WorkspaceSelector } from '../app/workspace-lookup.ts'
import { isFault } from '../base/fault.ts'
import { Redact } from '../protocol/redact.ts'
import { knownSecrets } from '../secrets/known-secrets.ts'
import { redactCounting } from '../secrets/redact.ts'

export const redact = handler(Redact, async (call, input) =>
  redactCounting(input.text, { known: knownSecrets(rootOf(call, input)) }),
)

/** Outside every workspace, the current folder: a text can be redacted anywhere. */
function rootOf(call: ToolCall, where: WorkspaceSelector): string {
  try {
    return findWorkspace(call, where).root
  } catch (error) {
    if (where.workspace === undefined && isFault(error, 'WORKSPACE_UNKNOWN')) return call.cwd
    throw error
  }
}
