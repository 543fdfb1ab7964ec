import { childProcess } from '../builtins.ts'

export interface ShellRun {
  readonly cwd: string
  readonly timeoutMs: number
  /** How many bytes of the end of what it prints are kept. */
  readonly tailBytes: number
}

export interface ShellRan {
  /** Null when it was killed. */
  readonly exit: number | null
  readonly timedOut: boolean
  readonly durationMs: number
  /** The end of what it printed, to either. */
  readonly tail: Buffer
  readonly cut: boolean
}

/** How long a command that was asked to end may take for it. */
const GRACE_MS = 2000

/** Runs a command of the caller's own with `sh`, in a group of its own: when the time is up, all of it ends. */
export function runShell(command: string, { cwd, timeoutMs, tailBytes }: ShellRun): Promise<ShellRan> {
  const started = performance.now()
  // Where compiled code is kept was said to us alone.
  const { NODE_COMPILE_CACHE: _cache, NODE_COMPILE_CACHE_PORTABLE: _portable, ...env } = process.env
  const child = childProcess().spawn('sh', ['-c', command], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const tail = new Tail(tailBytes)
  let timedOut = false
  const endAll = (signal: NodeJS.Signals): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal)
    } catch {
      // It is over already.
    }
  }
  const timers = [
    setTimeout(() => {
      timedOut = true
      endAll('SIGTERM')
    }, timeoutMs),
    setTimeout(() => endAll('SIGKILL'), timeoutMs + GRACE_MS),
  ]
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => tail.add(bytes))
    const done = (): void => timers.forEach(clearTimeout)
    child.once('error', (error) => {
      done()
      reject(error)
    })
    child.once('close', (exit) => {
      done()
      // What it left running in the background would go on writing.
      endAll('SIGKILL')
      resolve({ exit, timedOut, durationMs: performance.now() - started, tail: tail.bytes(), cut: tail.cut })
    })
  })
}

/** The last bytes of a stream. */
class Tail {
  readonly #most: number
  #bytes = Buffer.alloc(0)
  cut = false

  constructor(most: number) {
    this.#most = most
  }

  add(bytes: Buffer): void {
    const all = Buffer.concat([this.#bytes, bytes])
    this.cut ||= all.length > this.#most
    this.#bytes = Buffer.from(all.subarray(Math.max(0, all.length - this.#most)))
  }

  bytes(): Buffer {
    return this.#bytes
  }
}
