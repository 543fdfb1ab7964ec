import { spawnSync } from 'node:child_process'

/** Runs a program and gives what it printed; undefined when it failed, is not there, or takes too long. */
export function runQuietly(
  program: string,
  args: readonly string[],
  options: { cwd: string; timeoutMs?: number },
): Buffer | undefined {
  const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.startsWith('GIT_')))
  const result = spawnSync(program, args, {
    cwd: options.cwd,
    env,
    timeout: options.timeoutMs ?? 20_000,
    maxBuffer: 1024 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return result.status === 0 ? result.stdout : undefined
}
