import { dirname, join } from 'node:path'
import { runNode } from '../../host/processes/run.ts'

/** A command in a child process, for work that would block all other calls. */
export interface ChildCommand {
  readonly program: string
  readonly home: string
  readonly cwd: string
}

/** The command-line program in the folder of `program`. */
export const commandLine = (program: string): string =>
  join(dirname(program), program.endsWith('.cjs') ? 'client.cjs' : 'client.ts')

export const runInChild = (
  errand: ChildCommand,
  argv: readonly string[],
  input: string,
  gently: boolean,
): Promise<string> =>
  runNode(commandLine(errand.program), ['--no-daemon', ...argv], {
    cwd: errand.cwd,
    env: { TIMEWARP_HOME: errand.home },
    input,
    gently,
  })
