import { lookUp } from '../base/look-up.ts'
import type { McpCallRequest, McpServices } from './api.ts'
import { faultJson } from './content.ts'

/** The names of clients in the records, by the names that they send. */
const CLIENTS: Readonly<Record<string, string>> = {
  'claude-code': 'claude',
  'codex-mcp-client': 'codex',
  'gemini-cli-mcp-client': 'gemini',
}

/** `Claude Code` → `claude-code`; a name without letters becomes `mcp`. */
export function clientName(told: string | undefined): string {
  const plain = (told ?? '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .replace(/-$/, '')
    .slice(0, 40)
  return lookUp(CLIENTS, plain) ?? (plain || 'mcp')
}

/**
 * Records a session with the name of its client; a recorded one stays as it is. It takes no snapshot, so `latest` stays
 * the same. A failure is only logged: it must not fail the call.
 */
export async function greet(
  rooms: McpServices,
  session: string,
  client: string | undefined,
  asked: McpCallRequest,
): Promise<void> {
  // The event that no calls are left changes nothing but that the session is recorded.
  const told = { event: 'calls_done', session_id: session, client: clientName(client), workspace: asked.cwd }
  try {
    await rooms.call('record_event', told, asked)
  } catch (error) {
    rooms.log(`The session could not be recorded: ${faultJson(error).message}`)
  }
}
