import { join } from 'node:path'
import { crypto } from '../host/builtins.ts'

/** Where the daemon of a home keeps what others need to find it. */
export interface DaemonPlace {
  readonly socket: string
  /** Who it is, where it listens, and the token; for its owner alone. */
  readonly card: string
  readonly log: string
  readonly cookies: string
}

/** The name of a socket may not be longer on any system that has them. */
const LONGEST_SOCKET = 103

export const placeOf = (home: string, env: Readonly<Record<string, string | undefined>>): DaemonPlace => ({
  socket: socketOf(home, env),
  card: join(home, 'daemon.json'),
  log: join(home, 'logs', 'daemon.log'),
  cookies: join(home, 'cache', 'cookies'),
})

/** In the home; if that name is too long, in the user's runtime folder, under a name made from the home's. */
export function socketOf(home: string, env: Readonly<Record<string, string | undefined>>): string {
  const usual = join(home, 'daemon.sock')
  if (Buffer.byteLength(usual) <= LONGEST_SOCKET) return usual
  const digest = crypto().hash('sha256', home).slice(0, 24)
  const user = process.getuid?.() ?? 0
  const folder = env['XDG_RUNTIME_DIR'] ?? `/tmp/timewarp-${user}`
  return join(folder, `timewarp-${digest}.sock`)
}
