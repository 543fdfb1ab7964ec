import { type ChildProcess, spawn } from 'node:child_process'
import * as fs from 'node:fs'
import * as http from 'node:http'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { isRunning } from '../../src/host/processes/process.ts'
import {
  type Answer,
  answerOf,
  beginStore,
  NOBODY,
  newWorkspace,
  type RunOptions,
  shell,
  type Workspace,
} from '../kit/workspace.ts'

/** Real daemons, each of a home of its own, gone when the test is over. */

export const REPOSITORY = join(import.meta.dirname, '../..')

// oxlint-disable-next-line typescript/no-explicit-any -- what a daemon answers; tests look into it
type Json = any

export interface Reply {
  readonly status: number
  readonly text: string
  readonly json: Json
}

export interface Question {
  readonly method?: string
  readonly body?: object
  readonly headers?: http.OutgoingHttpHeaders
  /** The address of the loopback door; the socket without it. */
  readonly port?: number
}

/** A workspace whose commands may use a daemon, and start one. */
export class Live {
  readonly workspace: Workspace
  readonly home: string
  readonly root: string
  readonly env: Readonly<Record<string, string>>
  /** Where the programs are. */
  programs = REPOSITORY

  constructor(workspace: Workspace, home: string, env: Readonly<Record<string, string>>) {
    this.workspace = workspace
    this.home = home
    this.root = workspace.root
    this.env = { TIMEWARP_DAEMON: 'on', TIMEWARP_HOME: home, ...env }
  }

  tw(args: readonly string[], options: RunOptions = {}): Promise<Answer> {
    return answerOf(this.start(args, options))
  }

  /** The same without any daemon. */
  alone(args: readonly string[]): Promise<Answer> {
    return this.tw(args, { env: { TIMEWARP_DAEMON: 'off' } })
  }

  start(args: readonly string[], { cwd = this.root, env = {}, asNobody = false }: RunOptions = {}): ChildProcess {
    const child = spawn(join(this.programs, 'bin/timewarp'), args, {
      cwd,
      env: this.environment(env),
      ...(asNobody ? { uid: NOBODY, gid: NOBODY } : {}),
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    return child
  }

  environment(env: Readonly<Record<string, string>> = {}): Record<string, string> {
    return { PATH: process.env.PATH ?? '', HOME: join(this.workspace.temp, 'user'), ...this.env, ...env }
  }

  /** Starts the program of the daemon itself, as `timewarp daemon start` does. */
  async serve(env: Readonly<Record<string, string>> = {}): Promise<ChildProcess> {
    beginStore(this.home)
    const child = this.daemon(env)
    const said = await firstLine(child)
    if (said !== 'ready') throw new Error(`the daemon did not start: ${said}`)
    return child
  }

  /** The program of the daemon; it may refuse to be one. */
  daemon(env: Readonly<Record<string, string>> = {}): ChildProcess {
    const child = spawn(process.execPath, [join(this.programs, 'dist/daemon.cjs'), this.home], {
      env: this.environment(env),
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    })
    child.unref()
    return child
  }

  /** What a daemon has written down; also one that is dead. */
  get card(): Json {
    return parsed(readText(join(this.home, 'daemon.json')))
  }

  get socket(): string {
    return join(this.home, 'daemon.sock')
  }

  get log(): Json[] {
    return readText(join(this.home, 'logs/daemon.log'))
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
  }

  /** What the daemon says of itself. */
  async health(): Promise<Json> {
    return (await this.ask('/v1/health').catch(() => undefined))?.json
  }

  /** Waits until a daemon serves that is not this one. */
  served(notBy?: number): Promise<Json> {
    return until('a daemon serves', async () => {
      const health = await this.health()
      return health && health.pid !== notBy ? health : undefined
    })
  }

  ask(path: string, { body, port, headers = {}, method = body ? 'POST' : 'GET' }: Question = {}): Promise<Reply> {
    const where = port === undefined ? { socketPath: this.card?.socket ?? this.socket } : { host: '127.0.0.1', port }
    const type = body ? { 'content-type': 'application/json' } : {}
    return new Promise((resolve, reject) => {
      const asked = http.request(
        { ...where, path, method, headers: { ...type, ...headers }, agent: false },
        (answer) => {
          const parts: Buffer[] = []
          answer.on('data', (part: Buffer) => parts.push(part))
          answer.on('error', reject)
          answer.on('end', () => {
            const text = Buffer.concat(parts).toString()
            resolve({ status: answer.statusCode ?? 0, text, json: parsed(text) })
          })
        },
      )
      asked.on('error', reject)
      asked.end(body && JSON.stringify(body))
    })
  }

  call(tool: string, input: object = {}): Promise<Reply> {
    return this.ask(`/v1/call/${tool}`, { body: { workspace: this.root, ...input } })
  }

  /** Every process that is, or wants to be, the daemon of this home. */
  pids(): number[] {
    return shell('ps -eo pid=,args=')
      .split('\n')
      .filter((line) => line.endsWith(` ${this.home}`) && line.includes('daemon.cjs'))
      .map((line) => Number.parseInt(line.trim(), 10))
      .filter(isRunning)
  }

  async end(): Promise<void> {
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      for (const pid of this.pids()) kill(pid, signal)
      await until('the daemons are gone', () => this.pids().length === 0 || undefined, 5000).catch(() => {})
    }
  }
}

export function newLive(
  files: Readonly<Record<string, string | Uint8Array>> = { a: '1' },
  { home = '', env = {} }: { home?: string; env?: Readonly<Record<string, string>> } = {},
): Live {
  const workspace = newWorkspace(files)
  const live = new Live(workspace, home ? join(workspace.temp, home) : workspace.home, env)
  onTestFinished(() => live.end())
  return live
}

export function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended by itself.
  }
}

/** What a daemon says to whoever starts it. */
export async function firstLine(child: ChildProcess): Promise<string> {
  let text = ''
  for await (const part of child.stdout ?? []) {
    text += part
    if (text.includes('\n')) break
  }
  return text.split('\n', 1)[0] ?? ''
}

/** Waits until something is so, and gives what was found. */
export async function until<T>(
  what: string,
  look: () => T | undefined | Promise<T | undefined>,
  ms = 15_000,
): Promise<T> {
  for (const end = Date.now() + ms; ; await pause(20)) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    if (Date.now() > end) throw new Error(`waited in vain: ${what}`)
  }
}

export const gone = (pid: number): Promise<true> =>
  until(`process ${pid} is gone`, () => (isRunning(pid) ? undefined : true))

export const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms))

const readText = (path: string): string => (fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : '')

const parsed = (text: string): Json => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
