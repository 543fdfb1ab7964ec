import { join } from 'node:path'
import { crypto } from '../host/builtins.ts'
import { lstat, stat } from '../host/files/fs.ts'

/** Where the daemon of a home keeps what others need to find it. */
export interface DaemonFiles {
  readonly socket: string
  /** Who it is, where it listens, and the token; for its owner alone. */
  readonly card: string
  readonly log: string
  readonly cookies: string
  /** A file for each daemon that is on its way, and one that says when somebody last asked for a stop. */
  readonly starting: string
}
type Env = Readonly<Record<string, string | undefined>>

/** The name of a socket may not be longer on any system that has them. */
const LONGEST_SOCKET = 103

export const daemonFilesOf = (home: string, env: Env): DaemonFiles => ({
  socket: socketOf(home, env),
  card: join(home, 'daemon.json'),
  log: join(home, 'logs', 'daemon.log'),
  cookies: join(home, 'cache', 'cookies'),
  starting: join(home, 'cache', 'starting'),
})

/** In the home; if that name is too long, in the user's runtime folder, under a name made from the home's. */
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
 * Whether nobody but this user can put something into a folder: in any other, a socket may be somebody else's. A link to
 * it must be ours, too, because whoever made it can make it lead elsewhere.
 */
export function isOurs(dir: string): boolean {
  const [link, folder] = [lstat(dir), stat(dir)]
  if (link === undefined || !folder?.isDirectory()) return false
  const user = process.getuid?.()
  return user === undefined || (link.uid === user && folder.uid === user && (folder.mode & 0o022) === 0)
}
