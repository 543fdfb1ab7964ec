import type { ToolCall } from '../app/handler.ts'
import type { Config } from '../schema/config.ts'

/**
 * The catalogue for agents, over the model context protocol: what this room needs of the rooms behind it.
 *
 * A server is for one workspace and offers some of the tools. How bytes come and go (standard input and output, HTTP) is
 * the matter of `stdio.ts` and `http.ts`; what is answered is the same.
 */
export interface McpServices {
  readonly version: string
  /**
   * Runs a tool, called by its own name, and gives its output. Throws faults. What has begun may go on after `signal`
   * fires; the promise settles when it is over all the same.
   */
  call(tool: string, input: object, asked: McpCallRequest): Promise<object>
  /** The settings in force in a folder, as they are now. */
  settings(root: string): Pick<Config, 'secrets'>
  /** Whether a folder is in a workspace, by what lies in it. */
  isWorkspace(root: string): boolean
  /** Tells whoever looks after the server, never the client. One line. */
  log(line: string): void
}

export interface McpCallRequest {
  /** Where the caller stands: the workspace. */
  readonly cwd: string
  readonly progress: ToolCall['progress']
  readonly signal: AbortSignal
}

/** Where a server works. */
export interface WorkspaceHint {
  /** The workspace, when it was named: a folder, or an id. */
  readonly named: string | undefined
  /** Where the server was started; undefined when that says nothing. */
  readonly cwd: string | undefined
}
