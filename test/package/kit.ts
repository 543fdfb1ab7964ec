import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject, onTestFinished } from 'vitest'

export const installed = inject('installed')
export const MAJORS = Object.keys(installed.nodes)

/** A user with a home folder, a project and one Node, who has installed the package and nothing else of this project. */
export interface User {
  readonly home: string
  readonly project: string
  readonly env: Readonly<Record<string, string>>
  readonly run: (program: string, args: readonly string[], input?: string) => SpawnSyncReturns<string>
  /** Runs the installed `timewarp` in the project and returns what it prints; fails with what it says. */
  readonly timewarp: (...args: string[]) => string
}

/** With the Node in the folder `node` first on the path; without one there is none that is new enough. */
export function newUser(prefix: string, node?: string): User {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'timewarp-user-')))
  const [home, project] = [join(dir, 'home'), join(dir, 'project')]
  mkdirSync(join(project, 'src'), { recursive: true })
  mkdirSync(home)
  writeFileSync(join(project, 'src/main.ts'), 'export const port = 80\n')
  const path = [join(prefix, 'bin'), ...(node ? [node] : []), '/usr/local/bin', '/usr/bin', '/bin'].join(':')
  const env = { PATH: path, HOME: home, SHELL: '/bin/bash', TIMEWARP_HOME: join(home, '.timewarp') }
  const run: User['run'] = (program, args, input = '') =>
    spawnSync(program, args, { cwd: project, env, input, encoding: 'utf8', timeout: 60_000 })
  const timewarp = (...args: string[]): string => {
    const { status, stdout, stderr } = run('timewarp', args)
    if (status !== 0) throw new Error(`timewarp ${args.join(' ')} ended with ${status}: ${stderr}${stdout}`)
    return stdout
  }
  onTestFinished(() => {
    run('timewarp', ['daemon', 'stop'])
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
  })
  return { home, project, env, run, timewarp }
}
