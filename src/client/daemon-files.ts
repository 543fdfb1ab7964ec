import { join } from 'node:path'
import { crypto } from '../host/builtins.ts'
import { lstat, stat } from '../host/files/fs.ts'

/** The files by which other processes find the daemon of a home. */
export interface DaemonFiles {
  readonly socket: string
  /** The daemon's process, addresses and token; only its owner can read it. */
  readonly card: string
  readonly log: string
  readonly cookies: string
  /** A folder with a file for each starting daemon, and one with the time of the last request to stop. */
  readonly starting: string
}
type Env = Readonly<Record<string, string | undefined>>

/** The longest socket path that every system with sockets allows. */
const LONGEST_SOCKET = 103

export const daemonFilesOf = (home: string, env: Env): DaemonFiles => ({
  socket: socketOf(home, env),
  card: join(home, 'daemon.json'),
  log: join(home, 'logs', 'daemon.log'),
  cookies: join(home, 'cache', 'cookies'),
  starting: join(home, 'cache', 'starting'),
})

/** In the home; if that path is too long, in the user's runtime folder, under a name derived from the home's. */
export function socketOf(home: string, env: Env): string {
  const usual = join(home, 'daemon.sock')
  if (fits(usual)) return usual
  const name = `timewarp-${crypto().hash('sha256', home).slice(0, 24)}.sock`
  const runtime = env['XDG_RUNTIME_DIR']
  const inRuntime = runtime?.startsWith('/') ? join(runtime, name) : undefined
  return inRuntime && fits(inRuntime) ? inRuntime : join(`/tmp/timewarp-${process.getuid?.() ?? 0}`, name)
}

const fits = (path: string): boolean => Buffer.byteLength(path) <= LONGEST_SOCKET

/**
 * Whether only this user can create files in a folder: in any other, a socket may belong to another user. A link to the
 * folder must be this user's, too, because its owner can make it point elsewhere.
 */
export function isOurs(dir: string): boolean {
  const [link, folder] = [lstat(dir), stat(dir)]
  if (link === undefined || !folder?.isDirectory()) return false
  const user = process.getuid?.()
  return user === undefined || (link.uid === user && folder.uid === user && (folder.mode & 0o022) === 0)
}
