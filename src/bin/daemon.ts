import { asFault, KINDS } from '../base/fault.ts'
import { Daemon } from '../daemon/daemon.ts'
import { openLog } from '../daemon/log.ts'
import { placeOf } from '../daemon/place.ts'
import { dieAt } from '../host/points.ts'
import { isTooOld } from './process-io.ts'
import { serve } from './serve.ts'

/** The program that runs in the background: `daemon.cjs HOME`. Who starts it reads one line: ready, or why not. */

const home = process.argv[2]
const program = process.argv[1] ?? ''

async function main(): Promise<void> {
  if (home === undefined || isTooOld(process.versions.node))
    throw new Error('usage: daemon HOME, with Node 22.15 or newer')
  const deathAt = process.env['TIMEWARP_TEST_DIE_AT']
  if (deathAt) dieAt(deathAt)
  const place = placeOf(home, process.env)
  const log = openLog(place.log)
  const daemon = new Daemon({ home, place, program, log })
  const stop = await serve(daemon, home, place, log)
  log('started', { version: daemon.build.version })
  process.stdout.write('ready\n')
  daemon.begin((why) => void stop(why))
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal))
  // The terminal in which it was started may go away.
  process.on('SIGHUP', () => {})
  process.on('uncaughtException', (error) => {
    log('a bug', { error: error.stack })
    void stop('a bug', KINDS.bug.exit)
  })
}

main().catch((error: unknown) => {
  const fault = asFault(error)
  process.stdout.write(`${JSON.stringify({ error: fault })}\n`)
  process.exitCode = KINDS[fault.kind].exit
})
