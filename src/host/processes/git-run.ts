import { constants, setPriority } from 'node:os'
import { childProcess } from '../builtins.ts'

export interface GitRun {
  readonly cwd: string
  readonly input?: Uint8Array
  readonly env?: Readonly<Record<string, string>>
}

export interface GitRan {
  /** Null when git is not installed. */
  readonly status: number | null
  readonly out: Buffer
  readonly err: string
}

/** No hooks, no helper processes, and git writes exactly what was asked for. */
const QUIET = ['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'core.splitIndex=false', 'index.sparse=false']

/** Runs git without this process's GIT_ variables, and waits for it. */
export function runGit(args: readonly string[], { cwd, input, env = {} }: GitRun): GitRan {
  const result = childProcess().spawnSync('git', withSettings(args), {
    cwd,
    env: environment(env),
    maxBuffer: 1024 * 1024 * 1024,
    stdio: [input ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    ...(input ? { input } : {}),
  })
  return {
    status: result.status,
    out: result.stdout ?? Buffer.alloc(0),
    err: result.stderr?.toString().trim() || result.error?.message || '',
  }
}

const withSettings = (args: readonly string[]): string[] => [...QUIET.flatMap((setting) => ['-c', setting]), ...args]

function environment(env: Readonly<Record<string, string>>): Record<string, string | undefined> {
  const inherited = Object.entries(process.env).filter(([key]) => !key.startsWith('GIT_'))
  return { ...Object.fromEntries(inherited), LC_ALL: 'C', ...env }
}

export interface GitStream extends GitRun {
  /** Receives git's output, in order; returning false ends git. Must not throw. */
  readonly onBytes: (bytes: Buffer) => boolean
  readonly timeoutMs: number
}

export interface GitStreamed {
  /** Null when git is not installed, or was ended. */
  readonly status: number | null
  readonly err: string
  /** Why it was ended. */
  readonly cut: 'enough' | 'time' | undefined
}

/** As `runGit`, but asynchronous: passes on output as it arrives, and runs git with low priority. */
export function streamGit(
  args: readonly string[],
  { cwd, input, env = {}, onBytes, timeoutMs }: GitStream,
): Promise<GitStreamed> {
  return new Promise((resolve) => {
    const child = childProcess().spawn('git', withSettings(args), {
      cwd,
      env: environment(env),
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    let cut: GitStreamed['cut']
    let err = ''
    const end = (why: 'enough' | 'time'): void => {
      cut ??= why
      child.kill('SIGKILL')
    }
    const timer = setTimeout(() => end('time'), timeoutMs)
    const settle = (status: number | null): void => {
      clearTimeout(timer)
      resolve({ status: cut === undefined ? status : null, err: err.trim(), cut })
    }
    lower(child.pid)
    child.stdout.on('data', (bytes: Buffer) => {
      if (cut === undefined && !onBytes(bytes)) end('enough')
    })
    child.stderr.on('data', (bytes: Buffer) => {
      if (err.length < 4096) err += bytes.toString()
    })
    child.on('error', (error) => {
      err = error.message
      settle(null)
    })
    child.on('close', (status) => settle(status))
    child.stdin.on('error', () => {})
    child.stdin.end(input ?? '')
  })
}

/** As `runGit`, without blocking the thread. */
export async function runGitGently(args: readonly string[], run: GitRun, timeoutMs: number): Promise<GitRan> {
  const parts: Buffer[] = []
  const onBytes = (bytes: Buffer): boolean => parts.push(bytes) > 0
  const { status, err } = await streamGit(args, { ...run, onBytes, timeoutMs })
  return { status, err, out: Buffer.concat(parts) }
}

function lower(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // It may have ended already.
  }
}
