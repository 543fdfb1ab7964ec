import type { ToolCall } from '../app/handler.ts'
import { asFault, type Fault, KINDS } from '../base/fault.ts'
import type { Services } from '../cli/context.ts'
import type { Io } from '../cli/io.ts'
import { runCli, toolOf } from '../cli/run.ts'
import { buildText, isNewer } from '../client/build.ts'
import { NOT_ANY_MORE, NOT_HERE } from '../client/declined.ts'
import { isTooLate } from '../client/patience.ts'
import { loadSettings } from '../config/settings.ts'
import type { Daemon } from '../daemon/daemon.ts'
import { commandLine } from '../daemon/life/child-process.ts'
import type { Caller, CommandOut, CommandRequest } from '../http/api.ts'
import { findTool } from '../protocol/catalogue.ts'
import type { Spec } from '../protocol/spec.ts'

/** The daemon and its files. */
export interface Serving {
  readonly daemon: Daemon
  readonly home: string
  /** The file of the running program. */
  readonly program: string
  /** Running commands and calls by the ids that their clients gave them: each can be asked to stop. */
  readonly running: Map<string, AbortController>
  stop(why: string): void
}

/** Runs a command line for a client process. It prints what the client would have printed by itself. */
export async function runCommand(serving: Serving, request: CommandRequest, out: CommandOut): Promise<void> {
  const tool = await toolOf(request.argv)
  if (!accepts(serving, tool, request, out)) return
  await cancellable(serving, request.id, async (stop) =>
    out.exit(await runCli(request.argv, ioOf(serving, request, out, stop), roomsOf(serving.daemon))),
  )
}

/** Runs a tool for a client that reads frames. */
export async function runCall(
  serving: Serving,
  { name, input }: { readonly name: string; readonly input: object },
  caller: Caller,
  out: CommandOut,
): Promise<void> {
  const tool = await findTool(name)?.load()
  if (!accepts(serving, tool, caller, out)) return
  await cancellable(serving, caller.id, async (signal) => {
    const progress = (...step: Parameters<ToolCall['progress']>): void => out.progress(...step)
    const exit = await serving.daemon.call(name, input, { cwd: caller.cwd, progress, signal }).then(
      ({ output }) => answer(out, output, 0),
      (error: unknown) => answerFault(out, asFault(error)),
    )
    out.exit(exit)
  })
}

function answer(out: CommandOut, answered: object, exit: number): number {
  out.out(JSON.stringify(answered))
  return exit
}

const answerFault = (out: CommandOut, fault: Fault): number => answer(out, { error: fault }, KINDS[fault.kind].exit)

/** Sends `started`, or declines the work and returns false. */
function accepts(serving: Serving, tool: Spec | undefined, asked: Asked, out: CommandOut): boolean {
  const { daemon, home } = serving
  if (asked.build !== buildText(daemon.build)) return refuseBuild(serving, asked.build, out)
  if (daemon.isAstray) {
    serving.stop('its records were replaced')
    return decline(out, NOT_ANY_MORE, 'this daemon has lost its records')
  }
  if (tool === undefined || tool.ownProcess) return decline(out, NOT_HERE, 'this command runs in its own process')
  if (!loadSettings(home, undefined).daemon) {
    serving.stop('the settings turn it off')
    return decline(out, NOT_HERE, 'the daemon is turned off')
  }
  if (asked.asked_ms !== undefined && isTooLate(asked.asked_ms))
    return decline(out, NOT_HERE, 'nobody waits for it any more')
  out.started(tool.effect === 'read' || tool.repeatable === true)
  return true
}

type Asked = Pick<CommandRequest, 'build' | 'asked_ms'>

function decline(out: CommandOut, status: number, reason: string): false {
  out.decline(status, reason)
  return false
}

function refuseBuild(serving: Serving, build: string, out: CommandOut): false {
  const { daemon } = serving
  const isOver = daemon.isOutdated || isNewer(build, daemon.build)
  if (isOver) serving.stop('a newer program called')
  return decline(out, isOver ? NOT_ANY_MORE : NOT_HERE, 'this daemon is of another build')
}

/** While the work runs, its id is in `running`, so that it can be asked to stop. */
async function cancellable(
  { running }: Serving,
  id: string | undefined,
  work: (stop: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController()
  if (id !== undefined) running.set(id, stop)
  try {
    await work(stop.signal)
  } finally {
    if (id !== undefined) running.delete(id)
  }
}

/** The daemon's store, which stays open after the command. */
const roomsOf = (daemon: Daemon): Services => ({
  open: async () => ({
    call: (call, name, input) => daemon.call(name, input, call),
    settle: async () => {},
    close: () => {},
  }),
})

const ioOf = ({ program }: Serving, request: CommandRequest, out: CommandOut, stop: AbortSignal): Io => ({
  out: (data) => out.out(data),
  err: (text) => out.err(text),
  stdin: async () => Buffer.from(request.stdin_base64 ?? '', 'base64'),
  cwd: request.cwd,
  // If a command starts a process, it must be the command line, not another daemon.
  program: commandLine(program),
  env: request.env,
  outIsTerminal: request.out_is_terminal,
  errIsTerminal: request.err_is_terminal,
  columns: request.columns,
  now: () => performance.now(),
  pause: (ms) => new Promise((done) => setTimeout(done, ms)),
  stop,
  // The client disconnected: the command ends, but a tool that it started runs to its end.
  interrupted: new Promise((resolve) => out.signal.addEventListener('abort', () => resolve(130))),
})
