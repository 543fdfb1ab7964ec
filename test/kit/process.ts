import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { sleep } from '../../src/host/clock.ts'
import { READY } from './ready.ts'
import type { World } from './world.ts'

/** Real processes: started here, and killed only by their own number. */

const ROOT = join(import.meta.dirname, '..', '..')

export interface Ended {
  readonly code: number | null
  readonly killed: boolean
  /** What was answered before the end, one per call. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly answers: any[]
  readonly err: string
}

export interface Running {
  readonly child: ChildProcess
  /** Settled when it has loaded and begins, or has ended. */
  readonly ready: Promise<void>
  readonly ended: Promise<Ended>
}

/** The program that `children.ts` made of a file of test/kit. */
export const childFile = (name: string): string => join(ROOT, 'dist/test', `${name}.js`)

const commandOf = (name: string, argument: object): string[] => [
  '--disable-warning=ExperimentalWarning',
  childFile(name),
  JSON.stringify(argument),
]
/** Where Node keeps what it compiled of these programs. */
export const COMPILED = { NODE_COMPILE_CACHE: join(ROOT, 'node_modules', '.cache', 'timewarp-test') }
const env = { ...process.env, ...COMPILED }

/** Runs a program of test/kit with one argument. */
export function startChild(name: string, argument: object): Running {
  const child = spawn(process.execPath, commandOf(name, argument), { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let [out, err] = ['', '']
  let begin = (): void => {}
  const ready = new Promise<void>((done) => (begin = done))
  child.stdout.on('data', (data: Buffer) => {
    out += data
    if (out.startsWith(READY)) begin()
  })
  child.stderr.on('data', (data: Buffer) => (err += data))
  const ended = new Promise<Ended>((done, fail) => {
    child.once('error', fail)
    child.once('close', (code, signal) => {
      begin()
      const answers = out.replace(READY, '').split('\n').flatMap(parseLine)
      done({ code, killed: signal === 'SIGKILL', err, answers })
    })
  })
  return { child, ready, ended }
}

const parseLine = (line: string): unknown[] => {
  try {
    return line === '' ? [] : [JSON.parse(line)]
  } catch {
    return [] // cut off by the kill: not answered
  }
}

export type CallList = [tool: string, input: object][]

/** At which points it dies, and at which something fails. */
export interface Mishap {
  readonly dieAt?: string
  readonly failAt?: string
}

export const start = (world: World, calls: CallList, mishap: Mishap = {}): Running =>
  startChild('child', { home: world.home, cwd: world.ws, calls, ...mishap })

export const run = (world: World, calls: CallList, dieAt?: string): Promise<Ended> =>
  start(world, calls, dieAt === undefined ? {} : { dieAt }).ended

/** As `run`, while this process stands still. Whoever has to wait for a lease ends instead. */
export function runMeanwhile({ home, ws }: World, calls: CallList): void {
  const command = commandOf('child', { home, cwd: ws, calls, dieAt: 'lease:waits:1' })
  const { status, signal, stdout } = spawnSync(process.execPath, command, { env })
  if (status !== 0 && signal !== 'SIGKILL') throw new Error(stdout.toString())
}

/** How long calls take from the first to the last, in milliseconds. */
export async function timeOf(world: World, calls: CallList): Promise<number> {
  const { ready, ended } = start(world, calls)
  await ready
  const begun = performance.now()
  await ended
  return performance.now() - begun
}

/** Runs calls, and kills the process so many milliseconds after it has begun: at work, not while it loads. */
export async function killAfter(world: World, calls: CallList, ms: number, mishap: Mishap = {}): Promise<Ended> {
  const { child, ready, ended } = start(world, calls, mishap)
  await ready
  await Promise.race([ended, sleep(ms)])
  child.kill('SIGKILL')
  return ended
}
