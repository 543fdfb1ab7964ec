import { lookUp } from '../base/look-up.ts'
import type { McpCallRequest, McpServices } from './api.ts'
import { faultJson } from './content.ts'

/** Clients by the names under which they introduce themselves, as the records call them. */
const CLIENTS: Readonly<Record<string, string>> = {
  'claude-code': 'claude',
  'codex-mcp-client': 'codex',
  'gemini-cli-mcp-client': 'gemini',
}

/** `Claude Code` → `claude-code`; what is left of a name without letters is `mcp`. */
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
 * Makes a session known, with the name of the client; one that is known stays as it is. It takes no snapshot: `latest` is
 * still what it was. What goes wrong here is no reason to refuse what was asked for.
 */
export async function greet(
  rooms: McpServices,
  session: string,
  client: string | undefined,
  asked: McpCallRequest,
): Promise<void> {
  // Of no calls it is told that they are over: by that alone a session is met.
  const told = { event: 'calls_done', session_id: session, client: clientName(client), workspace: asked.cwd }
  try {
    await rooms.call('record_event', told, asked)
  } catch (error) {
    rooms.log(`The session could not be recorded: ${faultJson(error).message}`)
  }
}
