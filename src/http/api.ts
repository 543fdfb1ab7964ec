import type { IncomingMessage, ServerResponse } from 'node:http'
import { z } from 'zod'
import type { Spec } from '../protocol/spec.ts'

/**
 * The catalogue over HTTP: what this room needs of the rooms behind it, and what it promises to its callers.
 *
 * One server stands behind each door: a socket in the store's folder, which only its owner can open, and a
 * port of the loopback interface, which everybody on the machine and every page in a browser can reach.
 */
export interface ApiServices {
  readonly version: string
  /** Runs a tool; `name` may be an alias. Throws `Fault`. */
  call(name: string, input: unknown): Promise<{ spec: Spec; output: object }>
  /** Facts about the daemon. */
  health(): object
  /**
   * Tells what happens from now on; returns how to stop listening. With `after`, first what happened after the event
   * of this id, as far as it is still known. The listener does not throw, and may be called before this returns.
   */
  subscribe(listener: (event: ApiEvent) => void, after?: number): () => void
  /**
   * Runs a whole command line on behalf of a thin client; offered on the socket alone. Ends `out` exactly once, with
   * `exit` or `decline`. What it throws before `started` is answered as a fault, later as an error and an exit code.
   */
  command?(request: CommandRequest, out: CommandOut): Promise<void>
  /**
   * Runs a tool for a client that wants to hear of its progress; offered on the socket alone. Ends `out` as `command` does;
   * its output, or a fault as `{"error": {…}}`, is what the tool answers.
   */
  callInFrames?(tool: string, input: object, caller: Caller, out: CommandOut): Promise<void>
  /** Asks a command or a call to stop; it answers where it was called. Says whether such a one runs. */
  cancel?(id: string): boolean
  /**
   * Takes a hook of a coding agent as it came; returns what the agent is to be told, which may be nothing. Throws only
   * when somebody else should be asked.
   */
  hook?(client: string, body: Uint8Array, project: string | undefined): Promise<string>
  /** Serves an agent that speaks the model context protocol; reads the body and answers by itself. */
  mcp?(request: IncomingMessage, response: ServerResponse): Promise<void>
}

export interface ApiEvent {
  /** Rises with each event; a client that comes back names the last one it saw. */
  readonly id: number
  /** One word. */
  readonly type: string
  readonly data: object
}

/** `port()` is asked at each request: it is not known before the server listens. */
export type Listener =
  | { readonly kind: 'socket' }
  | {
      readonly kind: 'loopback'
      readonly token: string
      /** Said to hooks, which do not say it: who knows it is the daemon, whoever has taken its port. */
      readonly proof: string
      readonly port: () => number
    }

/** A command line and the process it was typed in. What is not listed is ignored: clients may be newer. */
export const CommandRequest = z.object({
  argv: z.array(z.string()),
  cwd: z.string(),
  env: z.record(z.string(), z.string()),
  stdin_base64: z.base64().optional(),
  out_is_terminal: z.boolean(),
  err_is_terminal: z.boolean(),
  columns: z.int(),
  /** A name by which it can be cancelled. */
  id: z.string().min(1).max(100).optional(),
  /** Which build the client is of, so that another one can be declined. */
  build: z.string(),
  /** When it asked, by the clock of the machine (client/patience.ts): after a while it no longer waits. */
  asked_ms: z.number().optional(),
})
export type CommandRequest = z.output<typeof CommandRequest>

/** Who calls a tool and reads frames. */
export const Caller = z.object({
  /** As in `CommandRequest`. */
  build: z.string(),
  id: z.string().min(1).max(100),
  /** Where the caller stands: relative paths start there. */
  cwd: z.string(),
  asked_ms: z.number(),
})
export type Caller = z.output<typeof Caller>

/** Where a command's output goes. Whatever is said after its end, or after the client went away, is dropped. */
export interface CommandOut {
  /** Comes first. A client that loses the connection before it, or if `retryable` also later, may run the command again. */
  started(retryable: boolean): void
  out(data: Uint8Array | string): void
  err(text: string): void
  /** For a client that wants to hear of it. */
  progress(message: string, done?: number, total?: number): void
  exit(code: number): void
  /** Instead of `started`: answers with this HTTP status, and nothing was done. */
  decline(status: number, reason: string): void
  /** Fires when the client goes away before the exit code. */
  readonly signal: AbortSignal
}

/** How patient the server is, in milliseconds and bytes. */
export interface Limits {
  /** For receiving the head of a request. */
  readonly headersMs: number
  /** For receiving all of a request. Answering may take as long as it takes. */
  readonly requestMs: number
  readonly keepAliveMs: number
  readonly heartbeatMs: number
  readonly bodyBytes: number
  /** A hook may bring a file twice, before and after. */
  readonly hookBytes: number
  /** What may wait for a reader of events before it is cut off. */
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
