import { isAbsolute } from 'node:path'
import { asFault, Fault, isFault, KINDS } from '../base/fault.ts'
import { daemonFilesOf } from '../client/daemon-files.ts'
import { announce, arrive } from '../client/starting.ts'
import { Daemon, type DaemonOptions, TICK_MS } from '../daemon/daemon.ts'
import { openLog } from '../daemon/life/log.ts'
import { sleep } from '../host/clock.ts'
import { lstat } from '../host/files/fs.ts'
import { dieAt } from '../host/points.ts'
import { isTooOld } from './process-io.ts'
import { serve } from './serve.ts'

/**
 * The program that runs in the background: `daemon.cjs HOME`. It prints one line for the process that starts it:
 * `ready`, or the fault as JSON.
 *
 * For tests there are `TIMEWARP_TEST_DIE_AT` (see host/points.ts) and `TIMEWARP_TEST_TICK_MS`, the time between two
 * ticks.
 */

/** How long to wait for the lease of a daemon that is ending. */
const SUCCESSION_MS = 10_000

async function main([, program = '', home = '', ...rest]: readonly string[]): Promise<void> {
  // Refuses anything but a path: a flag taken for a home would create a store of that name.
  if (!isAbsolute(home) || rest.length > 0 || isTooOld(process.versions.node))
    throw new Fault('BAD_INPUT', { problem: 'usage: daemon HOME, an absolute path, with Node 22.15 or newer.' })
  const deathAt = process.env['TIMEWARP_TEST_DIE_AT']
  if (deathAt) dieAt(deathAt)
  // The terminal in which it was started may be closed.
  process.on('SIGHUP', () => {})
  const place = daemonFilesOf(home, process.env)
  const log = openLog(place.log)
  process.once('exit', () => arrive(place))
  if (!announce(place)) throw new Fault('DAEMON_STOPPED', { home })
  const daemon = await become({ home, place, program, log })
  const { stop, isReachable } = await serve({ daemon, home, place, program, log })
  arrive(place)
  log('started', { version: daemon.build.version })
  process.stdout.write('ready\n')
  const everyMs = Number(process.env['TIMEWARP_TEST_TICK_MS'] ?? TICK_MS)
  daemon.begin({ everyMs, isReachable, onEnd: (why) => void stop(why) })
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal))
  process.on('uncaughtException', (error) => {
    log('a bug', { error: error.stack })
    void stop('a bug', KINDS.bug.exit)
  })
}

/**
 * Takes the lease of a home. If another daemon holds it but has no socket, that one is starting or ending: waits for
 * it.
 */
async function become(options: DaemonOptions): Promise<Daemon> {
  for (const end = Date.now() + SUCCESSION_MS; ; await sleep(100)) {
    try {
      return new Daemon(options)
    } catch (error) {
      const isPassing = isFault(error, 'DAEMON_RUNNING') && lstat(options.place.socket) === undefined
      if (!isPassing || Date.now() > end) throw error
    }
  }
}

main(process.argv).catch((error: unknown) => {
  const fault = asFault(error)
  // Exits at once: resources that are already open would keep the process alive, and with it the lease.
  process.stdout.write(`${JSON.stringify({ error: fault })}\n`, () => process.exit(KINDS[fault.kind].exit))
})
