import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { SMALL_HEAP_ENV } from '../src/host/processes/run.ts'
import type { Program } from './program.ts'
import { start } from './run.ts'

export interface DaemonPlace {
  readonly program: Program
  readonly home: string
  readonly env: NodeJS.ProcessEnv
}

export interface Health {
  readonly pid: number
  readonly calls: number
  readonly memory: { readonly rss_bytes: number }
  readonly workspaces: readonly { readonly root: string; readonly sight: string; readonly reason: string | null }[]
}

export interface Captured {
  readonly snapshot_id: string
  readonly created: boolean
  readonly tree: string
  readonly files: number
  readonly modified: number
}

/** The answer to a call, and how long it took from the question to its last byte. */
export interface Timed<T> {
  readonly output: T
  readonly seconds: number
}

/** A call that was answered with a fault. */
export class CallFailed extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(`${code}: ${message}`)
    this.code = code
  }
}

/** A turn of the daemon, in which it also writes down what it has in mind. */
const TURN_MS = 10_000
const LOOK_MS = 250
/** It gives the calls under way some seconds to finish. */
const STOP_MS = 60_000

/** A daemon of its own home, asked over its socket through connections that stay open, one unless told otherwise. */
export class Daemon {
  readonly pid: number
  readonly #home: string
  readonly #child: ReturnType<typeof start>
  readonly #socket: string
  readonly #agent: Agent

  private constructor(home: string, child: ReturnType<typeof start>, connections: number) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections })
    this.#home = home
    this.#child = child
    this.pid = child.pid as number
    this.#socket = (JSON.parse(readFileSync(join(home, 'daemon.json'), 'utf8')) as { socket: string }).socket
  }

  /** Starts one as a command would; when it returns, it serves. */
  static async start({ program, home, env }: DaemonPlace, connections = 1): Promise<Daemon> {
    // A daemon begins no store; one without packs is one.
    mkdirSync(join(home, 'objects'), { recursive: true, mode: 0o700 })
    const flags = ['--disable-warning=ExperimentalWarning']
    const argv = [process.execPath, ...flags, program.daemon, home]
    const child = start({ argv, cwd: home, env: { ...env, ...SMALL_HEAP_ENV } })
    await isReady(child)
    return new Daemon(home, child, connections)
  }

  /** Called when it ends, with its exit code or what killed it, and what it said last. */
  onEnd(listener: (how: number | NodeJS.Signals | null, stderr: string) => void): void {
    let said = ''
    this.#child.stderr.on('data', (text: string) => (said = (said + text).slice(-4000)))
    this.#child.once('close', (code, signal) => listener(code ?? signal, said))
  }

  health(): Promise<Timed<Health>> {
    return this.#ask<Health>('GET', '/v1/health')
  }

  /** Throws `CallFailed` when the answer is a fault, or when it has not come after `patienceMs`. */
  capture(root: string, patienceMs?: number): Promise<Timed<Captured>> {
    return this.#ask<Captured>('POST', '/v1/call/snapshot', JSON.stringify({ workspace: root }), patienceMs)
  }

  /** Calls any tool. */
  call<T>(tool: string, input: object): Promise<Timed<T>> {
    return this.#ask<T>('POST', `/v1/call/${tool}`, JSON.stringify(input))
  }

  async #ask<T>(method: string, path: string, body = '', patienceMs = 0): Promise<Timed<T>> {
    const started = performance.now()
    const headers = body === '' ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }
    const asked = request({ socketPath: this.#socket, agent: this.#agent, method, path, headers })
    if (patienceMs > 0)
      asked.setTimeout(patienceMs, () => asked.destroy(new CallFailed('SILENCE', `no word in ${patienceMs} ms`)))
    asked.end(body)
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    const text = await textOf(answer)
    const seconds = (performance.now() - started) / 1000
    const output = JSON.parse(text) as T & { error?: { code: string; message: string } }
    if (answer.statusCode === 200) return { output, seconds }
    throw new CallFailed(output.error?.code ?? String(answer.statusCode), output.error?.message ?? text)
  }

  /** Waits until it has written down what it has in mind, and become light: its scan has been the same for two turns. */
  async settle(): Promise<void> {
    for (let last = '', since = 0; ; await sleep(LOOK_MS)) {
      const now = this.#scanStamp()
      if (now !== last) {
        last = now
        since = Date.now()
      } else if (now !== '' && Date.now() - since > 2 * TURN_MS) return
    }
  }

  #scanStamp(): string {
    const cache = join(this.#home, 'cache')
    const scans = readdirSync(cache).filter((name) => name.endsWith('.scan'))
    return scans.map((name) => statSync(join(cache, name)).mtimeMs).join()
  }

  /** Asks it to end and waits until it has. May be called after it ended by itself. */
  async stop(): Promise<void> {
    this.#agent.destroy()
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'close')
    this.#child.kill('SIGTERM')
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), STOP_MS)
    await ended
    clearTimeout(timer)
  }
}

/** Returns when it serves. */
async function isReady(child: ReturnType<typeof start>): Promise<void> {
  let said = ''
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
    if (said.startsWith('ready')) resolve()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
  child.once('error', reject)
  child.once('close', () => reject(new Error(`The daemon did not start: ${said}`)))
  await promise
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of answer) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}
