import { fetchText, type RequestOutcome } from './request.ts'

/** A hook of a coding agent, to be sent to the daemon. */
export interface HookRequest {
  readonly socket: string
  readonly client: string
  /** The payload as the agent sent it. */
  readonly body: Uint8Array
  /** The folder the agent was started for; its current folder may be another. */
  readonly project: string | undefined
}

/** Agents wait for their hooks; a hook may take this long. */
const HOOK_MS = 8000

/** The header with the project's path; its bytes are sent as latin-1. */
const PROJECT_HEADER = 'timewarp-project'

/** `text` is the answer for the agent; it is undefined when the daemon did not serve the hook. Never rejects. */
export const askHook = ({
  socket,
  client,
  body,
  project,
}: HookRequest): Promise<RequestOutcome & { readonly text?: string }> =>
  fetchText({ socket, path: `/v1/hook/${client}`, headers: headersFor(project), body, waitMs: HOOK_MS })

const headersFor = (project: string | undefined): Record<string, string> =>
  project === undefined || hasControl(project) ? {} : { [PROJECT_HEADER]: Buffer.from(project).toString('latin1') }

// oxlint-disable-next-line no-control-regex -- what no header may hold
const hasControl = (name: string): boolean => /[\0-\x1f\x7f]/.test(name)

export const projectOf = (env: Readonly<Record<string, string | undefined>>): string | undefined =>
  env['CLAUDE_PROJECT_DIR'] || env['GEMINI_PROJECT_DIR'] || undefined
