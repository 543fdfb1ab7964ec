import { isFault } from '../base/fault.ts'
import { knownSecrets } from '../privacy/known-secrets.ts'
import { redactCounting } from '../privacy/redact.ts'
import { Redact } from '../protocol/redact.ts'
import { type Call, handler } from './handler.ts'
import { findWorkspace, type Where } from './place.ts'

export const redact = handler(Redact, async (call, input) =>
  redactCounting(input.text, { known: knownSecrets(rootOf(call, input)) }),
)

/** Outside every workspace the folder itself: a text can be redacted anywhere. */
function rootOf(call: Call, where: Where): string {
  try {
    return findWorkspace(call, where).root
  } catch (error) {
    if (where.workspace === undefined && isFault(error, 'WORKSPACE_UNKNOWN')) return call.cwd
    throw error
  }
}
