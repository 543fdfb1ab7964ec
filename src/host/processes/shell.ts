import { childProcess } from '../builtins.ts'

export interface ShellRun {
  readonly cwd: string
  readonly timeoutMs: number
  /** How many of the last bytes of output to return. */
  readonly tailBytes: number
}

export interface ShellRan {
  /** Null when it was killed. */
  readonly exit: number | null
  readonly timedOut: boolean
  readonly durationMs: number
  /** The end of its output, stdout and stderr together. */
  readonly tail: Buffer
  readonly cut: boolean
}

/** How long a command may take to end after SIGTERM. */
const GRACE_MS = 2000

/** Runs the caller's command with `sh`, in its own process group: on timeout the whole group is ended. */
export function runShell(command: string, { cwd, timeoutMs, tailBytes }: ShellRun): Promise<ShellRan> {
  const started = performance.now()
  // The compile cache is a setting for this process, not for the command.
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
      // It has ended already.
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
      // Background processes that it left would keep writing.
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
