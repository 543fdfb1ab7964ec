import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
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
  child.stdout.on('data', (data: Buffer) => (out += data))
  child.stderr.on('data', (data: Buffer) => (err += data))
  const ended = new Promise<Ended>((done, fail) => {
    child.once('error', fail)
    child.once('close', (code, signal) =>
      done({ code, killed: signal === 'SIGKILL', err, answers: out.split('\n').flatMap(parseLine) }),
    )
  })
  return { child, ended }
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

/** As `run`, while this process stands still. */
export function runMeanwhile({ home, ws }: World, calls: CallList): void {
  const { status, stdout } = spawnSync(process.execPath, commandOf('child', { home, cwd: ws, calls }), { env })
  if (status !== 0) throw new Error(stdout.toString())
}
