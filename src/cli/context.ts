import { isAbsolute } from 'node:path'
import type { ToolCall } from '../app/handler.ts'
import { Fault } from '../base/fault.ts'
import type { HookRequest } from '../client/hook.ts'
import { findTool } from '../protocol/catalogue.ts'
import type { Spec } from '../protocol/spec.ts'
import type { Io } from './io.ts'
import { printRemark } from './output/print.ts'
import { progressOn } from './output/progress.ts'
import { type Globals, homeOf } from './parse/globals.ts'

/** What the command line needs from the rest of the program, loaded when a command needs it. */
export interface Services {
  /** Opens the store. `daemon`: whether a daemon should be started for the next command. */
  open(options: { readonly home: string; readonly daemon: boolean }): Promise<OpenStore>
  /** Makes sure that a daemon serves this home, if the settings allow one; returns its URL. */
  daemon?(home: string): Promise<string | undefined>
  /** Sends a hook to the daemon, starting one if needed; undefined when no daemon serves it. Throws `Fault`. */
  hook?(home: string, hook: ClientHook): Promise<string | undefined>
  /** Serves an agent on standard input and output until it disconnects; returns the exit code. */
  mcp?(serving: McpServing): Promise<number>
}

/** A store that is open for tools. */
export interface OpenStore extends Required<Cleanup> {
  /** Throws `Fault`. */
  call(call: CallContext, name: string, input: unknown): Promise<{ spec: Spec; output: object }>
}

/** What a tool gets besides its input and the store. */
type CallContext = Omit<ToolCall, 'app'>

/** A hook with the payload as the coding agent sent it. */
export type ClientHook = Omit<HookRequest, 'socket'>

export interface McpServing {
  readonly home: string
  /** The workspace that -C names. */
  readonly dir: string | undefined
  /** The choice of tools, as typed. */
  readonly tools: string | undefined
  readonly daemon: boolean
}

export const SERVICES: Services = {
  open: async ({ home }) => {
    const app = (await import('../app/app.ts')).openApp({ home })
    return {
      call: async (call, name, input) => (await import('../tools/call.ts')).callTool({ ...call, app }, name, input),
      settle: () => app.settle(),
      close: () => app.close(),
    }
  },
}

/** Work after a command's answer. A failure prints one line on stderr and does not change the exit code. */
export interface Cleanup {
  /** Called after the answer. */
  settle?(): Promise<void>
  /** Called at the end, also after an interrupt; in reverse order of registration. */
  close(): void
}

/** What a command gets besides its input. */
export interface Context {
  readonly io: Io
  readonly globals: Globals
  readonly rooms: Services
  /** Every word that may follow `timewarp`. */
  readonly verbs: readonly string[]
  leave(leaving: Cleanup): void
  /** Marks that a tool is running: a request to stop waits for its end. */
  during<T>(work: Promise<T>): Promise<T>
}

/** Calls tools in an open store. */
export interface ToolClient {
  readonly home: string
  call(name: string, input: object): Promise<{ spec: Spec; output: object }>
  /** Like `call`, for paths that a person typed: they start in the current folder, or in that of -C. */
  callTyped(name: string, input: object): Promise<{ spec: Spec; output: object }>
}

/** Opens the store; `settle` and `close` are called when the command ends. */
export async function openToolClient(
  context: Context,
  at: { readonly home?: string; readonly daemon?: boolean; readonly cwd?: string } = {},
): Promise<ToolClient> {
  const { io, globals, rooms } = context
  const home = at.home ?? homeOf(globals, io)
  const progress = progressOn(io, globals.json)
  context.leave({ close: () => progress.clear() })
  const store = await rooms.open({ home, daemon: at.daemon ?? globals.daemon })
  context.leave(store)
  const announce = (sentence: string): void => {
    progress.clear()
    printRemark(io, sentence)
  }
  const call: CallContext = { cwd: at.cwd ?? io.cwd, progress: progress.show, announce, signal: io.stop }
  const begin: OpenStore['call'] = async (one, name, input) => {
    if ((await findTool(name)?.load())?.blocks) io.mayDie?.()
    if (io.stop?.aborted) throw new Fault('CANCELLED', { taken_back: false })
    return context.during(store.call(one, name, input)).finally(() => progress.clear())
  }
  return {
    home,
    call: (name, input) => begin(call, name, input),
    callTyped: (name, input) => begin({ ...call, typedIn: folderOf(globals, io) }, name, input),
  }
}

/** The folder in which typed paths start; with the id of a workspace in -C, paths are relative to its root. */
const folderOf = ({ dir }: Globals, { cwd }: Io): string => (dir === undefined ? cwd : isAbsolute(dir) ? dir : '/')

/** The workspace that -C names, as tools take it. */
export const workspaceOf = (globals: Globals): { workspace?: string } =>
  globals.dir === undefined ? {} : { workspace: globals.dir }
