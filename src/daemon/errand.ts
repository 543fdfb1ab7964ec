import { spawn } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { dirname, join } from 'node:path'

/** A command in a process of its own: for what would hold up everybody else. */
export interface Errand {
  readonly program: string
  readonly home: string
  readonly cwd: string
}

/** The command line beside a program of ours. */
export const commandLine = (program: string): string[] => {
  const isBuilt = program.endsWith('.cjs')
  return ['--disable-warning=ExperimentalWarning', join(dirname(program), isBuilt ? 'main.cjs' : 'main.ts')]
}

export function runErrand(errand: Errand, argv: readonly string[], input: string, gently: boolean): Promise<string> {
  const child = spawn(process.execPath, [...commandLine(errand.program), '--no-daemon', ...argv], {
    cwd: errand.cwd,
    env: { ...process.env, TIMEWARP_HOME: errand.home },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  if (gently && child.pid !== undefined) lower(child.pid)
  return new Promise((resolve, reject) => {
    const out: Buffer[] = []
    child.stdout.on('data', (bytes: Buffer) => out.push(bytes))
    child.on('error', reject)
    child.on('close', () => resolve(Buffer.concat(out).toString()))
    child.stdin.on('error', () => {})
    child.stdin.end(input)
  })
}

function lower(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW)
  } catch {
    // It may be over already.
  }
}
