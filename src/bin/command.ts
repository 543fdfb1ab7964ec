import type { Rooms } from '../cli/context.ts'
import type { Io } from '../cli/io.ts'
import { runCli, toolOf } from '../cli/run.ts'
import { buildText, isNewer } from '../daemon/build.ts'
import { type Daemon, isHeavy } from '../daemon/daemon.ts'
import type { CommandOut, CommandRequest } from '../http/api.ts'
import { loadSettings } from '../timeline/settings.ts'
import type { House } from '../tools/house.ts'

/** HTTP's words for "ask somebody else" and "ask with another program". */
const NOT_HERE = 421
const OTHER_BUILD = 426

/** Runs a command line for a process that has only asked. What it prints is what it would have printed there. */
export async function runCommand(
  daemon: Daemon,
  home: string,
  request: CommandRequest,
  out: CommandOut,
  stop: (why: string) => void,
): Promise<void> {
  if (request.build !== buildText(daemon.build)) {
    if (daemon.isOutdated || isNewer(request.build, daemon.build)) stop('a newer program called')
    return out.decline(OTHER_BUILD, 'this daemon is of another build')
  }
  const tool = await toolOf(request.argv)
  if (tool === undefined || isHeavy(tool.name)) return out.decline(NOT_HERE, 'this command runs in its own process')
  if (!loadSettings(home, undefined).daemon) {
    stop('the settings turn it off')
    return out.decline(NOT_HERE, 'the daemon is turned off')
  }
  out.started(tool.effect === 'read' || tool.name === 'snapshot')
  out.exit(await runCli(request.argv, ioOf(request, out), roomsOf(daemon)))
}

/** The rooms of the daemon: its house stays open. */
const roomsOf = (daemon: Daemon): Rooms => ({
  open: async () => ({ settle: async () => {}, close: () => {} }) as unknown as House,
  call: (call, name, input) => daemon.call(name, input, { cwd: call.cwd, progress: call.progress }),
})

const ioOf = (request: CommandRequest, out: CommandOut): Io => ({
  out: (data) => out.out(data),
  err: (text) => out.err(text),
  stdin: async () => Buffer.from(request.stdin_base64 ?? '', 'base64'),
  cwd: request.cwd,
  env: request.env,
  outIsTerminal: request.out_is_terminal,
  errIsTerminal: request.err_is_terminal,
  columns: request.columns,
  now: () => performance.now(),
  pause: (ms) => new Promise((done) => setTimeout(done, ms)),
  interrupted: new Promise((resolve) => out.signal.addEventListener('abort', () => resolve(130))),
})
