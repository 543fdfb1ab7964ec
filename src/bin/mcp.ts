import { dieAt } from '../host/points.ts'
import { isTooOld, type ProcessIo, processIo, type Started } from './process-io.ts'

/**
 * The program behind `timewarp mcp`: the command line again, in a file of its own, because the protocol's library is
 * large and other commands should not have to load it.
 */

export function run(started: Started): void {
  const { io, end } = processIo(started)
  void main(io).then(end)
}

async function main(io: ProcessIo['io']): Promise<number> {
  if (isTooOld(process.versions.node)) {
    io.err(`Error: Timewarp needs Node 22.15 or newer; this is ${process.version}.\nHint: Install it with: npm ci\n`)
    return 4
  }
  const deathAt = process.env['TIMEWARP_TEST_DIE_AT']
  if (deathAt) dieAt(deathAt)
  const { runCli } = await import('../cli/run.ts')
  const { SERVICES } = await import('../cli/context.ts')
  const { serveMcp } = await import('./mcp-serve.ts')
  // The server handles signals itself: it closes the client's connection first.
  const { stop, ...others } = io
  const patient = { ...others, interrupted: new Promise<number>(() => {}) }
  const interrupted = new Promise<number>((end) => stop?.addEventListener('abort', () => end(0)))
  return runCli(process.argv.slice(2), patient, {
    ...SERVICES,
    mcp: (serving) => serveMcp(serving, { ...io, interrupted }),
  })
}
