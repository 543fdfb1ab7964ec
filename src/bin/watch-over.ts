import { constants } from 'node:os'
import { childProcess } from '../host/builtins.ts'

/**
 * Commands that work for long without a pause, in which no signal is heard: it ends them at once. On a terminal they run in a
 * process of their own, so that somebody is left to say what holds. A test holds the list against the catalogue.
 */
export const BLOCKING: readonly string[] = ['prune', 'gc', 'fsck', 'stats', 'forget', 'mirror', 'export']

/** Set for the process that is watched over. */
const WATCHED = 'TIMEWARP_WATCHED'
const SIGNALS = ['SIGINT', 'SIGTERM'] as const

export const isToBeWatched = (command: string | undefined): boolean =>
  process.stderr.isTTY && process.env[WATCHED] === undefined && BLOCKING.includes(command ?? '')

/** Runs this very command line again, and says what holds when a signal ended it. */
export function watchOver(): void {
  const [, ...words] = process.argv
  const child = childProcess().spawn(process.execPath, [...process.execArgv, ...words], {
    stdio: 'inherit',
    env: { ...process.env, [WATCHED]: '1' },
  })
  // A terminal sends its signals to both; whoever sends one to this process alone means the command.
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
