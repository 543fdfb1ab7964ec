import { spawnSync } from 'node:child_process'

export interface GitRun {
  readonly cwd: string
  readonly input?: Uint8Array
  readonly env?: Readonly<Record<string, string>>
}

export interface GitRan {
  /** Null when git is not there. */
  readonly status: number | null
  readonly out: Buffer
  readonly err: string
}

/** No hook runs, no helper starts, and what is written is what was asked for. */
const QUIET = ['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'core.splitIndex=false', 'index.sparse=false']

/** Runs git without the GIT_ variables of this process, and waits for it. */
export function runGit(args: readonly string[], { cwd, input, env = {} }: GitRun): GitRan {
  const inherited = Object.entries(process.env).filter(([key]) => !key.startsWith('GIT_'))
  const result = spawnSync('git', [...QUIET.flatMap((setting) => ['-c', setting]), ...args], {
    cwd,
    env: { ...Object.fromEntries(inherited), LC_ALL: 'C', ...env },
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
