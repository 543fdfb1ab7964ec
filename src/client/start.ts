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

/** How others start a daemon, find it, and end it. */

const START_MS = 20_000
/** Longer than a daemon gives the calls that are under way. */
const STOP_MS = 45_000
const HEALTH_MS = 5000
const COMES_MS = 3000

/** The program of the daemon, beside the one that runs. */
const daemonProgram = (program: string): string =>
  join(dirname(program), program.endsWith('.ts') ? 'daemon.ts' : 'daemon.cjs')

/** Starts a daemon and does not wait: the next command will meet it. If there is one, the new one ends by itself. */
export const startQuietly = (home: string, program: string): void =>
  void startDetached(daemonProgram(program), [home], { flags: LONG_LIVED })

/** Starts a daemon; when it returns, it serves. */
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
    // Only then is everything heard that it said.
    child.once('close', (code, signal) => {
      if (signal === 'SIGTERM') said = JSON.stringify({ error: { code: 'DAEMON_STOPPED', data: { home } } })
      fail(`it ended with ${code ?? signal}`)
    })
    child.once('error', (error) => fail(error.message))
  })
}

/** Returns when a daemon serves; false when it was another process that started it. */
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

/** Whether one that holds the home serves it soon: it may have begun only now, or be about to end. */
async function comes(place: DaemonFiles): Promise<boolean> {
  for (const end = Date.now() + COMES_MS; Date.now() < end; await sleep(20)) if (await healthOf(place)) return true
  return false
}

function faultOf(said: string): Fault | undefined {
  const error = parse(said)?.['error'] as { code: FaultCode; data: never } | undefined
  return error && new Fault(error.code, error.data)
}

/** What a daemon says of itself; undefined when none answers. */
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

/** What a daemon writes down about itself for its user. */
export interface DaemonInfo {
  /** For hooks that are shell scripts, which read it without help: port, token, proof, number and start of the process. */
  readonly hook: string
  readonly process: Identity
  readonly pid: number
  readonly version: string
  readonly socket: string
  readonly url: string
  readonly token: string
  /** What the daemon says to hooks, so that they know whom they talk to. */
  readonly proof: string
}

/** The card of a daemon that lives; it may be too busy to answer, or about to end. */
export function daemonInfoOf(place: DaemonFiles): DaemonInfo | undefined {
  const card = parse(readFile(place.card)?.toString() ?? '') as DaemonInfo | undefined
  return card?.process && isAlive(card.process) ? card : undefined
}

/** Ends the daemon, and those that are on their way to become it, and waits until they are gone; false when there was none. */
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
    // It has ended by itself.
  }
}
