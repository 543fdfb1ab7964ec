import type { IncomingMessage, ServerResponse } from 'node:http'
import { z } from 'zod'
import type { Spec } from '../protocol/spec.ts'

/**
 * The catalogue over HTTP: what this folder needs from the daemon, and what it promises to its callers.
 *
 * There is one server per listener: a socket in the store's folder, which only its owner can open, and a port of the
 * loopback interface, which every user of the machine and every page in a browser can reach.
 */
export interface ApiServices {
  readonly version: string
  /** Runs a tool; `name` may be an alias. Throws `Fault`. */
  call(name: string, input: unknown): Promise<{ spec: Spec; output: object }>
  /** Facts about the daemon. */
  health(): object
  /**
   * Reports events from now on; the returned function ends that. With `after`, first reports the events after the one
   * of this id, as far as they are still in memory. The listener must not throw, and may be called before this returns.
   */
  subscribe(listener: (event: ApiEvent) => void, after?: number): () => void
  /**
   * Runs a whole command line for a thin client; offered on the socket only. Ends `out` exactly once, with `exit` or
   * `decline`. An error thrown before `started` is answered as a fault, a later one as error output and an exit code.
   */
  command?(request: CommandRequest, out: CommandOut): Promise<void>
  /**
   * Runs a tool for a client that wants its progress; offered on the socket only. Ends `out` as `command` does; its
   * output is the tool's output, or a fault as `{"error": {…}}`.
   */
  callInFrames?(tool: string, input: object, caller: Caller, out: CommandOut): Promise<void>
  /** Asks a command or a call to stop; the result is in its own answer. Returns whether it is running. */
  cancel?(id: string): boolean
  /**
   * Runs a hook with the payload as the coding agent sent it; returns the answer for the agent, which may be empty.
   * Throws only when the hook must run in another process.
   */
  hook?(client: string, body: Uint8Array, project: string | undefined): Promise<string>
  /** Serves an agent over MCP; reads the body and writes the answer itself. */
  mcp?(request: IncomingMessage, response: ServerResponse): Promise<void>
}

export interface ApiEvent {
  /** Rises with each event; a client that reconnects sends the last id it received. */
  readonly id: number
  /** One word. */
  readonly type: string
  readonly data: object
}

/** `port()` is called at each request: the port is not known before the server listens. */
export type Listener =
  | { readonly kind: 'socket' }
  | {
      readonly kind: 'loopback'
      readonly token: string
      /** A secret sent to hooks, never by them. It proves that the daemon answers, not a process that took its port. */
      readonly proof: string
      readonly port: () => number
    }

/** A command line and the process it was typed in. Unknown fields are ignored: clients may be newer. */
export const CommandRequest = z.object({
  argv: z.array(z.string()),
  cwd: z.string(),
  env: z.record(z.string(), z.string()),
  stdin_base64: z.base64().optional(),
  out_is_terminal: z.boolean(),
  err_is_terminal: z.boolean(),
  columns: z.int(),
  /** The id by which it can be cancelled. */
  id: z.string().min(1).max(100).optional(),
  /** The client's build; the daemon declines another build than its own. */
  build: z.string(),
  /** When the client sent it, by the machine's clock (client/patience.ts): after a while the client no longer waits. */
  asked_ms: z.number().optional(),
})
export type CommandRequest = z.output<typeof CommandRequest>

/** The caller of a tool that is answered in frames. */
export const Caller = z.object({
  /** As in `CommandRequest`. */
  build: z.string(),
  id: z.string().min(1).max(100),
  /** The caller's current folder: relative paths start there. */
  cwd: z.string(),
  asked_ms: z.number(),
})
export type Caller = z.output<typeof Caller>

/** Receives a command's output. Output after its end, or after the client has disconnected, is dropped. */
export interface CommandOut {
  /**
   * Must come first. A client that loses the connection before it may run the command again; after it, only if
   * `retryable`.
   */
  started(retryable: boolean): void
  out(data: Uint8Array | string): void
  err(text: string): void
  /** For a client that wants it. */
  progress(message: string, done?: number, total?: number): void
  exit(code: number): void
  /** Instead of `started`: answers with this HTTP status; nothing was done. */
  decline(status: number, reason: string): void
  /** Fires when the client disconnects before the exit code. */
  readonly signal: AbortSignal
}

/** Time limits in milliseconds and size limits in bytes. */
export interface Limits {
  /** For receiving the head of a request. */
  readonly headersMs: number
  /** For receiving a whole request. Answering may take any time. */
  readonly requestMs: number
  readonly keepAliveMs: number
  readonly heartbeatMs: number
  readonly bodyBytes: number
  /** A hook's payload may hold a file twice: before and after the edit. */
  readonly hookBytes: number
  /** When this much waits for a reader of events, the reader is disconnected. */
  readonly backlogBytes: number
}

export const LIMITS: Limits = {
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 30_000,
  heartbeatMs: 15_000,
  bodyBytes: 8 * 1024 * 1024,
  hookBytes: 128 * 1024 * 1024,
  backlogBytes: 1024 * 1024,
}
