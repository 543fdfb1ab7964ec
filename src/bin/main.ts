import { dieAt } from '../host/points.ts'
import { isTooOld, type ProcessIo, processIo, type Started } from './process-io.ts'

/** The program that does the work in its own process. Only bin/ reads the process; it passes the rest what it needs. */

/** Runs the command line of this process. The client calls it when no daemon does the work. */
export function run(started: Started): void {
  const { io, end } = processIo(started)
  void main(io, started).then(end)
}

async function main(io: ProcessIo['io'], { isServed }: Started): Promise<number> {
  if (isTooOld(process.versions.node)) {
    io.err(`Error: Timewarp needs Node 22.15 or newer; this is ${process.version}.\nHint: Install it with: npm ci\n`)
    return 4
  }
  const deathAt = process.env['TIMEWARP_TEST_DIE_AT']
  if (deathAt) dieAt(deathAt)
  // Imported only now, so that a Node that is too old never parses it.
  const { runCli } = await import('../cli/run.ts')
  const { watchRooms } = await import('./profit.ts')
  const { rooms, homeToServe } = watchRooms(isServed)
  const code = await runCli(process.argv.slice(2), io, rooms)
  const home = code === 0 && !isServed ? homeToServe() : undefined
  if (home) (await import('../client/start.ts')).startQuietly(home, process.argv[1] ?? '')
  return code
}
