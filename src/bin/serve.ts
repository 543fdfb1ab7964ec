import { randomBytes } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { Server as NetServer } from 'node:net'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { Fault } from '../base/fault.ts'
import { lazily } from '../base/lazily.ts'
import { type DaemonFiles, isOurs } from '../client/daemon-files.ts'
import { type DaemonInfo, daemonInfoOf } from '../client/start.ts'
import { loadSettings } from '../config/settings.ts'
import { type Daemon } from '../daemon/daemon.ts'
import { openLog, type Write } from '../daemon/life/log.ts'
import { CLIENT_NAMES, isClient } from '../guards/clients/clients.ts'
import { HookQueue } from '../guards/hooks/hook-queue.ts'
import { missedIn } from '../guards/hooks/missed.ts'
import { sleep } from '../host/clock.ts'
import { writeWhole } from '../host/files/durable.ts'
import { chmod, lstat, removeAll } from '../host/files/fs.ts'
import { makeDirs } from '../host/files/make-dirs.ts'
import { identity } from '../host/processes/process.ts'
import type { ApiServices } from '../http/api.ts'
import { HookListener } from '../http/hook-listener.ts'
import { createApiServer } from '../http/server.ts'
import type { McpServices } from '../mcp/api.ts'
import { findTool } from '../protocol/catalogue.ts'
import { isHarmless } from '../shell/judge.ts'
import { refuseRelative } from '../tools/call.ts'
import { runCall, runCommand } from './command.ts'
import { foldersOf } from './mcp-folders.ts'
import type { openMcpHttp } from './mcp-http.ts'

const BACKLOG = 2048

/** When the daemon ends: how long to wait for calls, for answers to be read, and for scheduled work. */
const GRACE = { callMs: 30_000, answerMs: 1000, ownMs: 3000 } as const

interface Serving {
  readonly daemon: Daemon
  readonly home: string
  readonly place: DaemonFiles
  /** The file of the running program. */
  readonly program: string
  readonly log: Write
}

/** Stops the daemon and ends the process. May be called again: only the first call counts. */
type Stop = (why: string, code?: number) => Promise<void>

interface Served {
  readonly stop: Stop
  /** Whether clients can connect: its socket, or the whole home, may have been removed or replaced. */
  readonly isReachable: () => boolean
}

/** Starts the listeners of a daemon: its socket, an HTTP port and a port for hooks on the loopback interface. */
export async function serve(serving: Serving): Promise<Served> {
  const { daemon, home, place, log } = serving
  const [token, proof] = [secret(), secret()]
  const running = new Map<string, AbortController>()
  let port = 0
  let stop: Stop = async () => {}
  const agents = lazily(() => loadMcpHttp(serving.program)(mcpRooms(serving)))
  const working = { ...serving, running, stop: (why: string) => void stop(why) }
  const hook = hookRoom(serving, (why) => void stop(why))
  const rooms: ApiServices = {
    version: daemon.build.version,
    call: async (name, input) => {
      const tool = findTool(name)
      if (tool) refuseRelative(await tool.load(), tool.verb, input)
      return daemon.call(name, input)
    },
    health: () => daemon.health(),
    subscribe: daemon.subscribe,
    command: (request, out) => runCommand(working, request, out),
    callInFrames: (name, input, caller, out) => runCall(working, { name, input }, caller, out),
    cancel: (id) => cancelIn(running, id),
    hook,
    mcp: (request, response) => agents().handle(request, response),
  }
  const socket = createApiServer(rooms, { kind: 'socket' })
  const loopback = createApiServer(rooms, { kind: 'loopback', token, proof, port: () => port })
  const hooks = new HookListener({ hook }, { token, proof })
  const doors = new Doors(socket, loopback, hooks, place)
  stop = stopper(serving, doors)
  await doors.listenOnSocket()
  port = await doors.listenOnPort(loadSettings(home, undefined).http.port, log)
  const hookPort = await doors.listenToHooks()
  const { version } = daemon.build
  const [self, pid] = [identity(), process.pid]
  const card: DaemonInfo = {
    hook: [hookPort, token, proof, pid, self.started].join(' '),
    process: self,
    pid,
    version,
    socket: place.socket,
    url: `http://127.0.0.1:${port}`,
    token,
    proof,
  }
  writeWhole(place.card, `${JSON.stringify(card)}\n`)
  return { stop, isReachable: () => doors.areFound }
}

function cancelIn(running: ReadonlyMap<string, AbortController>, id: string): boolean {
  const command = running.get(id)
  command?.abort(130)
  return command !== undefined
}

const secret = (): string => randomBytes(32).toString('base64url')

/**
 * Runs a hook in the daemon. Throws if the database was replaced or the client is unknown: another process must run it.
 */
function hookRoom({ daemon, home }: Serving, stop: (why: string) => void): NonNullable<ApiServices['hook']> {
  const log = openLog(join(home, 'logs', 'guard.log'))
  const rooms = { call: (name: string, input: object) => daemon.call(name, input), log, missed: missedIn(home) }
  const desk = new HookQueue(rooms, {
    speaks: (folder) => speaksAfterwards(home, folder),
    isHarmless: (command, cwd) => isHarmless(command, { cwd, home: homedir() }),
  })
  return async (client, body, project) => {
    if (daemon.isAstray) stop('its records were replaced')
    if (daemon.isAstray) throw new Fault('DAEMON_LOST', { home })
    if (!isClient(client))
      throw new Fault('BAD_INPUT', {
        problem: `No guard understands ${client}; there are: ${CLIENT_NAMES.join(', ')}.`,
      })
    return desk.run(client, body, { project })
  }
}

/** The MCP server is large; it is loaded from its own file at the first request. */
const loadMcpHttp = (program: string): typeof openMcpHttp =>
  createRequire(program)(program.endsWith('.ts') ? './mcp-http.ts' : './mcp-http.cjs').openMcpHttp

const mcpRooms = ({ daemon, home, log }: Serving): McpServices => ({
  version: daemon.build.version,
  call: async (tool, input, { cwd, progress, signal }) =>
    (await daemon.call(tool, input, { cwd, progress, signal })).output,
  ...foldersOf(home),
  log: (line) => log('mcp', { line }),
})

/** Whether agents are told how to undo a command; read from the settings each time, because they may change. */
function speaksAfterwards(home: string, folder: string): boolean {
  try {
    let root = folder
    while (!lstat(join(root, '.timewarp'))?.isDirectory() && dirname(root) !== root) root = dirname(root)
    return loadSettings(home, root).guard.mention_undo
  } catch {
    return true
  }
}

function stopper({ daemon, place, log }: Serving, doors: Doors): Stop {
  let isStopping = false
  return async (why, code = 0) => {
    if (isStopping) return
    isStopping = true
    try {
      log('stopping', { why })
      doors.close()
      await until(() => !daemon.isServing, GRACE.callMs)
      await until(() => !doors.areAnswering, GRACE.answerMs)
      await until(() => !daemon.isTicking, GRACE.ownMs)
      if (daemonInfoOf(place)?.pid === process.pid) removeAll(place.card)
      await daemon.stop()
      log('stopped', { why })
    } catch (error) {
      log('stopped in disorder', { why, error: String(error) })
    }
    process.exit(code)
  }
}

async function until(isSo: () => boolean, ms: number): Promise<void> {
  for (const end = Date.now() + ms; !isSo() && Date.now() < end; ) await sleep(10)
}

class Doors {
  readonly #socket: Server
  readonly #loopback: Server
  readonly #hooks: HookListener
  readonly #place: DaemonFiles
  /** The inode of our socket: another socket may replace it at its path. */
  #inode: number | undefined
  readonly #answering = new Set<ServerResponse>()

  constructor(socket: Server, loopback: Server, hooks: HookListener, place: DaemonFiles) {
    this.#socket = socket
    this.#loopback = loopback
    this.#hooks = hooks
    this.#place = place
    for (const server of [socket, loopback])
      for (const event of ['request', 'checkContinue']) server.on(event, this.#note)
  }

  #note = (request: IncomingMessage, response: ServerResponse): void => {
    // Readers of events and MCP event streams do not end by themselves, so they are not waited for.
    if (request.method === 'GET' && /^\/(v1\/events|mcp)/.test(request.url ?? '')) return
    this.#answering.add(response)
    response.once('close', () => this.#answering.delete(response))
  }

  get areAnswering(): boolean {
    return this.#answering.size > 0 || this.#hooks.isAnswering
  }

  get areFound(): boolean {
    return this.#inode !== undefined && lstat(this.#place.socket)?.ino === this.#inode
  }

  /** Only its owner may open the socket. An old one is of a dead daemon, because this process holds the lease. */
  async listenOnSocket(): Promise<void> {
    const path = this.#place.socket
    makeDirs(dirname(path), 0o700)
    if (!isOurs(dirname(path))) throw new Fault('HOME_BAD', { path: dirname(path), problem: 'others may write to it' })
    removeAll(path)
    const before = process.umask(0o177)
    try {
      await listen(this.#socket, { path, backlog: BACKLOG })
    } finally {
      process.umask(before)
    }
    chmod(path, 0o600)
    this.#inode = lstat(path)?.ino
  }

  /** If the wanted port cannot be used, any other is taken: the card names it. */
  async listenOnPort(wanted: number, log: Write): Promise<number> {
    const at = (port: number) => listen(this.#loopback, { host: '127.0.0.1', port, backlog: BACKLOG })
    await at(wanted).catch((error: unknown) => {
      log('the port cannot be used', { port: wanted, error: String(error) })
      return at(0)
    })
    return portOf(this.#loopback)
  }

  async listenToHooks(): Promise<number> {
    await listen(this.#hooks.server, { host: '127.0.0.1', port: 0, backlog: BACKLOG })
    return portOf(this.#hooks.server)
  }

  /**
   * Accepts no more connections; requests under way are still answered. Closing a socket server removes the file at its
   * path, so it is closed only if the file is ours.
   */
  close(): void {
    if (this.areFound) this.#socket.close()
    this.#loopback.close()
    this.#hooks.server.close()
  }
}

function portOf(server: NetServer): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

const listen = (server: NetServer, options: object): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(options, () => {
      server.off('error', reject)
      server.on('error', () => {})
      resolve()
    })
  })
