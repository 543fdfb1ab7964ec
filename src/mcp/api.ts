import type { ToolCall } from '../app/handler.ts'
import type { Config } from '../schema/config.ts'

/**
 * The catalogue for agents, over the model context protocol: what this folder needs from the rest of the program.
 *
 * A server is for one workspace and offers some of the tools. `stdio.ts` and `http.ts` transport the bytes; the answers
 * are the same.
 */
export interface McpServices {
  readonly version: string
  /**
   * Runs a tool, called by its own name, and returns its output. Throws faults. Work that has begun may go on after
   * `signal` fires; the promise settles only when it has ended.
   */
  call(tool: string, input: object, asked: McpCallRequest): Promise<object>
  /** The settings in force in a folder, read anew each time. */
  settings(root: string): Pick<Config, 'secrets'>
  /** Whether a folder is in a workspace, judged by the folders on disk. */
  isWorkspace(root: string): boolean
  /** Writes one line for the server's operator, never for the client. */
  log(line: string): void
}

export interface McpCallRequest {
  /** The caller's current folder: the workspace. */
  readonly cwd: string
  readonly progress: ToolCall['progress']
  readonly signal: AbortSignal
}

/** Hints which workspace a server works in. */
export interface WorkspaceHint {
  /** The root of the workspace, when the user named it. */
  readonly named: string | undefined
  /** The folder the server was started in; undefined when that is no hint. */
  readonly cwd: string | undefined
}
