import type { House } from '../app/app.ts'
import type { Rooms } from '../cli/context.ts'
import type { Io } from '../cli/io.ts'
import { runCli, toolOf } from '../cli/run.ts'
import { buildText, isNewer } from '../client/build.ts'
import { NOT_ANY_MORE, NOT_HERE } from '../client/declined.ts'
import { isTooLate } from '../client/patience.ts'
import { loadSettings } from '../config/settings.ts'
import type { Daemon } from '../daemon/daemon.ts'
import { commandLine } from '../daemon/life/child-process.ts'
import { isHeavy } from '../daemon/life/heavy.ts'
import type { CommandOut, CommandRequest } from '../http/api.ts'

/** The daemon and where it is. */
export interface Serving {
  readonly daemon: Daemon
  readonly home: string
  /** The file of the running program. */
  readonly program: string
  /** Commands that run, by the ids that their clients gave them: each can be asked to stop. */
  readonly running: Map<string, AbortController>
  stop(why: string): void
}

/** Runs a command line for a process that has only asked. What it prints is what it would have printed there. */
export async function runCommand(serving: Serving, request: CommandRequest, out: CommandOut): Promise<void> {
  const { daemon, home } = serving
  if (request.build !== buildText(daemon.build)) return refuseBuild(serving, request, out)
  if (daemon.isAstray) {
    serving.stop('its records were replaced')
    return out.decline(NOT_ANY_MORE, 'this daemon has lost its records')
  }
  const tool = await toolOf(request.argv)
  if (tool === undefined || isHeavy(tool.name)) return out.decline(NOT_HERE, 'this command runs in its own process')
  if (!loadSettings(home, undefined).daemon) {
    serving.stop('the settings turn it off')
    return out.decline(NOT_HERE, 'the daemon is turned off')
  }
  if (request.asked_ms !== undefined && isTooLate(request.asked_ms))
    return out.decline(NOT_HERE, 'nobody waits for it any more')
  out.started(tool.effect === 'read' || REPEATABLE.has(tool.name))
  const stop = new AbortController()
  if (request.id !== undefined) serving.running.set(request.id, stop)
  try {
    out.exit(await runCli(request.argv, ioOf(serving, request, out, stop.signal), roomsOf(daemon, request, out)))
  } finally {
    if (request.id !== undefined) serving.running.delete(request.id)
  }
}

/** Done twice, they come to the same. */
const REPEATABLE: ReadonlySet<string> = new Set(['snapshot', 'record_event'])

function refuseBuild(serving: Serving, request: CommandRequest, out: CommandOut): void {
  const { daemon } = serving
  const isOver = daemon.isOutdated || isNewer(request.build, daemon.build)
  if (isOver) serving.stop('a newer program called')
  out.decline(isOver ? NOT_ANY_MORE : NOT_HERE, 'this daemon is of another build')
}

/** The rooms of the daemon: its house stays open. */
const roomsOf = (daemon: Daemon, request: CommandRequest, out: CommandOut): Rooms => ({
  open: async () => ({ settle: async () => {}, close: () => {} }) as unknown as House,
  // It is this one. A hook that came as a command goes on to the door for hooks, where the end of an edit is waited for.
  daemon: async () => undefined,
  call: ({ cwd, typedIn, progress, announce, signal }, name, input) =>
    daemon.call(name, input, {
      cwd,
      typedIn,
      announce,
      signal,
      progress: request.progress ? (...step) => out.progress(...step) : progress,
    }),
})

const ioOf = ({ program }: Serving, request: CommandRequest, out: CommandOut, stop: AbortSignal): Io => ({
  out: (data) => out.out(data),
  err: (text) => out.err(text),
  stdin: async () => Buffer.from(request.stdin_base64 ?? '', 'base64'),
  cwd: request.cwd,
  // What a command starts is a command line, never another daemon.
  program: commandLine(program),
  env: request.env,
  outIsTerminal: request.out_is_terminal,
  errIsTerminal: request.err_is_terminal,
  columns: request.columns,
  now: () => performance.now(),
  pause: (ms) => new Promise((done) => setTimeout(done, ms)),
  stop,
  // A client that went away without a word: what it began is finished.
  interrupted: new Promise((resolve) => out.signal.addEventListener('abort', () => resolve(130))),
})
