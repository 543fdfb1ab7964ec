import { execFileSync, spawnSync } from 'node:child_process'
import type { Workspace } from './workspace.ts'

/** Real git, in which neither the settings of whoever runs the tests nor a repository around them have a say. */

export const gitEnvironment = (top: string): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: top,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CEILING_DIRECTORIES: top,
  GIT_EDITOR: 'true',
  TZ: 'UTC',
})

export interface Git {
  (...args: string[]): string
  /** As the call, with the bytes git printed. */
  readonly bytes: (...args: string[]) => Buffer
  readonly fails: (...args: string[]) => boolean
}

/** Git in a workspace, as somebody with a name. */
export function gitIn(workspace: Workspace, cwd = workspace.root): Git {
  const env = gitEnvironment(workspace.temp)
  const as = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', '-c', 'init.defaultBranch=main']
  const words = (args: string[]): string[] => [...as, '-c', 'protocol.file.allow=always', ...args]
  const bytes = (...args: string[]): Buffer => execFileSync('git', words(args), { cwd, env, stdio: 'pipe' })
  const fails = (...args: string[]): boolean => spawnSync('git', words(args), { cwd, env }).status !== 0
  return Object.assign(
    (...args: string[]): string =>
      bytes(...args)
        .toString()
        .trimEnd(),
    { bytes, fails },
  )
}
