/**
 * A process of its own that works in a loop until its time is up, for tests in which many work at once.
 *
 * Argument: `{ home, cwd, seed, rounds, role }`. A capturer writes files, some of them with contents that were there
 * before, and prints each answer with the state it answers for. A keeper prunes, collects and forgets.
 */
import { rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { openApp } from '../../src/app/app.ts'
import { asFault } from '../../src/base/fault.ts'
import { type Call, callIn, seeded, stateOf, write } from './world.ts'

const order = JSON.parse(process.argv[2] ?? '{}') as {
  home: string
  cwd: string
  folder: string
  seed: number
  rounds: number
  role: 'capturer' | 'keeper'
}
const random = seeded(order.seed)
const pick = (n: number): number => Math.floor(random() * n)
const tell = (line: object): void => void writeSync(1, `${JSON.stringify(line)}\n`)

/** Few different contents, so that most come back after they were pruned; now and then a large one. */
function change(): void {
  for (let i = 0; i < 4; i++) {
    const path = `${order.folder}/${pick(3)}/${pick(6)}.txt`
    if (pick(5) === 0) rmSync(join(order.cwd, path), { force: true })
    else write(order.cwd, path, `content ${pick(12)}\n`.repeat(1 + pick(50)))
  }
  if (pick(6) === 0) write(order.cwd, `${order.folder}/large.bin`, Buffer.alloc(200_000, pick(4)))
  write(order.cwd, `${order.folder}/secret-${pick(2)}`, `secret ${pick(3)}`)
}

async function captureRound(call: Call): Promise<void> {
  change()
  const { snapshot_id } = await call('snapshot', { pin: pick(8) === 0 })
  tell({ snapshot_id, folder: order.folder, state: stateOf(join(order.cwd, order.folder)) })
}

async function keepRound(call: Call, round: number): Promise<void> {
  const { removed } = await call('prune', { gc: false })
  tell({ removed })
  await call('gc').catch(busyIsFine)
  if (round % 5 === 4) await call('forget', { pattern: `**/secret-${pick(2)}`, yes: true }).catch(fine)
}

function busyIsFine(error: unknown): void {
  if (asFault(error).kind !== 'busy') throw error
}

function fine(error: unknown): void {
  if (asFault(error).code !== 'NOTHING_TO_FORGET') busyIsFine(error)
}

const app = openApp({ home: order.home })
try {
  const call = callIn(app, order.cwd)
  for (let round = 0; round < order.rounds; round++) {
    await (order.role === 'capturer' ? captureRound(call) : keepRound(call, round))
    await app.settle()
  }
} catch (error) {
  const fault = asFault(error)
  tell({ fault, stack: fault.cause instanceof Error ? fault.cause.stack : fault.stack })
  process.exitCode = 1
} finally {
  app.close()
}
