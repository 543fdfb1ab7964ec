import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { dirname, join } from 'node:path'
import { Fault, type FaultCode } from '../base/fault.ts'
import type { DaemonPlace } from './place.ts'

/** How others start a daemon, find it, and end it. */

const PATIENCE_MS = 15_000

/** The program of the daemon, beside the one that runs. */
const daemonProgram = (program: string): string =>
  join(dirname(program), program.endsWith('.ts') ? 'daemon.ts' : 'daemon.cjs')

function launch(home: string, program: string, stdout: 'pipe' | 'ignore') {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', daemonProgram(program), home], {
    detached: true,
    cwd: '/',
    stdio: ['ignore', stdout, 'ignore'],
  })
  child.on('error', () => {})
  child.unref()
  return child
}

/** Starts a daemon and does not wait: the next command will meet it. If there is one, the new one ends by itself. */
export const startQuietly = (home: string, program: string): void => void launch(home, program, 'ignore')

/** Starts a daemon; when it returns, it serves. */
export function start(home: string, program: string, place: DaemonPlace): Promise<void> {
  const child = launch(home, program, 'pipe')
  return new Promise((resolve, reject) => {
    let said = ''
    const timer = setTimeout(() => fail('it took too long'), PATIENCE_MS)
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
    child.once('exit', (code) => setImmediate(() => fail(`it ended with ${code}`)))
  })
}

function faultOf(said: string): Fault | undefined {
  try {
    const { error } = JSON.parse(said) as { error: { code: FaultCode; data: never } }
    return new Fault(error.code, error.data)
  } catch {
    return undefined
  }
}

/** What a daemon says of itself; undefined when none answers. */
export function healthOf(place: DaemonPlace): Promise<Record<string, unknown> | undefined> {
  return new Promise((resolve) => {
    const asked = request({ socketPath: place.socket, path: '/v1/health', timeout: 5000 }, (answer) => {
      const parts: Buffer[] = []
      answer.on('data', (bytes: Buffer) => parts.push(bytes))
      answer.on('end', () => resolve(parse(Buffer.concat(parts).toString())))
    })
    asked.on('timeout', () => asked.destroy())
    asked.on('error', () => resolve(undefined))
    asked.end()
  })
}

const parse = (text: string): Record<string, unknown> | undefined => {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return undefined
  }
}

/** What the daemon has written down about itself: address and token. */
export function cardOf(place: DaemonPlace): Record<string, unknown> | undefined {
  try {
    return parse(readFileSync(place.card, 'utf8'))
  } catch {
    return undefined
  }
}

/** Ends a daemon and waits until it is gone; false when there was none. */
export async function stop(place: DaemonPlace): Promise<boolean> {
  const health = await healthOf(place)
  if (health === undefined) return false
  const pid = Number(health['pid'])
  process.kill(pid, 'SIGTERM')
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 20)))
    if (!isThere(pid)) return true
  throw new Fault('DAEMON_FAILED', { problem: `process ${pid} does not end`, log: place.log })
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
