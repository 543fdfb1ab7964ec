import { constants } from 'node:os'
import { childProcess } from '../host/builtins.ts'

/**
 * Commands that block the event loop for long, so that no signal handler can run: a signal kills them at once. On a
 * terminal they run in a child process, so that the parent can report what holds. A test compares the list with the
 * catalogue.
 */
export const BLOCKING: readonly string[] = ['prune', 'gc', 'fsck', 'stats', 'forget', 'mirror', 'export']

/** Set in the environment of the child process. */
const WATCHED = 'TIMEWARP_WATCHED'
const SIGNALS = ['SIGINT', 'SIGTERM'] as const

export const isToBeWatched = (command: string | undefined): boolean =>
  process.stderr.isTTY && process.env[WATCHED] === undefined && BLOCKING.includes(command ?? '')

/** Runs the same command line in a child process, and reports what holds if a signal killed it. */
export function watchOver(): void {
  const [, ...words] = process.argv
  const child = childProcess().spawn(process.execPath, [...process.execArgv, ...words], {
    stdio: 'inherit',
    env: { ...process.env, [WATCHED]: '1' },
  })
  // A terminal sends its signals to both processes; a signal sent to this process alone is passed on to the command.
  for (const signal of SIGNALS) process.on(signal, () => void child.kill(signal))
  child.once('error', (error) => {
    process.stderr.write(`Error: ${error.message}\n`)
    process.exitCode = 70
  })
  child.once('exit', (code, signal) => {
    if (signal === 'SIGINT' || signal === 'SIGTERM')
      process.stderr.write(
        '\nStopped. Nothing is half done: what was finished holds, and the rest is done when you run it again.\n',
      )
    process.exitCode = signal === null ? (code ?? 0) : 128 + constants.signals[signal]
  })
}
