import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, rmSync, statSync } from 'node:fs'
import type { Server } from 'node:http'
import { dirname } from 'node:path'
import { Fault } from '../base/fault.ts'
import { type Daemon } from '../daemon/daemon.ts'
import type { Write } from '../daemon/log.ts'
import type { DaemonPlace } from '../daemon/place.ts'
import { writeWhole } from '../host/durable.ts'
import type { ApiRooms } from '../http/api.ts'
import { createApiServer } from '../http/server.ts'
import { loadSettings } from '../timeline/settings.ts'
import { runCommand } from './command.ts'

const BACKLOG = 2048
/** Calls under way at the end get this long to finish. */
const GRACE_MS = 5000

/** Ends everything once. */
type Stop = (why: string, code?: number) => Promise<void>

/** Opens the doors of a daemon: its socket, and a port on the loopback interface. */
export async function serve(daemon: Daemon, home: string, place: DaemonPlace, log: Write): Promise<Stop> {
  const token = randomBytes(32).toString('base64url')
  let port = 0
  let stop: Stop = async () => {}
  const rooms: ApiRooms = {
    version: daemon.build.version,
    call: (name, input) => daemon.call(name, input),
    health: () => daemon.health(),
    subscribe: daemon.subscribe,
    command: (request, out) => runCommand(daemon, home, request, out, (why) => void stop(why)),
  }
  const servers = [
    createApiServer(rooms, { kind: 'socket' }),
    createApiServer(rooms, { kind: 'loopback', token, port: () => port }),
  ] as const
  stop = stopper(daemon, servers, place, log)
  await listenOnSocket(servers[0], place.socket)
  port = await listenOnPort(servers[1], loadSettings(home, undefined).http.port)
  const card = {
    pid: process.pid,
    version: daemon.build.version,
    socket: place.socket,
    url: `http://127.0.0.1:${port}`,
    token,
  }
  writeWhole(place.card, `${JSON.stringify(card)}\n`)
  return stop
}

function stopper(daemon: Daemon, servers: readonly Server[], place: DaemonPlace, log: Write): Stop {
  let isStopping = false
  return async (why, code = 0) => {
    if (isStopping) return
    isStopping = true
    log('stopping', { why })
    for (const server of servers) server.close()
    rmSync(place.socket, { force: true })
    for (const end = Date.now() + GRACE_MS; !daemon.isIdle && Date.now() < end; )
      await new Promise((resolve) => setTimeout(resolve, 20))
    for (const server of servers) server.closeAllConnections()
    rmSync(place.card, { force: true })
    await daemon.stop()
    log('stopped', { why })
    process.exit(code)
  }
}

/** Only its owner may open it. What lies there is left over from a daemon that died: the lease says that none lives. */
async function listenOnSocket(server: Server, path: string): Promise<void> {
  makePrivate(dirname(path))
  rmSync(path, { force: true })
  const before = process.umask(0o177)
  try {
    await listen(server, { path, backlog: BACKLOG })
  } finally {
    process.umask(before)
  }
  chmodSync(path, 0o600)
}

/** A folder in which somebody else could put a socket of his own is no place for one. */
function makePrivate(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const { uid, mode } = statSync(dir)
  const isOurs = process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0)
  if (!isOurs) throw new Fault('HOME_BAD', { path: dir, problem: 'others may write to it' })
}

async function listenOnPort(server: Server, port: number): Promise<number> {
  await listen(server, { host: '127.0.0.1', port, backlog: BACKLOG })
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}

const listen = (server: Server, options: object): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(options, () => {
      server.off('error', reject)
      server.on('error', () => {})
      resolve()
    })
  })
