import { createRequire } from 'node:module'
import { dieAt } from '../host/points.ts'
import { handover } from './handover.ts'
import { isTooOld, processIo } from './process-io.ts'
import { commandWord } from './word.ts'

/** Where Timewarp meets the process: everything else is told what it needs to know. */

const { io, end } = processIo()

async function main(): Promise<number> {
  if (isTooOld(process.versions.node)) {
    io.err(`Error: Timewarp needs Node 22.15 or newer; this is ${process.version}.\nHint: Install it with: npm ci\n`)
    return 4
  }
  if (commandWord(process.argv.slice(2)) === 'mcp') return giveWay(process.argv[1] ?? '')
  const deathAt = process.env['TIMEWARP_TEST_DIE_AT']
  if (deathAt) dieAt(deathAt)
  // Loaded from here on, so that an old Node does not meet it.
  const { runCli } = await import('../cli/run.ts')
  const { watchRooms } = await import('./profit.ts')
  const { rooms, homeToServe } = watchRooms()
  const code = await runCli(process.argv.slice(2), io, rooms)
  const home = code === 0 && !handover().isServed ? homeToServe() : undefined
  if (home) (await import('../client/start.ts')).startQuietly(home, process.argv[1] ?? '')
  return code
}

/** Agents are served by a program of its own, which ends the process. */
function giveWay(program: string): Promise<never> {
  createRequire(program)(program.endsWith('.ts') ? './mcp.ts' : './mcp.cjs')
  return new Promise(() => {})
}

void main().then(end)
