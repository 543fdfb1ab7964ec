import type { ChildProcess } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { childProcess } from '../builtins.ts'

/** Runs a program and returns its output; undefined when it fails, does not exist, or takes too long. */
export function runQuietly(
  program: string,
  args: readonly string[],
  options: { cwd: string; timeoutMs?: number },
): Buffer | undefined {
  const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.startsWith('GIT_')))
  const result = childProcess().spawnSync(program, args, {
    cwd: options.cwd,
    env,
    timeout: options.timeoutMs ?? 20_000,
    maxBuffer: 1024 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return result.status === 0 ? result.stdout : undefined
}

const QUIET_NODE = '--disable-warning=ExperimentalWarning'

/**
 * Makes glibc return memory to the system: with one arena per thread it keeps the peak of past work. Other C libraries
 * ignore it.
 */
export const SMALL_HEAP_ENV = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' }

export interface DetachedOptions {
  readonly stdout?: 'pipe' | 'ignore'
  readonly input?: Uint8Array
  /** Flags of Node and V8. */
  readonly flags?: readonly string[]
}

/** Starts one of our programs so that it survives this process, the terminal and the session. */
export function startDetached(
  script: string,
  args: readonly string[],
  { stdout = 'ignore', input, flags = [] }: DetachedOptions = {},
): ChildProcess {
  const child = childProcess().spawn(process.execPath, [QUIET_NODE, ...flags, script, ...args], {
    detached: true,
    cwd: '/',
    env: { ...process.env, ...SMALL_HEAP_ENV },
    stdio: [input ? 'pipe' : 'ignore', stdout, 'ignore'],
  })
  child.on('error', () => {})
  // A child that ends before it has read everything needs no more input.
  child.stdin?.on('error', () => {}).end(input)
  child.unref()
  return child
}

export interface NodeRun {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly input: string
  /** With low priority. */
  readonly gently: boolean
}

/** Runs one of our programs to its end and returns its output, however it ended. */
export function runNode(script: string, args: readonly string[], options: NodeRun): Promise<string> {
  const child = childProcess().spawn(process.execPath, [QUIET_NODE, script, ...args], {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  if (options.gently && child.pid !== undefined) lower(child.pid)
  return new Promise((resolve, reject) => {
    const out: Buffer[] = []
    child.stdout.on('data', (bytes: Buffer) => out.push(bytes))
    child.on('error', reject)
    child.on('close', () => resolve(Buffer.concat(out).toString()))
    child.stdin.on('error', () => {})
    child.stdin.end(options.input)
  })
}

function lower(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW)
  } catch {
    // It may have ended already.
  }
}
