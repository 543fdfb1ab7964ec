import { dirname, join } from 'node:path'
import { Fault, type FaultCode, isFault } from '../base/fault.ts'
import { sleep } from '../host/clock.ts'
import { readFile } from '../host/files/fs.ts'
import { LONG_LIVED } from '../host/memory.ts'
import { describeProcess, type Identity, isAlive, isHere } from '../host/processes/process.ts'
import { startDetached } from '../host/processes/run.ts'
import type { DaemonFiles } from './daemon-files.ts'
import { fetchText } from './request.ts'
import { callOff } from './starting.ts'

/** Starts, finds and stops daemons, from other processes. */

const START_MS = 20_000
/** Longer than an ending daemon waits for the calls under way. */
const STOP_MS = 45_000
const HEALTH_MS = 5000
const COMES_MS = 3000

/** The daemon's program, in the folder of the running one. */
const daemonProgram = (program: string): string =>
  join(dirname(program), program.endsWith('.ts') ? 'daemon.ts' : 'daemon.cjs')

/** Starts a daemon for the next command and does not wait for it. If one runs already, the new one ends by itself. */
export const startQuietly = (home: string, program: string): void =>
  void startDetached(daemonProgram(program), [home], { flags: LONG_LIVED })

/** Starts a daemon; resolves when it serves. */
function start(home: string, program: string, place: DaemonFiles): Promise<void> {
  const child = startDetached(daemonProgram(program), [home], { stdout: 'pipe', flags: LONG_LIVED })
  return new Promise((resolve, reject) => {
    let said = ''
    const timer = setTimeout(() => fail('it took too long'), START_MS)
    const fail = (problem: string): void => {
      clearTimeout(timer)
      reject(faultOf(said) ?? new Fault('DAEMON_FAILED', { problem, log: place.log }))
    }
    child.stdout?.on('data', (bytes: Buffer) => {
      said += bytes.toString()
      if (!said.startsWith('ready')) return
      clearTimeout(timer)
      child.stdout?.destroy()
      resolve()
    })
    // At `close` all output has arrived.
    child.once('close', (code, signal) => {
      if (signal === 'SIGTERM') said = JSON.stringify({ error: { code: 'DAEMON_STOPPED', data: { home } } })
      fail(`it ended with ${code ?? signal}`)
    })
    child.once('error', (error) => fail(error.message))
  })
}

/** Resolves when a daemon serves; false when this call did not have to start it. */
export async function ensure(home: string, program: string, place: DaemonFiles): Promise<boolean> {
  if (await healthOf(place)) return false
  try {
    await start(home, program, place)
    return true
  } catch (error) {
    if (isFault(error, 'DAEMON_RUNNING') && (await comes(place))) return false
    throw error
  }
}

/** Whether the daemon that holds the home's lease answers soon: it may be starting, or ending. */
async function comes(place: DaemonFiles): Promise<boolean> {
  for (const end = Date.now() + COMES_MS; Date.now() < end; await sleep(20)) if (await healthOf(place)) return true
  return false
}

function faultOf(said: string): Fault | undefined {
  const error = parse(said)?.['error'] as { code: FaultCode; data: never } | undefined
  return error && new Fault(error.code, error.data)
}

/** The daemon's health report; undefined when none answers. */
export async function healthOf({ socket }: DaemonFiles): Promise<Record<string, unknown> | undefined> {
  const { text } = await fetchText({ socket, method: 'GET', path: '/v1/health', waitMs: HEALTH_MS })
  return text === undefined ? undefined : parse(text)
}

const parse = (text: string): Record<string, unknown> | undefined => {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return undefined
  }
}

/** What a daemon writes about itself into its card. */
export interface DaemonInfo {
  /** For hooks that are shell scripts, in a form they can read: port, token, proof, process id and start time. */
  readonly hook: string
  readonly process: Identity
  readonly pid: number
  readonly version: string
  readonly socket: string
  readonly url: string
  readonly token: string
  /** The secret that the daemon sends to hooks to prove that it is the daemon. */
  readonly proof: string
}

/** The card of a daemon whose process is alive; it may be too busy to answer, or about to end. */
export function daemonInfoOf(place: DaemonFiles): DaemonInfo | undefined {
  const card = parse(readFile(place.card)?.toString() ?? '') as DaemonInfo | undefined
  return card?.process && isAlive(card.process) ? card : undefined
}

/** Stops the daemon and all starting ones, and waits until their processes have ended; false when there was none. */
export async function stop(place: DaemonFiles): Promise<boolean> {
  const starting = callOff(place)
  const serving = daemonInfoOf(place)?.process
  const all = [...starting, ...(serving ? [serving] : [])]
  for (const one of all) await end(one)
  return all.length > 0
}

async function end(who: Identity): Promise<void> {
  if (!isAlive(who)) return
  const holder = describeProcess(who)
  if (!isHere(who)) throw new Fault('DAEMON_STUCK', { holder, problem: 'it can be ended only there' })
  ask(who.pid, 'SIGTERM')
  for (const end = Date.now() + STOP_MS; Date.now() < end; await sleep(20)) if (!isAlive(who)) return
  throw new Fault('DAEMON_STUCK', { holder, problem: 'it was asked to end and did not' })
}

function ask(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // The process has already ended.
  }
}
